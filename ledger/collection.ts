import type { ChainName } from './chain/entries.js';
import type { Collection } from '../kernel/documents.js';

/**
 * The history collection: the log folded into chains (contract 5.14), all in one collection, so
 * that a batch is one step: heads, segments of entries, a directory document for each segment,
 * tiles of the tree, and facts about streams. The fields are those of `dir` documents; a head has
 * `chain` alone.
 */
export const historyCollection: Collection = {
  name: 'history',
  version: 2,
  fields: {
    chain: 'id',
    /** Positions of the first and last entry as numbers: below 2^53 on every engine. */
    first: 'number',
    last: 'number',
    first_seq: 'number',
    /** Entries are not ordered by time: the earliest and the latest. */
    from_at: 'date',
    to_at: 'date',
    /** `|x|y|`, in lower case, for `contains`; `|~x|~y|`, their ends, where there are many. */
    types: 'id',
    actors: 'id',
    projects: 'id',
    resource_types: 'id',
    resource_ids: 'id',
  },
};

/** Entries of a segment: half a level-0 tile, so that a segment is a perfect subtree. */
export const segmentEntries = 128;
/** Roots in a tile, as in C2SP tlog-tiles; the leaves of the lowest tile are two segments. */
export const tileRoots = 256;

export const headsScope = 'heads';
export const segmentsScope = 'segments';
export const streamFactsScope = 'places';
export const tilesScope = (chain: ChainName): string => `tiles/${chain}`;

const paddedHex = (number: number): string => number.toString(16).padStart(8, '0');

export const headKey = (chain: ChainName): string => `head/${chain}`;
export const dirKey = (chain: ChainName, number: number): string =>
  `dir/${chain}/${paddedHex(number)}`;
export const segmentKey = (chain: ChainName, number: number): string =>
  `seg/${chain}/${paddedHex(number)}`;
export const tileKey = (chain: ChainName, level: number, number: number): string =>
  `tile/${chain}/${level}/${paddedHex(number)}`;
export const streamFactsKey = (stream: string): string => `place/${stream}`;

/** The number of the segment that holds the entry. */
export const segmentOf = (seq: number): number => Math.floor((seq - 1) / segmentEntries);
