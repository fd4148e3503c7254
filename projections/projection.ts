import type { Collection, Document, Event, Recorded } from '../kernel/ports.js';

/**
 * A pure keyed fold over the log into one Documents collection. `keys` names the documents that an
 * event touches; `evolve` gives the document after the event, null = no document. Bump
 * `collection.version` and every node rebuilds it from the first event, beside the live one.
 */
export type Projection<E extends Event = Event, B = unknown> = {
  readonly collection: Collection;
  /** With what documents go, apart from what `evolve` says. */
  readonly goesWith?: GoesWith;
  /** The event types it listens to: the union's discriminants. */
  readonly types: readonly E['type'][];
  readonly keys: (event: Recorded<E>) => readonly string[];
  readonly evolve: (
    document: Document<B> | null,
    event: Recorded<E>,
    key: string,
  ) => Document<B> | null;
};

/**
 * `scope`: a project; all in its scope goes with it. `key`: the run, or the project, that the key
 * names. They go when it is deleted and again when its erasure begins and ends: by then the
 * deletion itself may be erased, and something may have come late.
 */
export type GoesWith = {
  readonly scope?: 'project';
  readonly key?: 'run' | 'project';
};
