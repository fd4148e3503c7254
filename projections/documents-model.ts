import type { EventSchemas } from '../events/schemas.js';
import type { Recorded } from '../kernel/ports.js';
import type { Document, Documents, DocumentWrite } from '../kernel/documents.js';
import { endingOf, endingTypes, type Ending } from './endings.js';
import type { GoesWith, Projection } from './projection.js';
import {
  poison,
  readable,
  unreadableType,
  type Folded,
  type Poison,
  type Sink,
  type ReadModel,
  type Unreadable,
} from './read-model.js';

/**
 * The definition without its types: the runner knows events only by the names that a projection
 * listens to.
 */
export type AnyProjection = Pick<Projection, 'collection' | 'goesWith'> & {
  readonly events: EventSchemas;
  readonly keys: (event: never) => readonly string[];
  readonly evolve: (document: never, event: never, key: string) => Document | null;
};

export const documentsSource = (documents: Documents, projection: AnyProjection): ReadModel => ({
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

export const listenedTypes = ({
  goesWith,
  events,
}: Pick<AnyProjection, 'goesWith' | 'events'>): readonly string[] => [
  ...Object.keys(events),
  ...(goesWith === undefined ? [] : endingTypes),
];

const sinkOf = (documents: Documents, projection: AnyProjection): Sink => {
  const { collection } = projection;
  return {
    name: collection.name,
    parks: true,
    version: collection.version,
    types: listenedTypes(projection),
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
  events: readonly Recorded[],
): Promise<Folded> => {
  const { goesWith = {}, events: folded } = projection;
  const poisons = new Map<string, Poison>();
  const touched: Touched[] = [];
  for (const event of events) {
    const ending = endingFor(goesWith, event);
    const isFolded = Object.hasOwn(folded, typeOf(event));
    if ((!isFolded && ending === null) || poisons.has(event.stream)) continue;
    try {
      const keys = isFolded ? projection.keys(readable(event) as never) : [];
      touched.push({ event, keys, ending });
    } catch (error) {
      poisons.set(event.stream, poison(event, error));
    }
  }
  const keys = [...new Set(touched.flatMap((one) => [...one.keys, ...keyOf(goesWith, one)]))];
  const current = new Map<string, Document | null>(
    keys.length === 0 ? [] : await documents.load(projection.collection, keys),
  );
  const changed = new Set<string>();
  const gone = new Set<string>();
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
    for (const key of keyOf(goesWith, one)) put(key, null);
    if (one.ending === null || goesWith.scope !== one.ending.what) continue;
    gone.add(one.ending.id);
    for (const [key, document] of current) if (document?.scope === one.ending.id) put(key, null);
  }
  const writes: DocumentWrite[] = [...changed].map((key) => ({
    key,
    document: current.get(key) ?? null,
  }));
  return {
    apply: (checkpoint) => documents.apply(projection.collection, writes, checkpoint, [...gone]),
    poisons: [...poisons.values()],
    gap: null,
  };
};

type Touched = {
  readonly event: Recorded;
  readonly keys: readonly string[];
  readonly ending: Ending | null;
};

const endingFor = ({ scope, key }: GoesWith, event: Recorded): Ending | null => {
  const ending = scope === undefined && key === undefined ? null : endingOf(event);
  return ending !== null && (ending.what === scope || ending.what === key) ? ending : null;
};

const keyOf = ({ key }: GoesWith, { ending }: Touched): readonly string[] =>
  ending !== null && ending.what === key ? [ending.id] : [];

const typeOf = (event: Recorded): string =>
  event.type === unreadableType ? (event.data as Unreadable).type : event.type;
