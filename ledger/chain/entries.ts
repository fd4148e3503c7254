import type { QueryContext, Position } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { ChainedEvent } from './chain.js';
import type { CompactRange } from './merkle-tree.js';

/**
 * Name of a hash chain, in which events are counted and hashed together: an organisation's id, or
 * `system` for events of the service or of several organisations.
 */
export type ChainName = string;
export const systemChain: ChainName = 'system';

/** Resource that an event is about (contract 5.14, table and rule 1). */
export type HistoryResource = {
  readonly type: string;
  readonly id: string;
};

/** Entry of a chain: an event without its content. */
export type ChainEntry = ChainedEvent & {
  /** 1, 2, 3 … in its chain, in the order of positions. */
  readonly seq: number;
  readonly position: Position;
  readonly resource: HistoryResource;
  readonly projectId: string | null;
  /** Internal storage event: listed only with `technical` (contract 5.14). */
  readonly technical: boolean;
  /** Hash of the previous entry, or 64 zeros; lower-case hex as all here. */
  readonly prevHash: string;
  readonly hash: string;
};

/** Head of a chain: its state up to the last entry. */
export type ChainHead = {
  readonly chain: ChainName;
  /** `seq` of the last entry; also the number of leaves of the tree. */
  readonly size: number;
  readonly position: Position;
  readonly hash: string;
  /** Compact range of the tree whose leaf n is `leafHash` of the hash of entry n + 1. */
  readonly range: CompactRange;
};

/** Chains as folded by the read side; read-your-writes requires waiting for the position. */
export interface Chains {
  /** Null for a chain without entries. */
  head(chain: ChainName): Promise<ChainHead | null>;
  /** Heads after `after` by name in code point order (keyset pagination), at most `limit`. */
  heads(after: ChainName | null, limit: number): Promise<readonly ChainHead[]>;
  /** Entries `from` to `to` by `seq`, both included, as far as there are any. */
  entries(chain: ChainName, from: number, to: number): Promise<readonly ChainEntry[]>;
  /**
   * Root of the perfect subtree of leaves `at` to `at + width - 1`; `width` is a power of two that
   * divides `at`. Throws RangeError beyond the head.
   */
  subtree(chain: ChainName, at: number, width: number): Promise<Uint8Array>;
}

/** Query for entries of a chain: any value of each list, and all lists together. */
export type ChainQuery = {
  /** Cursor: `seq` to start at; null: the first entry of the chain, or the last. */
  readonly at: number | null;
  readonly ascending: boolean;
  readonly limit: number;
  /** Includes technical entries. */
  readonly technical: boolean;
  readonly types?: readonly string[];
  /** User and key ids. */
  readonly actors?: readonly string[];
  readonly projects?: readonly string[];
  readonly resourceTypes?: readonly string[];
  readonly resourceIds?: readonly string[];
  /** Not indexed: the whole chain is scanned. */
  readonly eventIds?: readonly string[];
  /** Time range, both ends included. */
  readonly from?: Instant;
  readonly to?: Instant;
};
export type ChainPage = {
  /**
   * Entries in the requested order; may be fewer than the limit, or empty, although more follow.
   */
  readonly entries: readonly ChainEntry[];
  /** Cursor: `seq` to continue at; null at the end of the chain. */
  readonly next: number | null;
};

/** Pages of entries; one call scans a bounded part of the chain. */
export interface ChainPages {
  page(chain: ChainName, question: ChainQuery, context?: QueryContext): Promise<ChainPage>;
}
