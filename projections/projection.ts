import type { Collection, Document, Event, Recorded } from '../kernel/ports.js';

/**
 * A pure keyed fold over the log into one Documents collection. `keys` names the documents that an
 * event touches; `evolve` gives the document after the event, null = no document. Bump
 * `collection.version` and every node rebuilds it from the first event, beside the live one.
 */
export type Projection<E extends Event = Event, B = unknown> = {
  readonly collection: Collection;
  /** The event types it listens to: the union's discriminants. */
  readonly types: readonly E['type'][];
  readonly keys: (event: Recorded<E>) => readonly string[];
  readonly evolve: (
    document: Document<B> | null,
    event: Recorded<E>,
    key: string,
  ) => Document<B> | null;
};
