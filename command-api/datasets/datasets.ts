import type { ColumnMappingInput } from '../../contract/datasets.js';
import type { ContentChanged, DatasetEvent, StoredMapping } from '../../events/datasets.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { DatasetId, ProjectId, RunId } from '../../kernel/schema-types.js';
import { currentVersion, type Dataset } from '../facts/datasets.js';
import { mappingOf, sameMapping, unknownColumns } from './column-mapping.js';

type DecideDataset = Decide<Dataset | null, DatasetEvent>;

type Creation = {
  readonly facts: Extract<DatasetEvent, { readonly type: 'DatasetCreated' }>['data'];
  readonly content: ContentChanged;
  readonly mapping: ColumnMappingInput | null;
};

/** Creates a dataset with its first version, linked to its home (contract 5.11). */
export const create =
  ({ facts, content, mapping }: Creation): DecideDataset =>
  (dataset) => {
    if (dataset !== null) return [];
    const unknown = mapping === null ? [] : unknownColumns(mapping, namesIn(content));
    if (unknown.length > 0) return reject('invalid', invalid, { complaints: unknown });
    const { dataset_id, project_id } = facts;
    return [
      { type: 'DatasetCreated', data: facts },
      { type: 'DatasetContentChanged', data: content },
      ...(project_id === null
        ? []
        : [{ type: 'DatasetLinked', data: { dataset_id, project_id, run_id: null } } as const]),
      ...(mapping === null ? [] : [columnsMapped(dataset_id, mappingOf(mapping))]),
    ];
  };

type Change = {
  readonly name: string | null;
  readonly mapping: ColumnMappingInput | null;
  readonly publish: boolean;
};

/** Applies those of the three changes that have an effect (contract 4.7, rule 1). */
export const change =
  ({ name, mapping, publish }: Change): DecideDataset =>
  (dataset) => {
    if (dataset?.live !== true) return datasetNotFound;
    const unknown =
      mapping === null ? [] : unknownColumns(mapping, namesIn(currentVersion(dataset)));
    if (unknown.length > 0) return reject('invalid', invalid, { complaints: unknown });
    const dataset_id = dataset.id;
    const after = mapping && mappingOf(mapping);
    const events: DatasetEvent[] = [];
    if (name !== null && name !== dataset.name) {
      events.push({ type: 'DatasetRenamed', data: { dataset_id, name } });
    }
    if (after !== null && !sameMapping(after, dataset.mapping)) {
      events.push(columnsMapped(dataset_id, after));
    }
    if (publish && dataset.draft) events.push({ type: 'DatasetPublished', data: { dataset_id } });
    return events;
  };

/** Adds a version. `mapping`: the column mapping after removed and renamed columns. */
export const changeContent =
  (content: ContentChanged, mapping: StoredMapping | null): DecideDataset =>
  (dataset) => {
    if (dataset?.live !== true) return datasetNotFound;
    if (hasChange(dataset, [content.content_id])) return [];
    return [
      { type: 'DatasetContentChanged', data: content },
      ...(mapping === null || sameMapping(mapping, dataset.mapping)
        ? []
        : [columnsMapped(dataset.id, mapping)]),
    ];
  };

export const hasChange = ({ versions }: Dataset, contents: readonly string[]): boolean =>
  versions.some(({ content_id }) => contents.includes(content_id));

/** Links a project. `run`: the experiment that uses the dataset; null: an explicit link. */
export const link =
  (project: ProjectId, run: RunId | null): DecideDataset =>
  (dataset) => {
    if (dataset?.live !== true) return datasetNotFound;
    if (dataset.links.get(project)?.has(run) === true) return [];
    const { id: dataset_id } = dataset;
    return [{ type: 'DatasetLinked', data: { dataset_id, project_id: project, run_id: run } }];
  };

/**
 * Unlinks a project. The home project stays (contract 5.11), and so does a project whose
 * experiments use the dataset.
 */
export const unlink =
  (project: ProjectId, run: RunId | null): DecideDataset =>
  (dataset) => {
    if (dataset?.live !== true) return datasetNotFound;
    if (run === null && dataset.home === project) {
      return reject('conflict', 'The home project of a dataset stays linked');
    }
    if (dataset.links.get(project)?.has(run) !== true) return [];
    const { id: dataset_id } = dataset;
    return [{ type: 'DatasetUnlinked', data: { dataset_id, project_id: project, run_id: run } }];
  };

export const remove = (): DecideDataset => (dataset) =>
  dataset?.live !== true
    ? []
    : [
        {
          type: 'DatasetDeleted',
          data: { dataset_id: dataset.id, versions: dataset.versions.length },
        },
      ];

const columnsMapped = (dataset_id: DatasetId, column_mapping: StoredMapping): DatasetEvent => ({
  type: 'ColumnMappingChanged',
  data: { dataset_id, column_mapping },
});

const namesIn = ({ columns }: Pick<ContentChanged, 'columns'>): ReadonlySet<string> =>
  new Set(columns.map(({ name }) => name));

const invalid = 'The request is not valid';
const datasetNotFound = reject('not-found', 'Dataset not found');
