import type { Position } from '../../kernel/ports.js';
import type { Collection, Document } from '../../kernel/documents.js';

export const things: Collection = {
  name: 'things',
  version: 1,
  fields: { name: 'text', created_at: 'date', size: 'number', is_red: 'boolean', owner: 'id' },
};
export const at = (place: number): Position => place.toString(16).padStart(16, '0') as Position;
export const mark = (place: number, fence = 1) => ({ position: at(place), fence });

export const writesOf = (...documents: readonly Document[]) =>
  documents.map((document) => ({ key: document.key, document }));
