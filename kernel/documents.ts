import { Fault } from './fault.js';
import type { Filter } from './filter.js';
import type { FilterKind } from './records/record.js';
import type { Instant, Json } from './schema-types.js';
import type { Position, QueryContext } from './ports.js';
import type { QueryTable } from './query-methods.js';

/**
 * Name, or prefix of the names, of the collections that hold a projector's own state. They follow
 * no log: their position counts their writes.
 */
export const projectorStateName = 'projector_state';

/** Keyed read model. `fields` are the members that it can be filtered and sorted by. */
export type Collection = {
  readonly name: string;
  readonly version: number;
  readonly fields: Readonly<Record<string, FilterKind>>;
};
export type Document<B = unknown> = {
  readonly key: string;
  /**
   * Tenant: an organisation or project id. Every `find` names it, so a handler cannot forget it.
   */
  readonly scope: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly body: B;
};
export type FieldValue = string | number | boolean | null;
export type DocumentQuery = {
  readonly scope: string;
  readonly filter?: Filter | null;
  /** Default: `created_at` descending. Ties and missing values: contract 3.8. */
  readonly sort?: SortOrder | null;
  readonly offset?: number;
  readonly limit: number;
};
export type SortOrder = { readonly column: string; readonly ascending: boolean };
export type DocumentPage<B> = {
  readonly documents: readonly Document<B>[];
  readonly more: boolean;
};
/** Write of one key; a null document deletes it. */
export type DocumentWrite = { readonly key: string; readonly document: Document | null };
/**
 * Checkpoint of a read model: its position, and the fencing token of its writer. The token `fence`
 * grows with each lease; a write under an older one throws Fault `conflict`. A checkpoint counts as
 * passed, and its batch changes nothing, when the stored position is later, or is equal under the
 * same token. Under a newer token an equal position is written again, so that a retried stream is
 * folded although the log has no new events.
 */
export type Checkpoint = {
  readonly position: Position;
  readonly fence: number;
  /**
   * Position of the store when the batch was folded (optimistic concurrency). A store at another
   * position refuses with Fault `conflict`: it lost data, or another writer came first.
   */
  readonly after?: Position;
};

/** Throws Fault `conflict` for a batch that was folded from another position than this one. */
export const checkBasePosition = ({ after }: Checkpoint, position: Position): void => {
  if (after === undefined || after === position) return;
  throw new Fault(
    'conflict',
    `the store is at ${position}, but this batch was folded from ${after}`,
  );
};

/**
 * Document store: keyed JSON. `apply` writes documents and checkpoint atomically; after a crash
 * both are there or neither. Repeating a checkpoint that was passed changes nothing.
 */
export interface Documents {
  /**
   * Time since which deleted content waits for its removal from the files; null: nothing waits.
   * Only engines that own their files have it.
   */
  erasingSince?(): Instant | null;
  /** Damage found on the disk, and what to do; null or absent: none. */
  damage?(): string | null;
  /** Position of the last write; `logStart` for a collection (name and version) without writes. */
  checkpoint(collection: Collection): Promise<Position>;
  get<B>(collection: Collection, key: string, context?: QueryContext): Promise<Document<B> | null>;
  load(
    collection: Collection,
    keys: readonly string[],
    context?: QueryContext,
  ): Promise<ReadonlyMap<string, Document>>;
  find<B>(
    collection: Collection,
    query: DocumentQuery,
    context?: QueryContext,
  ): Promise<DocumentPage<B>>;
  /** Removes all documents of the scopes in `gone`, however many, before it writes anything. */
  apply(
    collection: Collection,
    writes: readonly DocumentWrite[],
    checkpoint: Checkpoint,
    gone?: readonly string[],
  ): Promise<void>;
  dump(collection: Collection): AsyncIterable<DumpItem>;
  /** Empty shadow copy of one collection; its `model` knows that collection only. */
  shadow(collection: Collection, copying?: ShadowOptions): Promise<Shadow<Documents>>;
  /**
   * The durable shadow copy with that id, as far as it was written; null if this version has none.
   */
  resume(collection: Collection, id: string): Promise<Shadow<Documents> | null>;
  /** Warning for operators about how safely this engine keeps data; null = none. */
  durabilityWarning(): string | null;
  close(): Promise<void>;
}

/** Queries of documents (see QueryTable). */
export const documentQueries = {
  get: { kind: 'lookup', contextAt: 2 },
  load: { kind: 'lookup', contextAt: 2 },
  find: { kind: 'lookup', contextAt: 2 },
} as const satisfies QueryTable<Pick<Documents, 'get' | 'load' | 'find'>>;

/**
 * `durable`: the copy outlives its process and can be resumed until it is promoted or discarded,
 * another durable copy of the same read model is begun, or it was not written for a day. Any other
 * copy may be lost with the process. `reference`: it is folded by the plainest way, so that its
 * comparison with the live one tests the faster way too.
 */
export type ShadowOptions = { readonly durable?: boolean; readonly reference?: boolean };

/**
 * Shadow copy of a read model, built next to the live one. Once readers were switched to it,
 * `discard` and `detach` have no effect, even when `promote` reported a failure.
 */
export interface Shadow<M> {
  /** Id under which `resume` finds the copy. */
  readonly id: string;
  readonly model: M;
  /** Switches readers to the copy in one step and drops the old one. */
  promote(): Promise<void>;
  discard(): Promise<void>;
  /** Ends the use of this handle until `resume`. */
  detach(): Promise<void>;
}
/**
 * One item of a read model in canonical form, in code point order of keys; `verify` compares dumps.
 */
export type DumpItem = { readonly key: string; readonly value: Json };
