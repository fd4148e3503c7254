import type { ChainHead, Chains } from '../../kernel/history/entries.js';
import { isSealStream, type ChainSeal } from './seal-streams.js';

/** A chain that is bigger does not wait for the hour. */
const unsealedMax = 10_000;
/** However many events come. */
const restMs = 60_000;
/** Entries looked at in one step. */
const scanEntries = 512;

/** What is known of a chain between two seals. */
export type ChainSealState = {
  readonly seal: ChainSeal | null;
  /** The first entry after the seal that is no seal itself, once there is one. */
  readonly firstUnsealed: { readonly seq: number; readonly atMs: number } | null;
  /** Up to where entries were looked at for it. */
  readonly scannedTo: number;
};

/** From the newest seal on. */
export const initialSealState = (seal: ChainSeal | null): ChainSealState => ({
  seal,
  firstUnsealed: null,
  scannedTo: seal?.size ?? 0,
});

/** Looks for the first entry that has to be sealed, up to the head. */
export const scanForUnsealed = async (
  chains: Chains,
  { chain, size }: Pick<ChainHead, 'chain' | 'size'>,
  known: ChainSealState,
): Promise<ChainSealState> => {
  let { scannedTo } = known;
  while (known.firstUnsealed === null && scannedTo < size) {
    const to = Math.min(size, scannedTo + scanEntries);
    const entries = await chains.entries(chain, scannedTo + 1, to);
    const entry = entries.find(({ stream }) => !isSealStream(stream));
    if (entry !== undefined) {
      return {
        ...known,
        firstUnsealed: { seq: entry.seq, atMs: Date.parse(entry.at) },
        scannedTo: to,
      };
    }
    scannedTo = entries.at(-1)?.seq ?? size;
  }
  return { ...known, scannedTo };
};

/** A time later than now, where a clock was set back, is as far away as an earlier one. */
export const distanceMs = (nowMs: number, atMs: number): number => Math.abs(nowMs - atMs);

/**
 * A chain is sealed so long after its first unsealed event that is no seal, or after 10,000 of
 * them, and never twice a minute (contract 5.14, rule 5). An event over a minute later than now is
 * due, since nothing tells how long it waits.
 */
export const isSealDue = (
  { size }: Pick<ChainHead, 'size'>,
  { seal, firstUnsealed }: ChainSealState,
  nowMs: number,
  everyMs: number,
): boolean => {
  if (firstUnsealed === null) return false;
  if (seal !== null && distanceMs(nowMs, Date.parse(seal.sealedAt)) < restMs) return false;
  if (firstUnsealed.atMs - nowMs > restMs) return true;
  return nowMs - firstUnsealed.atMs >= everyMs || size - firstUnsealed.seq + 1 >= unsealedMax;
};
