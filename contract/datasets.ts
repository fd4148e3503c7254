import { Type, type Static, type TSchema } from 'typebox';
import { columnNameMax, datasetColumnsMax } from '../kernel/dataset-content.js';
import {
  componentSchema,
  id,
  instant,
  nullish,
  name,
  namedSchema,
  nullable,
  oneOf,
  type DatasetId,
  type Instant,
  type Json,
  type ProjectId,
  type UserId,
} from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { asOfMember } from './as-of.js';
import { envelope, message, pageMembers, pageMembersOrNull } from './envelope.js';
import { listingFiltersMax, nameFilter, ownIdFilter } from './listings.js';
import { operation } from './operation.js';
import { permission, userBlock, type UserBlock } from './people.js';
import { datasetPermissions, type DatasetRights } from './permissions.js';
import { project } from './projects.js';

const shownRole = nullable(
  namedSchema(
    'DatasetColumnRole',
    Type.Object({ columns: Type.Array(Type.String()), flatten: Type.Boolean() }),
  ),
);
const columnMapping = namedSchema(
  'DatasetColumnMapping',
  Type.Object({
    input: shownRole,
    output: shownRole,
    generated_output: shownRole,
    metadata: shownRole,
    mgt: nullable(Type.Record(Type.String(), shownRole)),
  }),
);
/** Column mapping as last set, every role in the long form or null (contract 4.7). */
type ColumnMapping = Static<typeof columnMapping>;

export const dataset = namedSchema(
  'Dataset',
  Type.Object({
    id: id('DatasetId'),
    name: Type.String(),
    created_at: instant,
    /** Time of the last change, content included; at first `created_at`. */
    updated_at: instant,
    project_count: Type.Integer(),
    num_rows: Type.Integer(),
    column_names: Type.Array(Type.String()),
    created_by_user: userBlock,
    current_version_index: Type.Integer(),
    draft: Type.Boolean(),
    permissions: Type.Array(permission),
    column_mapping: nullable(columnMapping),
  }),
);

const columnNames = Type.Array(Type.String({ maxLength: columnNameMax }), {
  maxItems: datasetColumnsMax,
});
const role = namedSchema(
  'DatasetColumnRoleInput',
  Type.Union([
    Type.Object({ columns: columnNames, flatten: Type.Optional(Type.Boolean({ default: false })) }),
    columnNames,
  ]),
);
/**
 * Mapping as sent: a role may be a bare list of columns; one that is left out becomes null
 * (contract 4.7).
 */
const columnMappingInput = namedSchema(
  'DatasetColumnMappingInput',
  Type.Object({
    input: nullish(role),
    output: nullish(role),
    generated_output: nullish(role),
    metadata: nullish(role),
    mgt: nullish(Type.Record(Type.String(), role)),
  }),
);
export type ColumnMappingInput = Static<typeof columnMappingInput>;

const path = '/v2/datasets';
/** Size limit of a dataset upload (contract 1.11). */
const uploadBytesMax = 33_554_432;

export const createDataset = operation({
  operationId: 'createDataset',
  summary: 'Create a dataset from a file, from another one or empty',
  description:
    'Columns and rows are those of the file (CSV, JSON or JSON lines), of the dataset ' +
    'named, or none. `project_id` becomes its home.',
  example: { name: 'questions', project_id: exampleIds.project_id },
  section: '5.11',
  method: 'POST',
  path,
  requires: 'creator',
  query: Type.Object({ format: Type.Optional(oneOf(['csv', 'json', 'jsonl'])) }),
  form: {
    files: { file: { required: false, bytesMax: uploadBytesMax } },
    parts: Type.Object({
      name: nullish(name()),
      draft: nullish(Type.Boolean()),
      append_suffix_if_duplicate: nullish(Type.Boolean()),
      project_id: nullish(id('ProjectId')),
      column_mapping: nullish(columnMappingInput),
      copy_from_dataset_id: nullish(id('DatasetId')),
      copy_from_dataset_version_index: nullish(Type.Integer({ minimum: 1 })),
    }),
  },
  response: dataset,
  faults: ['not-found', 'already-exists'],
});

export const listDatasets = operation({
  operationId: 'listDatasets',
  summary: 'Visible datasets, paged',
  description: 'Of the whole organisation, as far as the caller may read them.',
  section: '5.11',
  method: 'GET',
  path,
  requires: 'signed-in',
  query: Type.Object(pageMembers),
  response: envelope('datasets', dataset),
});

const datasetFilter = componentSchema<Json>('DatasetFilter');
const datasetSort = componentSchema<Json>('DatasetSort');

export const queryDatasets = operation({
  operationId: 'queryDatasets',
  summary: 'Visible datasets, filtered, sorted and paged',
  description: 'By name, draft, id or use in a project.',
  example: {
    filters: [{ name: 'used_in_project', value: exampleIds.project_id }],
    sort: { name: 'updated_at', ascending: false },
  },
  section: '5.11',
  method: 'POST',
  path: `${path}/query`,
  kind: 'r',
  requires: 'signed-in',
  query: Type.Object(pageMembers),
  body: Type.Object({
    ...pageMembersOrNull,
    filters: nullish(Type.Array(datasetFilter, { maxItems: listingFiltersMax })),
    sort: nullish(datasetSort),
  }),
  response: envelope('datasets', dataset),
});

