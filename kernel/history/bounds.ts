import type { Position } from '../ports.js';
import type { Instant } from '../shapes.js';
import type { ChainEntry, ChainHead, Chains } from './entries.js';

/** A place in the log, or a time by the service's word. */
export type HistoryBound = { readonly position: Position } | { readonly instant: Instant };

/**
 * The least `seq` whose entry lies at the bound or after it; `size` + 1 when none does. By time it
 * takes entries for ordered: a clock that was put back may shift it by as many.
 */
export const seqFrom = async (
  chains: Pick<Chains, 'entries'>,
  { chain, size }: Pick<ChainHead, 'chain' | 'size'>,
  bound: HistoryBound,
): Promise<number> => {
  let [low, high] = [1, size + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await chains.entries(chain, middle, middle);
    if (entry !== undefined && compared(entry, bound) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The greatest `seq` whose entry lies at the bound or before it; 0 when none does. */
export const seqTo = async (
  chains: Pick<Chains, 'entries'>,
  head: Pick<ChainHead, 'chain' | 'size'>,
  bound: HistoryBound,
): Promise<number> => {
  const seq = await seqFrom(chains, head, bound);
  const [entry] = await chains.entries(head.chain, seq, seq);
  return entry !== undefined && compared(entry, bound) === 0 ? seq : seq - 1;
};

const compared = (entry: ChainEntry, bound: HistoryBound): number => {
  const [one, other] =
    'position' in bound ? [entry.position, bound.position] : [entry.at, bound.instant];
  if (one === other) return 0;
  return one < other ? -1 : 1;
};
