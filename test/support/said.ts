import { Type } from 'typebox';
import type { Document } from '../../kernel/documents.js';
import { stream, type Recorded } from '../../kernel/ports.js';
import type { AnyProjection } from '../../projections/documents-model.js';
import { newEvent } from './projector.js';

/** A stream in which words are said. */
export const room = (name: string) => stream('room', name);
export const said = (word: string) => newEvent('Said', { word });

/** How many words were said in a stream. */
export const wordsCounted: AnyProjection = {
  collection: { name: 'words', version: 1, fields: {} },
  events: { Said: Type.Object({ word: Type.String() }) },
  keys: (event: Recorded) => [event.stream],
  evolve: (document: Document<number> | null, _event: Recorded, key: string) => ({
    key,
    scope: 's',
    fields: {},
    body: (document?.body ?? 0) + 1,
  }),
};
