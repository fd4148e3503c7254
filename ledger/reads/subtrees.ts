import type { ChainName, Chains } from '../chain/entries.js';
import { fromHex } from '../../kernel/hex.js';
import {
  appendSubtree,
  leafHash,
  merkleRoot,
  rangeRoot,
  type CompactRange,
  type LeafRange,
} from '../chain/merkle-tree.js';
import type { Sha256 } from '../../kernel/ports.js';

/** Leaves read together: those of one stored segment. */
const blockLeaves = 128;

/**
 * Subtree hashes of one chain for one response: shared leaves are read once, and subtrees in the
 * head's range are not read at all.
 */
export const openSpanHashes = (
  { chains, sha256 }: { readonly chains: Chains; readonly sha256: Sha256 },
  chain: ChainName,
): ((span: LeafRange) => Promise<Uint8Array>) => {
  const blocks = new Map<number, Promise<readonly Uint8Array[]>>();
  const leavesOf = (block: number): Promise<readonly Uint8Array[]> => {
    const known = blocks.get(block);
    if (known !== undefined) return known;
    const from = block * blockLeaves;
    const leaves = chains
      .entries(chain, from + 1, from + blockLeaves)
      .then((entries) => entries.map(({ hash }) => leafHash(sha256, fromHex(hash))));
    blocks.set(block, leaves);
    return leaves;
  };
  let range: Promise<CompactRange> | null = null;
  const known = async (at: number, width: number): Promise<Uint8Array | undefined> => {
    range ??= chains.head(chain).then((head) => head?.range ?? []);
    return (await range).find((one) => one.at === at && one.width === width)?.hash;
  };
  const subtree = async (at: number, width: number): Promise<Uint8Array> => {
    const inHead = await known(at, width);
    if (inHead !== undefined) return inHead;
    if (width > blockLeaves) return chains.subtree(chain, at, width);
    const leaves = await leavesOf(Math.floor(at / blockLeaves));
    const some = leaves.slice(at % blockLeaves, (at % blockLeaves) + width);
    if (some.length < width) throw new RangeError(`${chain} ends before ${at + width}`);
    return merkleRoot(
      sha256,
      some.reduce<CompactRange>((range, leaf) => appendSubtree(sha256, range, 1, leaf), []),
    );
  };
  return (span) => rangeRoot(sha256, subtree, span);
};
