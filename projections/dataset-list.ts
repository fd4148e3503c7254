import type { DatasetFacts } from '../contract/datasets.js';
import { datasetEvents } from '../events/datasets.js';
import { omitEvents } from '../events/schemas.js';
import { unreachable } from '../kernel/decision.js';
import type { StoredEvent } from '../kernel/ports.js';
import type { Document } from '../kernel/documents.js';
import type { ProjectId, RunId } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

/** `links`: by project, the experiments that use the dataset; null for a link that a user made. */
export type ListedDataset = {
  readonly facts: DatasetFacts;
  readonly links: Readonly<Record<ProjectId, readonly (RunId | null)[]>>;
};

const events = omitEvents(datasetEvents, 'DatasetRowsErased', 'DatasetErased');

/** Live datasets by id, in the scope of their organisation. */
export const datasetList: Projection<typeof events, ListedDataset> = {
  collection: {
    name: 'dataset_list',
    version: 1,
    fields: {
      id: 'id',
      name: 'text',
      draft: 'boolean',
      created_by: 'id',
      created_at: 'date',
      updated_at: 'date',
      num_rows: 'number',
      project_count: 'number',
      projects: 'text',
    },
  },
  events,
  keys: ({ data }) => [data.dataset_id],
  evolve: (document, event) => {
    const { type, data } = event;
    switch (type) {
      case 'DatasetCreated':
        return documentOf(data.organization_id, {
          facts: {
            id: data.dataset_id,
            name: data.name,
            created_at: data.created_at,
            updated_at: data.created_at,
            created_by: data.created_by,
            home_project: data.project_id,
            projects: [],
            num_rows: 0,
            column_names: [],
            current_version_index: 0,
            draft: data.draft,
            column_mapping: null,
            revision: event.revision,
          },
          links: {},
        });
      case 'DatasetContentChanged':
        return withChange(document, event, {
          num_rows: data.num_rows,
          column_names: data.columns.map(({ name }) => name),
          current_version_index: data.version_index,
        });
      case 'DatasetRenamed':
        return withChange(document, event, { name: data.name });
      case 'ColumnMappingChanged':
        return withChange(document, event, { column_mapping: data.column_mapping });
      case 'DatasetPublished':
        return withChange(document, event, { draft: false });
      case 'DatasetLinked':
      case 'DatasetUnlinked': {
        const others = (document?.body.links[data.project_id] ?? []).filter(
          (one) => one !== data.run_id,
        );
        const by = type === 'DatasetLinked' ? [...others, data.run_id] : others;
        const { [data.project_id]: _before, ...rest } = document?.body.links ?? {};
        const known = document?.body.links ?? {};
        return withChange(
          document,
          event,
          {},
          by.length === 0 ? rest : { ...known, [data.project_id]: by },
        );
      }
      case 'DatasetDeleted':
        return null;
      default:
        return unreachable(type);
    }
  },
};

/** Search form of a project id in the field `projects`, so that `contains` finds it. */
export const projectSearchKey = (project: string): string => `|${project}|`;

const documentOf = (
  organization: string,
  { facts, links }: ListedDataset,
): Document<ListedDataset> => {
  const home = facts.home_project === null ? [] : [facts.home_project];
  const projects = [...new Set([...home, ...(Object.keys(links) as ProjectId[])])];
  return {
    key: facts.id,
    scope: organization,
    fields: {
      id: facts.id,
      name: facts.name,
      draft: facts.draft,
      created_by: facts.created_by,
      created_at: facts.created_at,
      updated_at: facts.updated_at,
      num_rows: facts.num_rows,
      project_count: projects.length,
      projects: projects.map(projectSearchKey).join(''),
    },
    body: { facts: { ...facts, projects }, links },
  };
};

const withChange = (
  document: Document<ListedDataset> | null,
  { metadata, revision }: StoredEvent,
  change: Partial<DatasetFacts>,
  links?: ListedDataset['links'],
): Document<ListedDataset> | null =>
  document &&
  documentOf(document.scope, {
    facts: { ...document.body.facts, ...change, updated_at: metadata.at, revision },
    links: links ?? document.body.links,
  });
