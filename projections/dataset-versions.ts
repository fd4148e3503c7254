import type { VersionFacts } from '../contract/dataset-content.js';
import { datasetEvents } from '../events/datasets.js';
import { pickEvents } from '../events/schemas.js';
import type { DatasetColumn, ChunkRange } from '../kernel/dataset-content.js';
import { unreachable } from '../kernel/decision.js';
import type { Projection } from './projection.js';

/** `columns` and `parts` locate the rows of the version. */
export type StoredDatasetVersion = {
  readonly facts: VersionFacts;
  readonly columns: readonly DatasetColumn[];
  readonly parts: readonly ChunkRange[];
};

export const datasetVersionKey = (dataset: string, version: number): string =>
  `${dataset}/${version}`;

const events = pickEvents(datasetEvents, 'DatasetContentChanged', 'DatasetDeleted');

/** Every version of the live datasets, in the scope of its dataset: each stays readable. */
export const datasetVersions: Projection<typeof events, StoredDatasetVersion> = {
  collection: {
    name: 'dataset_versions',
    version: 1,
    fields: { version_index: 'number', created_at: 'date' },
  },
  events,
  keys: ({ type, data }) =>
    type === 'DatasetContentChanged'
      ? [datasetVersionKey(data.dataset_id, data.version_index)]
      : Array.from({ length: data.versions }, (_, index) =>
          datasetVersionKey(data.dataset_id, index + 1),
        ),
  evolve: (_document, { type, data }, key) => {
    switch (type) {
      case 'DatasetContentChanged': {
        const { dataset_id, version_index, created_at, columns, parts } = data;
        const { content_id: _content, source: _source, ...rest } = data;
        const { dataset_id: _dataset, columns: _columns, parts: _parts, ...facts } = rest;
        return {
          key,
          scope: dataset_id,
          fields: { version_index, created_at },
          body: {
            facts: { ...facts, column_names: columns.map(({ name }) => name) },
            columns,
            parts,
          },
        };
      }
      case 'DatasetDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};
