import { Fault } from './fault.js';
import type { Filter } from './filter.js';
import type { FilterKind } from './records/record.js';
import type { Instant, Json } from './schema-types.js';
import type { Position, QueryContext } from './ports.js';

/**
 * The collections of a projector's own state are called so, or begin so. They follow no log: their
 * position counts their writes.
 */
export const projectorStateName = 'projector_state';

/** A keyed read model. `fields` are what it can be filtered and sorted by. */
export type Collection = {
  readonly name: string;
  readonly version: number;
  readonly fields: Readonly<Record<string, FilterKind>>;
};
export type Document<B = unknown> = {
  readonly key: string;
  /**
   * Tenancy: an organisation or project id. Every `find` names it, so a handler cannot forget it.
   */
  readonly scope: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
  readonly body: B;
};
export type FieldValue = string | number | boolean | null;
export type DocumentQuery = {
  readonly scope: string;
  readonly filter?: Filter | null;
  /** Default: `created_at` descending. Ties and missing values as contract 3.8 has them. */
  readonly sort?: SortOrder | null;
  readonly offset?: number;
  readonly limit: number;
};
export type SortOrder = { readonly column: string; readonly ascending: boolean };
export type DocumentPage<B> = {
  readonly documents: readonly Document<B>[];
  readonly more: boolean;
};
/** A document of null removes the key. */
export type DocumentWrite = { readonly key: string; readonly document: Document | null };
/**
 * `fence` grows with each lease: a write under an older fence throws Fault `conflict`. A checkpoint
 * was passed when the checkpoint is further, or is the same position under the same fence; under a
 * newer fence the position is written once more, which is how a stream that was set aside comes
 * back on a quiet log.
 */
export type Checkpoint = {
  readonly position: Position;
  readonly fence: number;
  /**
   * Where the store was when the batch was folded. One that is elsewhere refuses with Fault
   * `conflict`: it lost data, or somebody else wrote meanwhile.
   */
  readonly after?: Position;
};

/** Throws Fault `conflict` for a batch that was folded onto another place than this one. */
export const checkBasePosition = ({ after }: Checkpoint, position: Position): void => {
  if (after === undefined || after === position) return;
  throw new Fault('conflict', `the store is at ${position}, and this was folded onto ${after}`);
};

/**
 * Keyed JSON. `apply` is one step with the checkpoint: after a crash both are there or neither. A
 * repeat of a checkpoint already passed changes nothing.
 */
export interface Documents {
  /** As of records: since when content that was deleted has waited to leave the files. */
  erasingSince?(): Instant | null;
  /** What was found damaged on the disk, and what to do; null or absent: nothing. */
  damage?(): string | null;
  /** `start` for a collection (name and version) that was never written. */
  checkpoint(collection: Collection): Promise<Position>;
  get<B>(collection: Collection, key: string, asking?: QueryContext): Promise<Document<B> | null>;
  load(
    collection: Collection,
    keys: readonly string[],
    asking?: QueryContext,
  ): Promise<ReadonlyMap<string, Document>>;
  find<B>(
    collection: Collection,
    query: DocumentQuery,
    asking?: QueryContext,
  ): Promise<DocumentPage<B>>;
  /**
   * All documents of the scopes in `gone` are removed, however many, before anything is written.
   */
  apply(
    collection: Collection,
    writes: readonly DocumentWrite[],
    checkpoint: Checkpoint,
    gone?: readonly string[],
  ): Promise<void>;
  dump(collection: Collection): AsyncIterable<DumpItem>;
  /** An empty copy of one collection; its `model` knows that collection only. */
  shadow(collection: Collection, copying?: ShadowOptions): Promise<Shadow<Documents>>;
  /** The lasting copy of that id as far as it was written. Null: there is none of this version. */
  resume(collection: Collection, id: string): Promise<Shadow<Documents> | null>;
  /** What an operator should know about how safely this engine keeps data; null = nothing. */
  durabilityWarning(): string | null;
  close(): Promise<void>;
}

/**
 * `durable`: the copy outlives its process, and can be resumed until it is promoted or discarded,
 * another lasting one of the same read model is begun, or nobody has written to it for a day. Any
 * other may be gone with the process.
 */
export type ShadowOptions = { readonly durable?: boolean };

/**
 * A copy of a read model that is built next to the live one. Once it is the live one itself,
 * `discard` and `detach` do nothing to it: also where `promote` failed and had switched all the
 * same.
 */
export interface Shadow<M> {
  /** What it is resumed by. */
  readonly id: string;
  readonly model: M;
  /** Switches readers to the copy in one step and drops the old one. */
  promote(): Promise<void>;
  discard(): Promise<void>;
  /** Nothing more is asked of it before it is resumed. */
  detach(): Promise<void>;
}
/**
 * One item of a read model in canonical form; `verify` compares dumps, so they come by key in code
 * point order.
 */
export type DumpItem = { readonly key: string; readonly value: Json };
