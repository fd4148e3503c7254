import type { ContentChanged, DatasetEvent, StoredMapping } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { streamNameOf, type EventReader, type StreamName } from '../../kernel/ports.js';
import type {
  DatasetId,
  Instant,
  OrganizationId,
  ProjectId,
  RunId,
  UserId,
} from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';

export const datasetStream = (id: string): StreamName => streamNameOf('dataset', id);
/** Common prefix of a dataset's rows, so that erasure finds all of them. */
export const rowsPrefix = (dataset: DatasetId): string =>
  `${streamNameOf('datasetrows', dataset)}-`;
export const rowsStream = (dataset: DatasetId, content: ContentId): StreamName =>
  streamNameOf('datasetrows', dataset, content);

/** State of a dataset; null before it was created. */
export type Dataset = {
  readonly id: DatasetId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly draft: boolean;
  readonly home: ProjectId | null;
  /** Links by project: ids of experiments that use the dataset, and null for an explicit link. */
  readonly links: ReadonlyMap<ProjectId, ReadonlySet<RunId | null>>;
  readonly mapping: StoredMapping | null;
  /** Version 1 first. */
  readonly versions: readonly ContentChanged[];
  /** The next unused column key. */
  readonly nextKey: number;
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  /** Time of the last recorded event. */
  readonly updatedAt: Instant;
  /** Revision of the last event on the stream. */
  readonly revision: number;
  readonly live: boolean;
  /** Contents of a deleted dataset whose rows are erased from the log. */
  readonly erasedContents: ReadonlySet<ContentId>;
  /** True once all rows are erased and no late write can come. */
  readonly erased: boolean;
};

/** An event with its metadata; a newly decided one has none, and the caller knows the time. */
export type DatasetFoldEvent = DatasetEvent & { readonly metadata?: { readonly at: Instant } };

export const datasets: Fold<Dataset | null, DatasetFoldEvent> = {
  initial: null,
  evolve: (dataset, event) => {
    if (event.type === 'DatasetCreated') return createdDataset(event.data);
    if (dataset === null) return null;
    return {
      ...changedDataset(dataset, event),
      revision: dataset.revision + 1,
      updatedAt: event.metadata?.at ?? dataset.updatedAt,
    };
  },
};

const createdDataset = (
  data: Extract<DatasetEvent, { readonly type: 'DatasetCreated' }>['data'],
): Dataset => ({
  id: data.dataset_id,
  organizationId: data.organization_id,
  name: data.name,
  draft: data.draft,
  home: data.project_id,
  links: new Map(),
  mapping: null,
  versions: [],
  nextKey: 0,
  createdBy: data.created_by,
  createdAt: data.created_at,
  updatedAt: data.created_at,
  revision: 0,
  live: true,
  erasedContents: new Set(),
  erased: false,
});

const changedDataset = (dataset: Dataset, { type, data }: DatasetFoldEvent): Dataset => {
  switch (type) {
    case 'DatasetContentChanged':
      return {
        ...dataset,
        versions: [...dataset.versions, data],
        nextKey: data.columns.reduce((next, { key }) => Math.max(next, key + 1), dataset.nextKey),
      };
    case 'DatasetRenamed':
      return { ...dataset, name: data.name };
    case 'ColumnMappingChanged':
      return { ...dataset, mapping: data.column_mapping };
    case 'DatasetPublished':
      return { ...dataset, draft: false };
    case 'DatasetLinked':
      return { ...dataset, links: withLink(dataset, data.project_id, data.run_id) };
    case 'DatasetUnlinked':
      return { ...dataset, links: withoutLink(dataset, data.project_id, data.run_id) };
    case 'DatasetDeleted':
      return { ...dataset, live: false };
    case 'DatasetRowsErased': {
      const gone = data.contents.map((one) => one.content_id);
      return { ...dataset, erasedContents: new Set([...dataset.erasedContents, ...gone]) };
    }
    case 'DatasetCreated':
      return dataset;
    case 'DatasetErased':
      return { ...dataset, erased: true };
    default:
      return unreachable(type);
  }
};

const withLink = ({ links }: Dataset, project: ProjectId, by: RunId | null) =>
  new Map(links).set(project, new Set([...(links.get(project) ?? []), by]));

const withoutLink = ({ links }: Dataset, project: ProjectId, by: RunId | null) => {
  const left = [...(links.get(project) ?? [])].filter((one) => one !== by);
  const rest = new Map(links);
  rest.delete(project);
  return left.length === 0 ? rest : rest.set(project, new Set(left));
};

/** Projects of a dataset: home first, then by time of linking (contract 2.6, rule 4). */
export const projectsOfDataset = ({
  home,
  links,
}: Pick<Dataset, 'home' | 'links'>): readonly ProjectId[] => [
  ...new Set([...(home === null ? [] : [home]), ...links.keys()]),
];

/** The version with the greatest index; each dataset has one from the start. */
export const currentVersion = ({ id, versions }: Dataset): ContentChanged => {
  const last = versions.at(-1);
  if (last === undefined) throw new Error(`dataset ${id} has no version`);
  return last;
};

/** The live dataset; null when unknown, deleted or of another organisation. */
export const liveDataset = async (
  log: EventReader,
  organization: OrganizationId,
  id: DatasetId,
): Promise<Dataset | null> => {
  const { state } = await loadStreamState(log, datasetStream(id), datasets);
  return state !== null && state.live && state.organizationId === organization ? state : null;
};
