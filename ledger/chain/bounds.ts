import type { Position } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { ChainEntry, ChainHead, Chains } from './entries.js';

/** Bound in the log: a position, or a time of the service's clock. */
export type HistoryBound = { readonly position: Position } | { readonly instant: Instant };

type ChainSize = Pick<ChainHead, 'chain' | 'size'>;

/**
 * Least `seq` whose entry is at or after the bound; `size` + 1 if there is none. A bound in time
 * assumes ordered entries: a clock that was set back may shift it by as many.
 */
export const seqFrom = (
  chains: Pick<Chains, 'entries'>,
  of: ChainSize,
  bound: HistoryBound,
): Promise<number> => firstSeq(chains, of, (entry) => compareToBound(entry, bound) >= 0);

/** Greatest `seq` whose entry is at or before the bound; 0 if there is none. */
export const seqTo = async (
  chains: Pick<Chains, 'entries'>,
  of: ChainSize,
  bound: HistoryBound,
): Promise<number> => (await firstSeq(chains, of, (entry) => compareToBound(entry, bound) > 0)) - 1;

/**
 * Binary search for the first `seq` for which `holds` is true; it must be true for all later ones.
 */
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
