import type { EventSchemas } from '../events/schemas.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Document, Documents, DocumentWrite } from '../kernel/documents.js';
import { tombstoneOf, tombstoneTypes, type Tombstone } from './tombstones.js';
import type { DeletedWith, Projection } from './projection.js';
import {
  poison,
  requireReadable,
  unreadableType,
  type FoldResult,
  type Poison,
  type Sink,
  type ReadModel,
  type Unreadable,
} from './read-model.js';

/**
 * A projection without its types: the runner identifies events by the type names that a projection
 * subscribes to.
 */
export type AnyProjection = Pick<Projection, 'collection' | 'deletedWith'> & {
  readonly projectState?: {
    readonly member: string;
    readonly show: (body: never) => unknown;
  };
  readonly events: EventSchemas;
  readonly keys: (event: never) => readonly string[];
  readonly evolve: (document: never, event: never, key: string) => Document | null;
};

export const documentsReadModel = (documents: Documents, projection: AnyProjection): ReadModel => ({
  ...sinkOf(documents, projection),
  shadow: async (copying) => {
    const copy = await documents.shadow(projection.collection, copying);
    return { ...copy, model: sinkOf(copy.model, projection) };
  },
  resume: async (id) => {
    const copy = await documents.resume(projection.collection, id);
    return copy === null ? null : { ...copy, model: sinkOf(copy.model, projection) };
  },
});

export const subscribedTypes = ({
  deletedWith,
  events,
}: Pick<AnyProjection, 'deletedWith' | 'events'>): readonly string[] => [
  ...Object.keys(events),
  ...(deletedWith === undefined ? [] : tombstoneTypes),
];

const sinkOf = (documents: Documents, projection: AnyProjection): Sink => {
  const { collection } = projection;
  return {
    name: collection.name,
    canPark: true,
    version: collection.version,
    eventTypes: subscribedTypes(projection),
    checkpoint: () => documents.checkpoint(collection),
    dump: () => documents.dump(collection),
    fold: async (events, applied) => {
      await applied;
      return fold(documents, projection, events);
    },
  };
};

const fold = async (
  documents: Documents,
  projection: AnyProjection,
  events: readonly StoredEvent[],
): Promise<FoldResult> => {
  const { deletedWith = {}, events: folded } = projection;
  const poisons = new Map<string, Poison>();
  const touched: TouchedKeys[] = [];
  for (const event of events) {
    const tombstone = tombstoneFor(deletedWith, event);
    const isFolded = Object.hasOwn(folded, originalTypeOf(event));
    if ((!isFolded && tombstone === null) || poisons.has(event.stream)) continue;
    try {
      const keys = isFolded ? projection.keys(requireReadable(event) as never) : [];
      touched.push({ event, keys, tombstone });
    } catch (error) {
      poisons.set(event.stream, poison(event, error));
    }
  }
  const keys = [...new Set(touched.flatMap((one) => [...one.keys, ...keyOf(deletedWith, one)]))];
  const current = new Map<string, Document | null>(
    keys.length === 0 ? [] : await documents.load(projection.collection, keys),
  );
  const changed = new Set<string>();
  const deletedScopes = new Set<string>();
  const put = (key: string, document: Document | null): void => {
    current.set(key, document);
    changed.add(key);
  };
  for (const one of touched) {
    const { event } = one;
    const known = poisons.get(event.stream);
    if (known !== undefined && known.revision <= event.revision) continue;
    try {
      const after = one.keys.map((key) =>
        projection.evolve((current.get(key) ?? null) as never, event as never, key),
      );
      one.keys.forEach((key, index) => put(key, after[index] ?? null));
    } catch (error) {
      poisons.set(event.stream, poison(event, error));
    }
    for (const key of keyOf(deletedWith, one)) put(key, null);
    if (one.tombstone === null || deletedWith.scope !== one.tombstone.kind) continue;
    deletedScopes.add(one.tombstone.id);
    for (const [key, document] of current) if (document?.scope === one.tombstone.id) put(key, null);
  }
  const writes: DocumentWrite[] = [...changed].map((key) => ({
    key,
    document: current.get(key) ?? null,
  }));
  return {
    apply: (checkpoint) =>
      documents.apply(projection.collection, writes, checkpoint, [...deletedScopes]),
    poisons: [...poisons.values()],
    gap: null,
  };
};

type TouchedKeys = {
  readonly event: StoredEvent;
  readonly keys: readonly string[];
  readonly tombstone: Tombstone | null;
};

const tombstoneFor = ({ scope, key }: DeletedWith, event: StoredEvent): Tombstone | null => {
  const tombstone = scope === undefined && key === undefined ? null : tombstoneOf(event);
  return tombstone !== null && (tombstone.kind === scope || tombstone.kind === key)
    ? tombstone
    : null;
};

const keyOf = ({ key }: DeletedWith, { tombstone }: TouchedKeys): readonly string[] =>
  tombstone !== null && tombstone.kind === key ? [tombstone.id] : [];

const originalTypeOf = (event: StoredEvent): string =>
  event.type === unreadableType ? (event.data as Unreadable).type : event.type;