export const getDataset = operation({
  operationId: 'getDataset',
  summary: 'One dataset',
  description: 'The `ETag` can be sent as `If-Match`; `as_of` shows it as it was.',
  section: '5.11',
  method: 'GET',
  path: `${path}/{dataset_id}`,
  requires: 'dataset-read',
  query: Type.Object(asOfMember),
  response: dataset,
});

export const changeDataset = operation({
  operationId: 'changeDataset',
  summary: 'Rename a dataset, map its columns or publish it',
  description: 'A published dataset does not become a draft again.',
  example: { name: { value: 'questions 2026', append_suffix_if_duplicate: true } },
  section: '4.7',
  method: 'PATCH',
  path: `${path}/{dataset_id}`,
  requires: 'dataset-write',
  conditional: true,
  body: Type.Object({
    name: nullish(
      Type.Union([
        name(),
        Type.Object({
          value: name(),
          append_suffix_if_duplicate: Type.Optional(Type.Boolean({ default: false })),
        }),
      ]),
    ),
    column_mapping: nullish(columnMappingInput),
    draft: nullish(Type.Literal(false)),
  }),
  response: dataset,
  faults: ['already-exists'],
});

export const deleteDataset = operation({
  operationId: 'deleteDataset',
  summary: 'Delete a dataset; its rows are erased',
  description: 'Experiments keep its id.',
  section: '5.11',
  method: 'DELETE',
  path: `${path}/{dataset_id}`,
  requires: 'dataset-write',
  conditional: true,
  response: message,
});

export const listDatasetProjects = operation({
  operationId: 'listDatasetProjects',
  summary: 'Visible projects that a dataset is linked to',
  description: 'Projects that the caller cannot see are left out.',
  section: '5.11',
  method: 'GET',
  path: `${path}/{dataset_id}/projects`,
  requires: 'dataset-read',
  query: Type.Object(pageMembers),
  response: envelope('projects', project),
});

const linkOperation = (
  operationId: string,
  summary: string,
  description: string,
  method: 'PUT' | 'DELETE',
) =>
  operation({
    operationId,
    summary,
    description,
    section: '5.11',
    method,
    path: `${path}/{dataset_id}/projects/{project_id}`,
    requires: 'dataset-read',
    response: dataset,
    faults: ['forbidden'],
  });
export const linkDataset = linkOperation(
  'linkDataset',
  'Link a dataset to a project',
  'Viewers of the project may read it from then on.',
  'PUT',
);
export const unlinkDataset = linkOperation(
  'unlinkDataset',
  'Remove the link from a dataset to a project',
  'The home project stays linked (409); experiments that use the dataset keep their link.',
  'DELETE',
);

/** OpenAPI components; query-api/datasets parses these filters and sorts. */
export const datasetComponents: Readonly<Record<string, TSchema>> = {
  DatasetFilter: Type.Union([
    nameFilter,
    Type.Object({
      name: oneOf(['draft']),
      operator: Type.Optional(Type.String({ enum: ['eq', 'ne'], default: 'eq' })),
      value: Type.Boolean(),
    }),
    ownIdFilter,
    Type.Object({
      name: oneOf(['used_in_project', 'not_in_project']),
      value: Type.String({ format: 'uuid' }),
    }),
  ]),
  DatasetSort: Type.Object({
    name: oneOf(['name', 'created_at', 'updated_at', 'num_rows', 'project_count']),
    ascending: Type.Optional(Type.Boolean({ default: true })),
    sort_type: Type.Optional(nullable(oneOf(['column']))),
  }),
};

/** Dataset as folded from the log, in the form that is shown. */
export type DatasetFacts = {
  readonly id: DatasetId;
  readonly name: string;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly created_by: UserId;
  readonly home_project: ProjectId | null;
  /** Linked projects: home first, then in order of linking. */
  readonly projects: readonly ProjectId[];
  readonly num_rows: number;
  readonly column_names: readonly string[];
  readonly current_version_index: number;
  readonly draft: boolean;
  readonly column_mapping: ColumnMapping | null;
  /** Revision of the last event on its stream; grows with each change of the record. */
  readonly revision: number;
};

/**
 * Entity tag (contract 1.9). The record's changes with each event of the dataset, the content's
 * with each version.
 */
export const datasetTag = ({ revision }: Pick<DatasetFacts, 'revision'>): string =>
  `dataset-${revision}`;
export const contentTag = (version: number): string => `content-${version}`;

/** Response for a dataset. `projectCount`: linked projects that are live. */
export const datasetAnswer = (
  facts: DatasetFacts,
  {
    user,
    rights,
    projectCount,
  }: {
    readonly user: UserBlock;
    readonly rights: DatasetRights;
    readonly projectCount: number;
  },
): Static<typeof dataset> => ({
  id: facts.id,
  name: facts.name,
  created_at: facts.created_at,
  updated_at: facts.updated_at,
  project_count: projectCount,
  num_rows: facts.num_rows,
  column_names: [...facts.column_names],
  created_by_user: user,
  current_version_index: facts.current_version_index,
  draft: facts.draft,
  permissions: [...datasetPermissions(rights)],
  column_mapping: facts.column_mapping,
});

export const datasetOperations = [
  createDataset,
  listDatasets,
  queryDatasets,
  getDataset,
  changeDataset,
  listDatasetProjects,
  linkDataset,
  unlinkDataset,
  deleteDataset,
];
