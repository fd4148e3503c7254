import type { QueryContext, Position } from '../ports.js';
import type { Instant } from '../schema-types.js';
import type { ChainedEvent } from './chain.js';
import type { CompactRange } from './merkle-tree.js';

/**
 * Whose events are counted and hashed together: an organisation's id, or `system` for what belongs
 * to the service or to several organisations.
 */
export type ChainName = string;
export const systemChain: ChainName = 'system';

/** What an event is about (contract 5.14, table and rule 1). */
export type HistoryResource = {
  readonly type: string;
  readonly id: string;
};

/** An event in its chain, without its content. */
export type ChainEntry = ChainedEvent & {
  /** 1, 2, 3 … in its chain, in the order of positions. */
  readonly seq: number;
  readonly position: Position;
  readonly resource: HistoryResource;
  readonly projectId: string | null;
  /** Storage that nobody asks about: it is listed only with `technical` (contract 5.14). */
  readonly technical: boolean;
  /** Of the entry before, or 64 zeros; lower-case hex as all here. */
  readonly prevHash: string;
  readonly hash: string;
};

/** A chain up to its last entry. */
export type ChainHead = {
  readonly chain: ChainName;
  /** `seq` of the last entry; also how many leaves the tree has. */
  readonly size: number;
  readonly position: Position;
  readonly hash: string;
  /** Of the tree whose leaf n is `leafHash` of the hash of entry n + 1. */
  readonly range: CompactRange;
};

/** The chains as the read side has folded them; a reader of its own log waits for the position. */
export interface Chains {
  /** Null for a chain without entries. */
  head(chain: ChainName): Promise<ChainHead | null>;
  /** By name in code point order, those after `after`, at most `limit`. */
  heads(after: ChainName | null, limit: number): Promise<readonly ChainHead[]>;
  /** Entries `from` to `to` by `seq`, both included, as far as there are any. */
  entries(chain: ChainName, from: number, to: number): Promise<readonly ChainEntry[]>;
  /**
   * Root of the perfect subtree of leaves `at` to `at + width - 1`; `width` is a power of two that
   * divides `at`. Throws RangeError beyond the head.
   */
  subtree(chain: ChainName, at: number, width: number): Promise<Uint8Array>;
}

/** Which entries of a chain are wanted; of every list that is there any, of all lists each. */
export type ChainQuery = {
  /** `seq` of the first one to look at; null: the first of the chain, or the last. */
  readonly at: number | null;
  readonly ascending: boolean;
  readonly limit: number;
  /** Technical ones too. */
  readonly technical: boolean;
  readonly types?: readonly string[];
  /** Ids of users and keys. */
  readonly actors?: readonly string[];
  readonly projects?: readonly string[];
  readonly resourceTypes?: readonly string[];
  readonly resourceIds?: readonly string[];
  /** Nothing says which part of a chain has them: all of it is looked through. */
  readonly eventIds?: readonly string[];
  /** Both included. */
  readonly from?: Instant;
  readonly to?: Instant;
};
export type ChainPage = {
  /** In the order asked; may be fewer than the limit, or none, although there are more. */
  readonly entries: readonly ChainEntry[];
  /** `seq` where to go on looking; null at the end of the chain. */
  readonly next: number | null;
};

/** Lists of entries; one call looks at a bounded part of the chain. */
export interface ChainPages {
  page(chain: ChainName, question: ChainQuery, asking?: QueryContext): Promise<ChainPage>;
}
