import { Type } from 'typebox';
import type { Document } from '../../kernel/documents.js';
import { streamNameOf, type StoredEvent } from '../../kernel/ports.js';
import type { AnyProjection } from '../../projections/documents-model.js';
import { newEvent } from './projector.js';

/** A stream in which words are said. */
export const wordStream = (name: string) => streamNameOf('room', name);
export const wordSaid = (word: string) => newEvent('Said', { word });

/** Word count of a stream. */
export const wordCounts: AnyProjection = {
  collection: { name: 'words', version: 1, fields: {} },
  events: { Said: Type.Object({ word: Type.String() }) },
  keys: (event: StoredEvent) => [event.stream],
  evolve: (document: Document<number> | null, _event: StoredEvent, key: string) => ({
    key,
    scope: 's',
    fields: {},
    body: (document?.body ?? 0) + 1,
  }),
};
