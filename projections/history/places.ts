import type { Document, DocumentWrite } from '../../kernel/documents.js';
import type { ChainName } from '../../kernel/history/entries.js';
import type { Envelope, StreamName } from '../../kernel/ports.js';
import { chainOf, chainSaid, witnessesOf } from './chain.js';
import { placeKey, placesScope } from './collection.js';
import { listedBy, rememberedFor, type ListedBy, type SeenEvent } from './resources.js';
import type { StreamPlace } from './resources.js';

/** What is remembered of a stream, all of it from its first event. */
type Remembered = {
  readonly listed: StreamPlace | null;
  readonly chain: ChainName | null;
};

/** Where an event belongs and what it is listed by. */
export type Placed = ListedBy & { readonly chain: ChainName };

/** Keys of what has to be loaded before these events are placed. */
export const placesAsked = (events: readonly SeenEvent[]): readonly string[] => {
  const names = new Set<StreamName>();
  for (const one of events) {
    const remembered = rememberedFor(one);
    if (remembered !== null) names.add(remembered);
    if (chainSaid(one.envelope) === null) for (const name of witnessesOf(one)) names.add(name);
  }
  return [...names].map(placeKey);
};

/** Places events in log order; what first events say is remembered for later ones. */
export type Places = {
  readonly place: (seen: SeenEvent) => Placed;
  readonly writes: () => readonly DocumentWrite[];
};

export const openPlaces = (loaded: ReadonlyMap<string, Document>): Places => {
  const changed = new Map<string, Remembered>();
  const known = (name: StreamName): Remembered | null => {
    const key = placeKey(name);
    return changed.get(key) ?? (loaded.get(key)?.body as Remembered | undefined) ?? null;
  };
  return {
    place: (seen) => {
      const { envelope } = seen;
      const chain = chainOf(seen, (name) => known(name)?.chain ?? null);
      const remembered = rememberedFor(seen);
      const place = remembered === null ? null : (known(remembered)?.listed ?? null);
      const { resource, projectId, technical } = listedBy(seen, chain, place);
      const placed: Placed = { resource, projectId, technical, chain };
      const first = envelope.revision === 0 ? firstSaid(envelope, remembered, placed) : null;
      if (first !== null) changed.set(placeKey(envelope.stream), first);
      return placed;
    },
    writes: () =>
      [...changed].map(([key, body]) => ({
        key,
        document: { key, scope: placesScope, fields: {}, body },
      })),
  };
};

/** Null: nobody will ask about the stream. */
const firstSaid = (
  envelope: Envelope,
  remembered: StreamName | null,
  { resource, projectId, technical, chain }: Placed,
): Remembered | null => {
  const isAsked = remembered === envelope.stream;
  // Of records and of what is technical the actor or the project knows it.
  const isWitness =
    chainSaid(envelope) === null &&
    !technical &&
    resource.type !== 'trace' &&
    resource.type !== 'session';
  if (!isAsked && !isWitness) return null;
  return { listed: isAsked ? { resource, projectId } : null, chain: isWitness ? chain : null };
};
