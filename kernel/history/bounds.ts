import type { Position } from '../ports.js';
import type { Instant } from '../schema-types.js';
import type { ChainEntry, ChainHead, Chains } from './entries.js';

/** A place in the log, or a time by the service's word. */
export type HistoryBound = { readonly position: Position } | { readonly instant: Instant };

type ChainSize = Pick<ChainHead, 'chain' | 'size'>;

/**
 * The least `seq` whose entry lies at the bound or after it; `size` + 1 when none does. By time it
 * takes entries for ordered: a clock that was put back may shift it by as many.
 */
export const seqFrom = (
  chains: Pick<Chains, 'entries'>,
  of: ChainSize,
  bound: HistoryBound,
): Promise<number> => firstSeq(chains, of, (entry) => compareToBound(entry, bound) >= 0);

/** The greatest `seq` whose entry lies at the bound or before it; 0 when none does. */
export const seqTo = async (
  chains: Pick<Chains, 'entries'>,
  of: ChainSize,
  bound: HistoryBound,
): Promise<number> => (await firstSeq(chains, of, (entry) => compareToBound(entry, bound) > 0)) - 1;

/** Of those for which it holds, which are the last ones. */
const firstSeq = async (
  chains: Pick<Chains, 'entries'>,
  { chain, size }: ChainSize,
  holds: (entry: ChainEntry) => boolean,
): Promise<number> => {
  let [low, high] = [1, size + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await chains.entries(chain, middle, middle);
    if (entry !== undefined && !holds(entry)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const compareToBound = (entry: ChainEntry, bound: HistoryBound): number => {
  const [one, other] =
    'position' in bound ? [entry.position, bound.position] : [entry.at, bound.instant];
  if (one === other) return 0;
  return one < other ? -1 : 1;
};
