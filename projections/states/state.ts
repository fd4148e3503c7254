import type { StreamName, StoredEvent } from '../../kernel/ports.js';
import type { Document } from '../../kernel/documents.js';
import type { AnyProjection } from '../documents-model.js';
import { requireReadable } from '../read-model.js';
import type { StateMembers } from './masked-state.js';

/** State of one resource while its events are folded. */
export type StateFold = {
  /** Folds events in order of position, after all earlier ones. */
  readonly fold: (events: readonly StoredEvent[]) => void;
  /** Null: the resource does not exist yet, or was deleted. */
  readonly snapshot: () => StateMembers | null;
};

/** Identifies the resource: `projectId` where it is in a project and that is known. */
export type StateSubject = {
  readonly type: string;
  readonly id: string;
  readonly projectId: string | null;
  /** Stream of an event about it, where its own streams do not follow from its id. */
  readonly stream: StreamName | null;
};

/** Rules that fold the state of a resource type from its own events. */
export type StateDefinition = {
  /** Streams that hold these events. */
  readonly streams: (subject: StateSubject) => readonly StreamName[];
  readonly open: (subject: StateSubject) => StateFold;
  /** Cost of folding the event, and of showing a state that contains it; 1 unless it grows. */
  readonly weightOf?: (event: StoredEvent) => number;
};

/** A projection whose documents have these bodies. */
export type DocumentProjection<B> = Pick<AnyProjection, 'collection'> & {
  readonly evolve: (...args: never) => Document<B> | null;
};

/** Folded documents of a resource, by projection. */
export type FoldedDocuments = {
  /** The resource's own document. */
  readonly of: <B>(projection: DocumentProjection<B>) => Document<B> | null;
  readonly all: <B>(projection: DocumentProjection<B>) => ReadonlyMap<string, Document<B>>;
};

/** Documents by key, of each collection that events are folded into. */
export type DocumentFold = {
  /** Folds events in order of position, after all earlier ones. */
  readonly fold: (events: readonly StoredEvent[]) => void;
  readonly has: (collection: string) => boolean;
  readonly of: (collection: string) => ReadonlyMap<string, Document>;
};

/** Folds in memory: each event goes through the projections that subscribe to it, as for lists. */
export const openDocumentFold = (projections: readonly AnyProjection[]): DocumentFold => {
  const documents = new Map<string, Map<string, Document>>();
  const evolve = (projection: AnyProjection, event: StoredEvent): void => {
    if (!Object.hasOwn(projection.events, event.type)) return;
    const { name } = projection.collection;
    const known = documents.get(name) ?? new Map<string, Document>();
    documents.set(name, known);
    for (const key of projection.keys(event as never)) {
      const after = projection.evolve((known.get(key) ?? null) as never, event as never, key);
      if (after === null) known.delete(key);
      else known.set(key, after);
    }
  };
  return {
    fold: (events) => {
      for (const event of events) {
        for (const projection of projections) evolve(projection, requireReadable(event));
      }
    },
    has: (name) => projections.some(({ collection }) => collection.name === name),
    of: (name) => documents.get(name) ?? new Map<string, Document>(),
  };
};

/** State composed of documents. `keyOf`: key of the resource's document in each projection. */
export const documentState = (
  projections: readonly AnyProjection[],
  show: (found: FoldedDocuments) => StateMembers | null,
  keyOf: string,
): StateFold => {
  const { fold, of } = openDocumentFold(projections);
  return {
    fold,
    snapshot: () => {
      const all: FoldedDocuments['all'] = <B>({ collection }: DocumentProjection<B>) =>
        of(collection.name) as ReadonlyMap<string, Document<B>>;
      return show({ all, of: (projection) => all(projection).get(keyOf) ?? null });
    },
  };
};
