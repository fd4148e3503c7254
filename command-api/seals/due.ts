import type { ChainHead, Chains } from '../../kernel/history/entries.js';
import { isOfSeals, type ChainSeal } from './sealed.js';

/** A chain that is bigger does not wait for the hour. */
const unsealedMax = 10_000;
/** However many events come. */
const restMs = 60_000;
/** Entries looked at in one step. */
const lookEntries = 512;

/** What is known of a chain between two seals. */
export type Watched = {
  readonly seal: ChainSeal | null;
  /** The first entry after the seal that is no seal itself, once there is one. */
  readonly first: { readonly seq: number; readonly atMs: number } | null;
  /** Up to where entries were looked at for it. */
  readonly looked: number;
};

/** From the newest seal on. */
export const watched = (seal: ChainSeal | null): Watched => ({
  seal,
  first: null,
  looked: seal?.size ?? 0,
});

/** Looks for the first entry that has to be sealed, up to the head. */
export const lookedAhead = async (
  chains: Chains,
  { chain, size }: Pick<ChainHead, 'chain' | 'size'>,
  known: Watched,
): Promise<Watched> => {
  let { looked } = known;
  while (known.first === null && looked < size) {
    const to = Math.min(size, looked + lookEntries);
    const entries = await chains.entries(chain, looked + 1, to);
    const entry = entries.find(({ stream }) => !isOfSeals(stream));
    if (entry !== undefined) {
      return { ...known, first: { seq: entry.seq, atMs: Date.parse(entry.at) }, looked: to };
    }
    looked = entries.at(-1)?.seq ?? size;
  }
  return { ...known, looked };
};

/** A time later than now, where a clock was set back, is as far away as an earlier one. */
export const distanceMs = (nowMs: number, atMs: number): number => Math.abs(nowMs - atMs);

/**
 * A chain is sealed so long after its first unsealed event that is no seal, or after 10,000 of
 * them, and never twice a minute (contract 5.14, rule 5). An event over a minute later than now is
 * due, since nothing tells how long it waits.
 */
export const isDue = (
  { size }: Pick<ChainHead, 'size'>,
  { seal, first }: Watched,
  nowMs: number,
  everyMs: number,
): boolean => {
  if (first === null) return false;
  if (seal !== null && distanceMs(nowMs, Date.parse(seal.sealedAt)) < restMs) return false;
  if (first.atMs - nowMs > restMs) return true;
  return nowMs - first.atMs >= everyMs || size - first.seq + 1 >= unsealedMax;
};
