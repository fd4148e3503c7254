import type { Document, Documents, DocumentWrite, Recorded } from '../kernel/ports.js';
import type { Projection } from './projection.js';
import {
  poison,
  readable,
  unreadableType,
  type Folded,
  type Poison,
  type Sink,
  type Source,
  type Unreadable,
} from './source.js';

/**
 * The definition without its types: the runner knows events only by the names that a projection
 * lists.
 */
export type AnyProjection = Pick<Projection<never>, 'collection'> & {
  readonly types: readonly string[];
  readonly keys: (event: never) => readonly string[];
  readonly evolve: (document: never, event: never, key: string) => Document | null;
};

export const documentsSource = (documents: Documents, projection: AnyProjection): Source => ({
  ...sinkOf(documents, projection),
  beside: async () => {
    const copy = await documents.beside(projection.collection);
    return {
      model: sinkOf(copy.model, projection),
      adopt: () => copy.adopt(),
      discard: () => copy.discard(),
    };
  },
});

const sinkOf = (documents: Documents, projection: AnyProjection): Sink => {
  const { collection } = projection;
  return {
    name: collection.name,
    version: collection.version,
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
  const wanted = events.filter((event) => projection.types.includes(typeOf(event)));
  const poisons = new Map<string, Poison>();
  const touched: { readonly event: Recorded; readonly keys: readonly string[] }[] = [];
  for (const event of wanted) {
    if (poisons.has(event.stream)) continue;
    try {
      touched.push({ event, keys: projection.keys(readable(event) as never) });
    } catch (error) {
      poisons.set(event.stream, poison(event, error));
    }
  }
  const keys = [...new Set(touched.flatMap((one) => one.keys))];
  const current = new Map<string, Document | null>(
    keys.length === 0 ? [] : await documents.load(projection.collection, keys),
  );
  const changed = new Set<string>();
  for (const { event, keys } of touched) {
    const known = poisons.get(event.stream);
    if (known !== undefined && known.revision <= event.revision) continue;
    try {
      const after = keys.map((key) =>
        projection.evolve((current.get(key) ?? null) as never, event as never, key),
      );
      keys.forEach((key, index) => {
        current.set(key, after[index] ?? null);
        changed.add(key);
      });
    } catch (error) {
      poisons.set(event.stream, poison(event, error));
    }
  }
  const writes: DocumentWrite[] = [...changed].map((key) => ({
    key,
    document: current.get(key) ?? null,
  }));
  return {
    apply: (mark) => documents.apply(projection.collection, writes, mark),
    poisons: [...poisons.values()],
    gap: null,
  };
};

const typeOf = (event: Recorded): string =>
  event.type === unreadableType ? (event.data as Unreadable).type : event.type;
