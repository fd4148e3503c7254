import type { DatasetEvent } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { EventLog, StreamName } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { loadStreamState, transact } from '../../kernel/transact.js';
import { datasets, datasetStream, rowsPrefix, type Dataset } from '../facts/datasets.js';
import type { DeletedResource } from './resource-erasures.js';

/**
 * A deleted dataset: its rows are erased. Its own stream first names the chunks to erase, so that
 * read models drop them.
 */
export const deletedDatasets = (log: EventLog): DeletedResource<DatasetId> => {
  const load = (id: DatasetId) => loadStreamState(log, datasetStream(id), datasets);
  return {
    deletion: 'DatasetDeleted',
    idOf: async (event) => {
      const { dataset_id: id } = (event as unknown as DatasetDeletedEvent).data;
      const { state } = await load(id);
      return state?.erased === true ? null : id;
    },
    prefixOf: rowsPrefix,
    recordErased: async (id, streams, authorship) => {
      const { state } = await load(id);
      const contents = await Promise.all(streams.map((name) => erasedContent(log, state, name)));
      const decide = recordRowsErased(contents);
      return transact(log, datasetStream(id), datasets, decide, authorship);
    },
    recordComplete: (id, authorship) =>
      transact(log, datasetStream(id), datasets, completeDatasetErasure(), authorship),
  };
};

type DatasetDeletedEvent = Extract<DatasetEvent, { readonly type: 'DatasetDeleted' }>;

const erasedContent = async (log: EventLog, dataset: Dataset | null, name: StreamName) => {
  const content = name.slice(-uuidLength) as ContentId;
  const chunks = chunksNamed(dataset, content) ?? (await log.read(name)).length;
  return { content_id: content, chunks };
};

/** Length of a content id, with which the stream's name ends. */
const uuidLength = 36;

/**
 * Number of chunks of a content, from the first version that names it; null when no version does.
 */
const chunksNamed = (dataset: Dataset | null, content: ContentId): number | null => {
  const version = dataset?.versions.find(({ parts }) =>
    parts.some((part) => part.content === content),
  );
  if (version === undefined) return null;
  return version.parts
    .filter((part) => part.content === content)
    .reduce((count, { first, sizes }) => Math.max(count, first + sizes.length), 0);
};

type Contents = Extract<DatasetEvent, { readonly type: 'DatasetRowsErased' }>['data']['contents'];

/** Records contents as erased, except those recorded already. */
export const recordRowsErased =
  (contents: Contents): Decide<Dataset | null, DatasetEvent> =>
  (dataset) => {
    if (dataset === null || dataset.live) return reject('conflict', 'The dataset lives');
    const left = contents.filter(({ content_id: id }) => !dataset.erasedContents.has(id));
    if (left.length === 0) return [];
    const data = { dataset_id: dataset.id, contents: left };
    return [{ type: 'DatasetRowsErased', data }];
  };

export const completeDatasetErasure = (): Decide<Dataset | null, DatasetEvent> => (dataset) => {
  if (dataset === null || dataset.live) return reject('conflict', 'The dataset lives');
  return dataset.erased ? [] : [{ type: 'DatasetErased', data: { dataset_id: dataset.id } }];
};
