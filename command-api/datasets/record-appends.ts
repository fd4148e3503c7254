import { appendDatasetRecords, type DatasetRecords } from '../../contract/dataset-content.js';
import { contentTag } from '../../contract/datasets.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { ContentCell, RowId } from '../../kernel/dataset-content.js';
import { Fault, validationFault, type Complaint, valueComplaint } from '../../kernel/fault.js';
import { currentVersion, type Dataset } from '../facts/datasets.js';
import { createVersion, type PreparedVersion } from './versions.js';
import { applyEdits, columnNameRule, isColumnName } from './edits.js';
import type { DatasetNeeds } from './needs.js';
import { loadChunks } from './row-storage.js';

type RecordAsRow = {
  readonly id: string;
  readonly traceId: string;
  readonly cells: Readonly<Record<string, ContentCell>>;
};
/**
 * Source of records of a project as rows: the read model selects them, the log says what is added.
 */
export type RecordRowSource = {
  readonly complaints: (body: DatasetRecords) => readonly Complaint[];
  /** A page of all records logged before. `next`: start of the next page; null on the last page. */
  readonly choose: (body: DatasetRecords) => Promise<{
    readonly rows: readonly RecordAsRow[];
    readonly leftOut: readonly string[];
    readonly next: number | null;
    readonly unknownColumns: readonly string[];
  }>;
};
type Needs = DatasetNeeds & { readonly recordsAsRows: RecordRowSource };

/** Route that appends records as rows (contract 5.11). */
export const recordAppendRoutes = (needs: Needs): readonly Route[] => [appendRecordsRoute(needs)];

const appendRecordsRoute = (needs: Needs): Route =>
  writeRoute(
    appendDatasetRecords,
    async ({ body, params: { dataset_id: id }, principal, cause, mint }) => {
      const project = await needs.visibleProject(principal, body.project_id);
      if (project === null) throw new Fault('not-found', 'Project not found');
      const { rows, leftOut, next, unknownColumns } = await needs.recordsAsRows.choose(body);
      const named = rows.map((row) => ({
        row_id: needs.ids.derive('RowId', id, body.project_id, row.traceId, row.id),
        values: row.cells,
      }));
      // Result of a repeat whose first try made its version.
      let done: AppendResult = { added: 0, columns: [] };
      const { position, version } = await createVersion(
        needs,
        { id, userId: principal.userId, ifMatch: null, cause, mint },
        async (at) => {
          const { prepared, ...made } = await appendRecordRows(needs, at, named);
          done = made;
          return prepared;
        },
      );
      return {
        position,
        etag: contentTag(version),
        notes: { 'X-New-Columns': done.columns, 'X-Unknown-Columns': unknownColumns },
        body: {
          dataset_id: id,
          version_index: version,
          added_count: done.added,
          present_count: named.length - done.added,
          left_out: [...leftOut],
          next_starting_token: next,
        },
      };
    },
    ({ body }) => [...nameComplaints(body), ...needs.recordsAsRows.complaints(body)],
  );

const nameComplaints = ({ columns }: DatasetRecords): readonly Complaint[] =>
  Object.keys(columns ?? {})
    .filter((name) => !isColumnName(name))
    .map((name) => valueComplaint(['body', 'columns', name], columnNameRule));

type AppendResult = { readonly added: number; readonly columns: readonly string[] };
type NewRow = {
  readonly row_id: RowId;
  readonly values: Readonly<Record<string, ContentCell>>;
};

/** The version with the missing rows appended; null when it has them all. */
const appendRecordRows = async (
  { log }: DatasetNeeds,
  dataset: Dataset,
  rows: readonly NewRow[],
): Promise<AppendResult & { readonly prepared: PreparedVersion | null }> => {
  const { columns, ...current } = currentVersion(dataset);
  const chunks = await loadChunks(log, current);
  const present = new Set(chunks.flatMap((chunk) => chunk.rows.map(({ id }) => id)));
  const missing = rows.filter(({ row_id }) => !present.has(row_id));
  if (missing.length === 0) return { added: 0, columns: [], prepared: null };
  const edited = applyEdits(
    { columns, chunks },
    missing.map((row) => ({ edit_type: 'append_row', ...row })),
    {
      isStrict: false,
      version: dataset.versions.length + 1,
      nextKey: dataset.nextKey,
      rowId: () => unusedRowId(),
    },
  );
  if (!('stretches' in edited)) throw validationFault(edited.map(ofColumns));
  return {
    added: missing.length,
    columns: edited.columns.filter(({ key }) => key >= dataset.nextKey).map(({ name }) => name),
    prepared: { source: 'edits', ...edited },
  };
};

const unusedRowId = (): never => {
  throw new Error('Rows from records have ids of their own');
};

/** Complaint in terms of the request: about its columns, or about the number of rows. */
const ofColumns = ({ msg, type, loc }: Complaint): Complaint => ({
  loc: loc.includes('values') ? ['body', 'columns'] : ['body'],
  msg,
  type,
});
