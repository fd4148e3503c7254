import type { ChainHead, Chains } from '../chain/entries.js';
import { isSealStream, type ChainSeal } from './seal-streams.js';

/** Unsealed entries after which a chain is sealed early. */
const unsealedMax = 10_000;
/** Minimum interval between seals, however many events come. */
const restMs = 60_000;
/** Entries scanned in one step. */
const scanEntries = 512;

/** State of a chain between two seals. */
export type ChainSealState = {
  readonly seal: ChainSeal | null;
  /** The first entry after the seal that is not a seal event itself. */
  readonly firstUnsealed: { readonly seq: number; readonly atMs: number } | null;
  /** Entry up to which the scan got. */
  readonly scannedTo: number;
};

/** State right after a seal. */
export const initialSealState = (seal: ChainSeal | null): ChainSealState => ({
  seal,
  firstUnsealed: null,
  scannedTo: seal?.size ?? 0,
});

/** Scans for the first entry to seal, up to the head. */
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

/**
 * Distance in time; an instant in the future, after the clock was set back, counts like one in the
 * past.
 */
export const distanceMs = (nowMs: number, atMs: number): number => Math.abs(nowMs - atMs);

/**
 * True if a chain is due: `everyMs` after its first unsealed event other than seals, or after
 * 10,000 of them, and never twice a minute (contract 5.14, rule 5). An event over a minute in the
 * future is due, since its age is unknown.
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
