import { expect } from 'chai';
import type { EventOf, EventSchemas } from '../../events/schemas.js';
import type { StoredEvent } from '../../kernel/ports.js';
import type { Document } from '../../kernel/documents.js';
import type { Projection } from '../../projections/projection.js';
import { recordedAt } from './test-log.js';

const fold = <M extends EventSchemas, B>(
  { keys, evolve }: Projection<M, B>,
  events: readonly StoredEvent<EventOf<M>>[],
): readonly Document<B>[] => {
  const documents = new Map<string, Document<B> | null>();
  for (const event of events) {
    for (const key of keys(event)) {
      documents.set(key, evolve(documents.get(key) ?? null, event, key));
    }
  }
  return [...documents.values()].filter((document) => document !== null);
};

/** The documents of a history; the same when each event comes twice. */
export const documentsOf = <M extends EventSchemas, B>(
  projection: Projection<M, B>,
  ...events: readonly EventOf<M>[]
): readonly Document<B>[] => {
  const recorded = events.map((event, place) => recordedAt(place, event));
  const documents = fold(projection, recorded);
  expect(
    fold(
      projection,
      recorded.flatMap((event) => [event, event]),
    ),
  ).to.deep.equal(documents);
  expect(
    events.map(({ type }) => type).filter((type) => !Object.hasOwn(projection.events, type)),
  ).to.have.length(0);
  for (const { fields } of documents) {
    expect(Object.keys(fields)).to.have.members(Object.keys(projection.collection.fields));
  }
  return documents;
};
