import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type {
  Collection,
  Document,
  Documents,
  DumpItem,
  FieldValue,
} from '../../kernel/documents.js';

export const sampleCollection: Collection = {
  name: 'things',
  version: 1,
  fields: { name: 'text', created_at: 'date', size: 'number', is_red: 'boolean', owner: 'id' },
};
export const positionAt = (place: number): Position =>
  place.toString(16).padStart(16, '0') as Position;
export const checkpointAt = (place: number, fence = 1) => ({ position: positionAt(place), fence });

export const writesOf = (...documents: readonly Document[]) =>
  documents.map((document) => ({ key: document.key, document }));

export const sampleDocument = (
  key: string,
  body: unknown = key,
  fields: Readonly<Record<string, FieldValue>> = {},
): Document => ({
  key,
  scope: 'here',
  fields: { name: null, created_at: null, size: null, is_red: null, owner: null, ...fields },
  body,
});

export const dumpAll = (
  documents: Documents,
  collection: Collection,
): Promise<readonly DumpItem[]> => Array.fromAsync(documents.dump(collection));
export const keysOf = async (
  documents: Documents,
  collection = sampleCollection,
): Promise<readonly string[]> => (await dumpAll(documents, collection)).map(({ key }) => key);

export const faultOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no fault',
    (error: unknown) => (error instanceof Fault ? error.code : `no Fault: ${String(error)}`),
  );
