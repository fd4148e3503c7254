import type { Documents } from '../kernel/documents.js';
import type { ChainEntry, ChainHead, ChainName, ChainPages, Chains } from './chain/entries.js';
import { fromHex } from '../kernel/hex.js';
import { leafHash, nodeHash } from './chain/merkle-tree.js';
import type { Sha256 } from '../kernel/ports.js';
import {
  headKey,
  headsScope,
  historyCollection,
  segmentKey,
  segmentOf,
  tileKey,
  tileRoots,
} from './collection.js';
import { headOf } from './fold/head-document.js';
import { readChainPage, type LoadSegments } from './fold/chain-page.js';
import { entriesAtRows, segmentRows, type SegmentBody } from './fold/segment-format.js';
import { leavesBelow, type TileBody } from './fold/tiles.js';

/** Documents that hold the chains: the live ones, or a copy that is being built. */
export type ChainDocuments = Pick<Documents, 'get' | 'load' | 'find'>;

/** Segments read at once: some 1.5 MB. */
const segmentsAtOnce = 64;
/** Heads read at once: some 2 KB each. */
const headsAtOnce = 1_000;

/** Reads chains as the projection folded them, from any documents that hold them. */
export const openChainReader = (documents: ChainDocuments, sha256: Sha256): Chains & ChainPages => {
  const segments = segmentLoader(documents);
  const head: Chains['head'] = async (chain) => {
    const document = await documents.get(historyCollection, headKey(chain));
    return document === null ? null : headOf(document);
  };
  const entries: Chains['entries'] = async (chain, from, to) => {
    const found: ChainEntry[] = [];
    const last = segmentOf(to);
    for (let number = segmentOf(Math.max(from, 1)); number <= last; number += segmentsAtOnce) {
      const count = Math.min(segmentsAtOnce, last - number + 1);
      const bodies = await segments(chain, numberRange(number, count));
      for (const body of bodies) {
        const rows = segmentRows(body);
        const first = Math.max(from - body.firstSeq, 0);
        const some = numberRange(first, Math.min(to - body.firstSeq + 1, rows.count) - first);
        for (const entry of entriesAtRows(sha256, body, rows, some)) found.push(entry);
      }
      if (bodies.length < count) break;
    }
    return found;
  };
  return {
    head,
    heads: (after, limit) => readHeads(documents, after, limit),
    entries,
    subtree: async (chain, at, width) => {
      const [nodes, count] =
        width < tileRoots
          ? [(await entries(chain, at + 1, at + width)).map((one) => leafOf(sha256, one)), width]
          : await tileNodes(documents, chain, at, width);
      if (at % width !== 0 || nodes.length < count) {
        throw new RangeError(`${chain} has no subtree of ${width} leaves at ${at}`);
      }
      return perfectRoot(sha256, nodes);
    },
    page: (chain, query, context) =>
      readChainPage({ documents, sha256, head, segments }, chain, query, context),
  };
};

const numberRange = (from: number, count: number): readonly number[] =>
  Array.from({ length: Math.max(0, count) }, (_, at) => from + at);

const segmentLoader =
  (documents: ChainDocuments): LoadSegments =>
  async (chain, numbers) => {
    const keys = numbers.map((number) => segmentKey(chain, number));
    const found = await documents.load(historyCollection, keys);
    return keys.flatMap((key) => {
      const body = found.get(key)?.body as SegmentBody | undefined;
      return body === undefined ? [] : [body];
    });
  };

const readHeads = async (
  documents: ChainDocuments,
  after: ChainName | null,
  limit: number,
): Promise<readonly ChainHead[]> => {
  const found: ChainHead[] = [];
  const sort = { column: 'chain', ascending: true };
  for (let offset = 0, more = true; more && found.length < limit; offset += headsAtOnce) {
    const query = { scope: headsScope, sort, offset, limit: headsAtOnce };
    const page = await documents.find(historyCollection, query);
    const later = page.documents.filter(
      ({ fields }) => after === null || String(fields['chain']) > after,
    );
    for (const document of later.slice(0, limit - found.length)) found.push(headOf(document));
    more = page.more;
  }
  return found;
};

const leafOf = (sha256: Sha256, { hash }: ChainEntry): Uint8Array =>
  leafHash(sha256, fromHex(hash));

/**
 * Roots below the subtree in the highest level of tiles that has more than the subtree's own, as
 * far as they exist, and how many there should be.
 */
const tileNodes = async (
  documents: ChainDocuments,
  chain: ChainName,
  at: number,
  width: number,
): Promise<readonly [nodes: readonly Uint8Array[], count: number]> => {
  let level = 1;
  while (leavesBelow(level + 1) <= width) level += 1;
  const first = at / leavesBelow(level);
  const key = tileKey(chain, level, Math.floor(first / tileRoots));
  const tile = await documents.get<TileBody>(historyCollection, key);
  const from = first % tileRoots;
  const count = width / leavesBelow(level);
  return [tile?.body.roots.slice(from, from + count).map(fromHex) ?? [], count];
};

/** Merkle root of a power of two of adjacent nodes of equal width. */
const perfectRoot = (sha256: Sha256, nodes: readonly Uint8Array[]): Uint8Array => {
  let level = nodes;
  while (level.length > 1) {
    level = level.flatMap((right, at) => {
      const left = level[at - 1];
      return at % 2 === 0 || left === undefined ? [] : [nodeHash(sha256, left, right)];
    });
  }
  const [root] = level;
  if (root === undefined) throw new RangeError('a subtree of the chain is not stored');
  return root;
};
