import { datasetEvents, datasetRowsEvents } from '../events/datasets.js';
import { pickEvents } from '../events/schemas.js';
import type { ContentRow } from '../kernel/dataset-content.js';
import { unreachable } from '../kernel/decision.js';
import type { Projection } from './projection.js';

export const chunkKey = (content: string, chunk: number): string => `${content}/${chunk}`;

const events = { ...datasetRowsEvents, ...pickEvents(datasetEvents, 'DatasetRowsErased') };

/**
 * The chunks that dataset versions consist of, in the scope of their dataset. They never change;
 * projections/dataset-versions.ts lists the chunks of each version.
 */
export const datasetRows: Projection<typeof events, readonly ContentRow[]> = {
  collection: { name: 'dataset_rows', version: 1, fields: {} },
  events,
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
