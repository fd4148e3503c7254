import type { StreamName, Recorded } from '../../kernel/ports.js';
import type { Document } from '../../kernel/documents.js';
import type { AnyProjection } from '../documents-model.js';
import { readable } from '../read-model.js';
import type { ShownMembers } from './shown.js';

/** One resource while its events are folded. */
export type OpenState = {
  /** In the order of their positions, after all that were folded. */
  readonly fold: (events: readonly Recorded[]) => void;
  /** Null: there is no such resource, not yet or not any more. */
  readonly shown: () => ShownMembers | null;
};

/** Whose state it is: `projectId` where it is in a project and that is known. */
export type StateOf = {
  readonly type: string;
  readonly id: string;
  readonly projectId: string | null;
  /** Of an event about it, where its own streams do not follow from its id. */
  readonly stream: StreamName | null;
};

/** How the state of a kind of resource is folded from its own events. */
export type StateDefinition = {
  /** Where these are. */
  readonly streams: (subject: StateOf) => readonly StreamName[];
  readonly open: (subject: StateOf) => OpenState;
  /** What folding the event costs, and showing a state that it is part of; 1 unless it grows. */
  readonly weightOf?: (event: Recorded) => number;
};

/** A projection whose documents have these bodies. */
export type Folds<B> = Pick<AnyProjection, 'collection'> & {
  readonly evolve: (...args: never) => Document<B> | null;
};

/** What was folded of a resource, by projection. */
export type Documented = {
  /** Its own document. */
  readonly of: <B>(projection: Folds<B>) => Document<B> | null;
  readonly all: <B>(projection: Folds<B>) => ReadonlyMap<string, Document<B>>;
};

/** Documents by key, of each collection that events are folded into. */
export type DocumentFold = {
  /** In the order of their positions, after all that were folded. */
  readonly fold: (events: readonly Recorded[]) => void;
  readonly has: (collection: string) => boolean;
  readonly of: (collection: string) => ReadonlyMap<string, Document>;
};

/** Each event goes through the projections that listen to it, as it does when lists are folded. */
export const openDocumentFold = (projections: readonly AnyProjection[]): DocumentFold => {
  const documents = new Map<string, Map<string, Document>>();
  const evolve = (projection: AnyProjection, event: Recorded): void => {
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
        for (const projection of projections) evolve(projection, readable(event));
      }
    },
    has: (name) => projections.some(({ collection }) => collection.name === name),
    of: (name) => documents.get(name) ?? new Map<string, Document>(),
  };
};

/** A state made of documents. `keyOf`: which document of a projection is the resource's. */
export const documentState = (
  projections: readonly AnyProjection[],
  show: (found: Documented) => ShownMembers | null,
  keyOf: string,
): OpenState => {
  const { fold, of } = openDocumentFold(projections);
  return {
    fold,
    shown: () => {
      const all: Documented['all'] = <B>({ collection }: Folds<B>) =>
        of(collection.name) as ReadonlyMap<string, Document<B>>;
      return show({ all, of: (projection) => all(projection).get(keyOf) ?? null });
    },
  };
};
