import { Type, type Static } from 'typebox';
import type { ContentCell } from '../kernel/dataset-content.js';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type Instant,
  type UserId,
} from '../kernel/schema-types.js';
import { asOfMember } from './as-of.js';
import {
  defaultPageLimit,
  envelope,
  pageLimitMax,
  pageMembers,
  pageMembersOrNull,
} from './envelope.js';
import { exampleIds } from './example-ids.js';
import { operation } from './operation.js';
import { userBlock } from './people.js';
import { recordChoice } from './record-reads.js';

const scalar = namedSchema(
  'DatasetCellScalar',
  Type.Union([Type.String(), Type.Number(), Type.Null()], {
    'x-otherwise': 'inside a cell there are strings, finite numbers and null',
  }),
);
const cell = Type.Unsafe<ContentCell>(
  namedSchema(
    'DatasetCell',
    Type.Union([Type.String(), Type.Number(), Type.Null(), Type.Record(Type.String(), scalar)], {
      'x-otherwise': 'a cell is a string, a finite number, null or a flat object of these',
    }),
  ),
);

const datasetRow = namedSchema(
  'DatasetRow',
  Type.Object({
    row_id: id('RowId'),
    index: Type.Integer(),
    /** Values in the order of `column_names`. */
    values: Type.Array(cell),
    values_dict: Type.Record(Type.String(), cell),
    metadata: namedSchema(
      'DatasetRowMetadata',
      Type.Object({
        created_in_version: Type.Integer(),
        created_at: instant,
        created_by_user: userBlock,
        /** Version of the last edit; at first that of the creation. */
        updated_in_version: Type.Integer(),
        updated_at: instant,
        updated_by_user: userBlock,
      }),
    ),
  }),
);
export type DatasetRow = Static<typeof datasetRow>;

const rowsEnvelope = envelope('rows', datasetRow);
const content = namedSchema(
  'DatasetRowPage',
  Type.Object({
    ...rowsEnvelope.properties,
    column_names: Type.Array(Type.String()),
    warning_message: nullable(Type.String()),
  }),
);

const values = Type.Record(Type.String(), cell);
const rowId = id('RowId');
/** Edit limit (contract 1.11). */
export const editsMax = 1_000;
const addition = { values, row_id: nullish(rowId) };
const edit = namedSchema(
  'DatasetEdit',
  Type.Union([
    namedSchema('PrependRow', Type.Object({ edit_type: Type.Literal('prepend_row'), ...addition })),
    namedSchema('AppendRow', Type.Object({ edit_type: Type.Literal('append_row'), ...addition })),
    namedSchema(
      'UpdateRow',
      Type.Object({ edit_type: Type.Literal('update_row'), row_id: rowId, values }),
    ),
    namedSchema('DeleteRow', Type.Object({ edit_type: Type.Literal('delete_row'), row_id: rowId })),
    namedSchema(
      'FilterRows',
      Type.Object({ edit_type: Type.Literal('filter_rows'), row_ids: Type.Array(rowId) }),
    ),
    namedSchema(
      'RemoveColumn',
      Type.Object({ edit_type: Type.Literal('remove_column'), column_name: Type.String() }),
    ),
    namedSchema(
      'RenameColumn',
      Type.Object({
        edit_type: Type.Literal('rename_column'),
        column_name: Type.String(),
        new_column_name: Type.String(),
      }),
    ),
  ]),
);
export type Edit = Static<typeof edit>;

const path = '/v2/datasets/{dataset_id}';

export const getDatasetContent = operation({
  operationId: 'getDatasetContent',
  summary: 'Rows of a dataset',
  description: 'Of the current version; `as_of` shows it as it was.',
  section: '5.11',
  method: 'GET',
  path: `${path}/content`,
  requires: 'dataset-read',
  query: Type.Object({ ...pageMembers, ...asOfMember }),
  response: content,
});

export const editDatasetContent = operation({
  operationId: 'editDatasetContent',
  summary: 'Edit rows and columns: one new version',
  description:
    'Edits are applied in order, all or none. Edits that change nothing leave no version.',
  example: {
    edits: [
      { edit_type: 'append_row', values: { question: 'Where is my bag?', answer: 'In Oslo' } },
    ],
  },
  section: '5.11',
  method: 'PATCH',
  path: `${path}/content`,
  requires: 'dataset-write',
  conditional: true,
  body: Type.Object({ edits: Type.Array(edit, { minItems: 1, maxItems: editsMax }) }),
  response: Type.Null(),
  status: 204,
});

