import type { Document } from '../../kernel/documents.js';
import { genesisHash } from '../chain/chain.js';
import type { ChainHead, ChainName } from '../chain/entries.js';
import { fromHex, toHex } from '../../kernel/hex.js';
import { perfectSubtrees } from '../chain/merkle-tree.js';
import { logStart, type Position } from '../../kernel/ports.js';
import { headKey, headsScope } from '../collection.js';

type HeadBody = {
  readonly size: number;
  readonly position: Position;
  readonly hash: string;
  /** Roots of the perfect subtrees from the left; their widths follow from the size. */
  readonly range: readonly string[];
};

/** Head of a chain without entries. */
export const emptyHead = (chain: ChainName): ChainHead => ({
  chain,
  size: 0,
  position: logStart,
  hash: genesisHash,
  range: [],
});

export const headDocument = ({ chain, size, position, hash, range }: ChainHead): Document => {
  const body: HeadBody = { size, position, hash, range: range.map((one) => toHex(one.hash)) };
  return { key: headKey(chain), scope: headsScope, fields: { chain }, body };
};

export const headOf = ({ fields, body }: Document): ChainHead => {
  const { size, position, hash, range } = body as HeadBody;
  return {
    chain: String(fields['chain']),
    size,
    position,
    hash,
    range: perfectSubtrees({ from: 0, to: size }).map((subtree, at) => ({
      ...subtree,
      hash: fromHex(range[at] ?? ''),
    })),
  };
};
