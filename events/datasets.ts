// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type, type Static } from 'typebox';
import { id, instant, nullable, oneOf } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const scalar = Type.Union([Type.String(), Type.Number(), Type.Null()]);
const cell = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Null(),
  Type.Record(Type.String(), scalar),
]);
const roleColumns = Type.Object({ columns: Type.Array(Type.String()), flatten: Type.Boolean() });
/** Columns by role of a row (contract 4.7, rule 4). */
const storedMapping = Type.Object({
  input: nullable(roleColumns),
  output: nullable(roleColumns),
  generated_output: nullable(roleColumns),
  metadata: nullable(roleColumns),
  /** Metric ground truth by metric. */
  mgt: nullable(Type.Record(Type.String(), roleColumns)),
});

const link = event('entity update', {
  dataset_id: id('DatasetId'),
  project_id: id('ProjectId'),
  run_id: nullable(id('RunId')),
});

export const datasetEvents = {
  DatasetCreated: event('entity create', {
    dataset_id: id('DatasetId'),
    organization_id: id('OrganizationId'),
    name: Type.String(),
    draft: Type.Boolean(),
    /** Home project. */
    project_id: nullable(id('ProjectId')),
    created_by: id('UserId'),
    created_at: instant,
  }),
  /**
   * New version. Its rows are in streams of their own, stored before this event, so that no append
   * is large: `parts` names them in order.
   */
  DatasetContentChanged: event('entity update', {
    dataset_id: id('DatasetId'),
    version_index: Type.Integer(),
    /** Id of the change, also of the first stream of rows that it added, if any. */
    content_id: id('ContentId'),
    source: oneOf(['file', 'copy', 'edits', 'rollback']),
    /** Name of the dataset at that time. */
    name: Type.String(),
    created_by: id('UserId'),
    created_at: instant,
    columns: Type.Array(Type.Object({ key: Type.Integer(), name: Type.String() })),
    parts: Type.Array(
      Type.Object({
        content: id('ContentId'),
        first: Type.Integer(),
        sizes: Type.Array(Type.Integer()),
      }),
    ),
    num_rows: Type.Integer(),
    rows_added: Type.Integer(),
    rows_removed: Type.Integer(),
    rows_edited: Type.Integer(),
    columns_added: Type.Integer(),
    columns_removed: Type.Integer(),
    columns_renamed: Type.Integer(),
  }),
  DatasetRenamed: event('entity update', { dataset_id: id('DatasetId'), name: Type.String() }),
  ColumnMappingChanged: event('entity update', {
    dataset_id: id('DatasetId'),
    column_mapping: storedMapping,
  }),
  DatasetPublished: event('entity create', { dataset_id: id('DatasetId') }),
  /** `run_id`: the experiment that uses the dataset; null: it was linked by a request. */
  DatasetLinked: link,
  DatasetUnlinked: link,
  /** Tombstone: it answers 404 from here on; the worker erases its rows. */
  DatasetDeleted: event('entity delete', {
    dataset_id: id('DatasetId'),
    /** Index of the last version. */
    versions: Type.Integer(),
  }),
  /** Rows of a deleted dataset: the streams of these contents are erased. */
  DatasetRowsErased: event('entity delete', {
    dataset_id: id('DatasetId'),
    contents: Type.Array(Type.Object({ content_id: id('ContentId'), chunks: Type.Integer() })),
  }),
  /** Final event of a deleted dataset: no row of it is left in the log, and none can come. */
  DatasetErased: event('entity delete', { dataset_id: id('DatasetId') }),
};
export const datasetRowsEvents = {
  /** Stream `datasetrows-<dataset>-<content>`, one event per chunk, in order, from chunk 0 on. */
  DatasetRowsStored: event('entity create', {
    dataset_id: id('DatasetId'),
    content_id: id('ContentId'),
    chunk: Type.Integer(),
    rows: Type.Array(
      Type.Object({
        id: id('RowId'),
        /** Versions in which the row was created and last edited. */
        made: Type.Integer(),
        edited: Type.Integer(),
        /** Cells by column key: a list, or members where most would be null. */
        cells: Type.Union([Type.Array(cell), Type.Record(Type.String(), cell)]),
      }),
    ),
  }),
};

export const datasetNoun: Noun = {
  stream: { name: 'dataset-<dataset>', subject: 'dataset', erasedWith: 'nothing' },
  events: datasetEvents,
};

export const datasetRowsNoun: Noun = {
  stream: {
    name: 'datasetrows-<dataset>-<content>',
    subject: 'rows',
    erasedWith: null,
    isTechnical: true,
  },
  events: datasetRowsEvents,
};

export type DatasetEvent = EventOf<typeof datasetEvents>;
export type DatasetRowsEvent = EventOf<typeof datasetRowsEvents>;

export type StoredMapping = Static<typeof storedMapping>;
export type ContentChanged = DataOf<DatasetEvent, 'DatasetContentChanged'>;
