import type { EventOf, EventSchemas } from '../events/schemas.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Collection, Document } from '../kernel/documents.js';

/**
 * A pure keyed fold over the log into one Documents collection. `keys` names the documents that an
 * event touches; `evolve` gives the document after the event, null = no document. Bump
 * `collection.version` and every node rebuilds it from the first event, beside the live one.
 */
export type Projection<M extends EventSchemas = EventSchemas, B = unknown> = {
  readonly collection: Collection;
  /** What takes documents away, apart from `evolve`. */
  readonly deletedWith?: DeletedWith;
  /** What it listens to: one that `evolve` forgets does not compile. */
  readonly events: M;
  readonly keys: (event: StoredEvent<EventOf<M>>) => readonly string[];
  readonly evolve: (
    document: Document<B> | null,
    event: StoredEvent<EventOf<M>>,
    key: string,
  ) => Document<B> | null;
};

/**
 * `scope`: a project; all in its scope goes with it. `key`: the run, or the project, that the key
 * names. They go when it is deleted and again when its erasure begins and ends: by then the
 * deletion itself may be erased, and something may have come late.
 */
export type DeletedWith = {
  readonly scope?: 'project';
  readonly key?: 'run' | 'project';
};
