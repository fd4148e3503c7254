import type { DatasetEvent, DatasetRowsEvent } from '../events/datasets.js';
import type { Row } from '../kernel/dataset-content.js';
import { unreachable } from '../kernel/decision.js';
import type { Projection } from './projection.js';

type Seen = DatasetRowsEvent | Extract<DatasetEvent, { readonly type: 'DatasetRowsErased' }>;

export const chunkKey = (content: string, chunk: number): string => `${content}/${chunk}`;

/**
 * The chunks that versions are made of, in the scope of their dataset. They never change; which
 * ones make a version, projections/dataset-versions.ts knows.
 */
export const datasetRows: Projection<Seen, readonly Row[]> = {
  collection: { name: 'dataset_rows', version: 1, fields: {} },
  types: ['DatasetRowsStored', 'DatasetRowsErased'],
  keys: ({ type, data }) =>
    type === 'DatasetRowsStored'
      ? [chunkKey(data.content_id, data.chunk)]
      : data.contents.flatMap(({ content_id, chunks }) =>
          Array.from({ length: chunks }, (_, chunk) => chunkKey(content_id, chunk)),
        ),
  evolve: (_document, { type, data }, key) => {
    switch (type) {
      case 'DatasetRowsStored':
        return { key, scope: data.dataset_id, fields: {}, body: data.rows };
      case 'DatasetRowsErased':
        return null;
      default:
        return unreachable(type);
    }
  },
};