export const replaceDatasetContent = operation({
  operationId: 'replaceDatasetContent',
  summary: 'A new version with the content of an older one or of another dataset',
  description: 'Either `rollback_version`, or `dataset_id` with `version_index`.',
  example: { rollback_version: 1 },
  section: '5.11',
  method: 'PUT',
  path: `${path}/content`,
  requires: 'dataset-write',
  conditional: true,
  body: Type.Object({
    rollback_version: nullish(Type.Integer()),
    dataset_id: nullish(id('DatasetId')),
    version_index: nullish(Type.Integer()),
  }),
  response: Type.Null(),
  status: 204,
});

/** Limit of columns that one call names (contract 1.11); the dataset may have more. */
const recordColumnsMax = 100;

export const appendDatasetRecords = operation({
  operationId: 'appendDatasetRecords',
  summary: 'Add traces or spans of a project as rows: one new version',
  description:
    'The records that a search with the same members finds, as columns `input`, `output` and ' +
    '`trace_id` unless `columns` says otherwise. A record that has a row already is not added.',
  example: {
    project_id: exampleIds.project_id,
    filters: [{ type: 'number', name: 'metrics/reward', operator: 'eq', value: 0 }],
    columns: { question: 'input', answer: 'output' },
  },
  section: '5.11',
  method: 'POST',
  path: `${path}/content/from_records`,
  requires: 'dataset-write',
  unknownMembers: 'refused',
  body: namedSchema(
    'DatasetRecords',
    Type.Object({
      project_id: id('ProjectId'),
      kind: nullish(oneOf(['traces', 'spans'])),
      columns: nullish(
        Type.Record(Type.String(), Type.String(), {
          minProperties: 1,
          maxProperties: recordColumnsMax,
        }),
      ),
      ...recordChoice,
      starting_token: nullish(Type.Integer({ minimum: 0, default: 0 })),
      limit: nullish(
        Type.Integer({ minimum: 1, maximum: pageLimitMax, default: defaultPageLimit }),
      ),
    }),
  ),
  response: namedSchema(
    'AddedDatasetRecords',
    Type.Object({
      dataset_id: id('DatasetId'),
      version_index: Type.Integer(),
      added_count: Type.Integer(),
      present_count: Type.Integer(),
      left_out: Type.Array(Type.String()),
      next_starting_token: nullable(Type.Integer()),
    }),
  ),
});
export type DatasetRecords = Static<NonNullable<(typeof appendDatasetRecords)['body']>>;

const version = namedSchema(
  'DatasetVersion',
  Type.Object({
    version_index: Type.Integer(),
    name: Type.String(),
    created_at: instant,
    created_by_user: userBlock,
    num_rows: Type.Integer(),
    column_names: Type.Array(Type.String()),
    rows_added: Type.Integer(),
    rows_removed: Type.Integer(),
    rows_edited: Type.Integer(),
    columns_added: Type.Integer(),
    columns_removed: Type.Integer(),
    columns_renamed: Type.Integer(),
  }),
);
export type DatasetVersion = Static<typeof version>;
/** Version as folded from the log; its author is an id. */
export type VersionFacts = Omit<DatasetVersion, 'created_by_user'> & {
  readonly created_by: UserId;
  readonly created_at: Instant;
};

export const queryDatasetVersions = operation({
  operationId: 'queryDatasetVersions',
  summary: 'Versions of a dataset, the newest first',
  description: 'Each with what it added, removed and edited.',
  example: { limit: 10 },
  section: '5.11',
  method: 'POST',
  path: `${path}/versions/query`,
  kind: 'r',
  requires: 'dataset-read',
  query: Type.Object(pageMembers),
  body: Type.Object(pageMembersOrNull),
  response: envelope('versions', version),
});

export const getDatasetVersionContent = operation({
  operationId: 'getDatasetVersionContent',
  summary: 'Rows of a version of a dataset',
  description: 'Every version stays readable.',
  section: '5.11',
  method: 'GET',
  path: `${path}/versions/{version_index}/content`,
  requires: 'dataset-read',
  query: Type.Object(pageMembers),
  response: content,
});

export const datasetContentOperations = [
  getDatasetContent,
  editDatasetContent,
  replaceDatasetContent,
  appendDatasetRecords,
  queryDatasetVersions,
  getDatasetVersionContent,
];
