import type { HistorySealed } from '../../events/seals.js';
import { fromBase64 } from '../chain/checkpoint.js';
import type { Chains } from '../chain/entries.js';
import { toHex } from '../../kernel/hex.js';
import { rangeRoot, type SubtreeHash } from '../chain/merkle-tree.js';
import type { StoredEvent, Sha256 } from '../../kernel/ports.js';

/** Seals among events, in their order. */
export const sealsIn = (events: readonly StoredEvent[]): readonly HistorySealed[] =>
  events
    .filter(({ type, stream }) => type === 'HistorySealed' && stream.startsWith('seals-'))
    .map(({ data }) => data as HistorySealed);

/**
 * Contradiction between these chains and a seal; null when they agree. The seal's position is not
 * compared: the log may have moved to another engine since.
 */
export const sealContradiction = async (
  chains: Chains,
  sha256: Sha256,
  { chain, size, head_hash: hash, root }: HistorySealed,
): Promise<string | null> => {
  const why = `history contradicts seal ${size} of ${chain}`;
  const head = await chains.head(chain);
  if (head === null || head.size < size) return `${why}: it has ${head?.size ?? 0} entries`;
  const [last] = await chains.entries(chain, size, size);
  if (last?.hash !== hash) return `${why}: entry ${size} is another`;
  // Most sealed subtrees are still in the head's range.
  const subtree: SubtreeHash = async (at, width) =>
    head.range.find((one) => one.at === at && one.width === width)?.hash ??
    (await chains.subtree(chain, at, width));
  const found = await rangeRoot(sha256, subtree, { from: 0, to: size });
  return toHex(found) === toHex(fromBase64(root) ?? new Uint8Array())
    ? null
    : `${why}: its tree has another root`;
};
