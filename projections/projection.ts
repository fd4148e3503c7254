import type { EventOf, EventSchemas } from '../events/schemas.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Collection, Document } from '../kernel/documents.js';

/**
 * CQRS projection: a pure keyed fold over the log into one Documents collection. `keys` names the
 * documents that an event touches; `evolve` gives the document after the event, null = no document.
 * Bump `collection.version` and every node rebuilds it from the first event, beside the live one.
 */
export type Projection<M extends EventSchemas = EventSchemas, B = unknown> = {
  readonly collection: Collection;
  /** Deletes documents on tombstones, apart from `evolve`. */
  readonly deletedWith?: DeletedWith;
  /** Member of a project's state in history, from the document with the project's key, if any. */
  readonly projectState?: {
    readonly member: string;
    readonly show: (body: B | null) => unknown;
  };
  /** Subscribed event types: one that `evolve` does not handle fails to compile. */
  readonly events: M;
  readonly keys: (event: StoredEvent<EventOf<M>>) => readonly string[];
  readonly evolve: (
    document: Document<B> | null,
    event: StoredEvent<EventOf<M>>,
    key: string,
  ) => Document<B> | null;
};

/**
 * `scope`: deleting a project deletes all documents in its scope. `key`: deleting the run, or the
 * project, deletes the document with that key. Documents are deleted on the deletion event and
 * again when erasure begins and ends, since the deletion event may have been erased meanwhile, and
 * late events may have arrived.
 */
export type DeletedWith = {
  readonly scope?: 'project';
  readonly key?: 'run' | 'project';
};
