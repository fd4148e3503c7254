import { defaultPageLimit, pageInfo } from '../../contract/envelope.js';
import type { DatasetRecords } from '../../contract/dataset-content.js';
import type { ContentCell } from '../../kernel/dataset-content.js';
import { validationFault, type Complaint, valueComplaint } from '../../kernel/fault.js';
import { columnValue } from '../../kernel/records/column-value.js';
import type { ColumnValue, Population, RecordRow } from '../../kernel/records/record.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import {
  resolveColumn,
  lookUpColumn,
  metricsWithoutType,
  unknownMetrics,
  type KnownMetricTypes,
} from '../filters/catalogue.js';
import type { RunInProject, TemplatesOf } from '../run-selection.js';
import { searchComplaints, completePlan } from './complete-plan.js';

type Needs = {
  readonly records: RecordQueries;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
};

/** A record as a dataset row: dataset column → cell. */
type RecordCells = {
  readonly id: string;
  readonly traceId: string;
  readonly cells: Readonly<Record<string, ContentCell>>;
};

/** Dataset column → record column. */
type ColumnMap = Readonly<Record<string, string>>;
const defaultColumns: ColumnMap = { input: 'input', output: 'output' };
/** Columns that identify a row's record, in addition to the chosen ones. */
const idColumns = {
  trace: { trace_id: 'id' },
  span: { trace_id: 'trace_id', span_id: 'id' },
} satisfies Partial<Record<Population, ColumnMap>>;

const populationOf = ({ kind }: DatasetRecords): 'trace' | 'span' =>
  kind === 'spans' ? 'span' : 'trace';

/** Validates the choice of records and columns without reading records. */
export const datasetRecordsComplaints = (body: DatasetRecords): readonly Complaint[] => [
  ...searchComplaints(populationOf(body))({ body }),
  ...columnComplaints(columnsInBody(body), populationOf(body), null),
];

const columnsInBody = (body: DatasetRecords): ColumnMap => ({
  ...idColumns[populationOf(body)],
  ...(body.columns ?? defaultColumns),
});

const columnComplaints = (
  columns: ColumnMap,
  population: Population,
  types: KnownMetricTypes,
): readonly Complaint[] =>
  Object.entries(columns).flatMap(([name, column]) => {
    const known = lookUpColumn(resolveColumn(column, types), population, types);
    const loc = ['body', 'columns', name];
    if (known === null) return [valueComplaint(loc, `unknown column '${column}'`)];
    return known.is === 'standard' && !known.applies
      ? [valueComplaint(loc, `column '${column}' does not apply to ${population}s`)]
      : [];
  });

/** Limit for the JSON of one row's cells: an event of the log holds it (contract 5.11). */
const rowBytesMax = 524_288;

/**
 * A page of records as rows of a dataset. `leftOut`: ids of records whose cells are too large.
 * Throws Fault `not-found` for a run that the project does not have, and `invalid`.
 */
export const recordsToRows = async (needs: Needs, body: DatasetRecords) => {
  const population = populationOf(body);
  const { project_id: project } = body;
  const { plan, notes } = await completePlan(needs, project, body, population);
  const named = columnsInBody(body);
  const metrics = metricsWithoutType(
    Object.values(named).map((column) => resolveColumn(column, null)),
  );
  const types = metrics.length > 0 ? await needs.records.metricTypes(project, metrics) : new Map();
  const complaints = columnComplaints(named, population, types);
  if (complaints.length > 0) throw validationFault(complaints);
  const columns = Object.entries(named).map(
    ([name, column]) => [name, resolveColumn(column, types)] as const,
  );
  const found = await needs.records.search({ ...plan, limit: body.limit ?? defaultPageLimit });
  const rows = found.rows.map((row) => cellsOf(row, columns, types));
  const unknown = unknownMetrics(
    columns.map(([, column]) => column),
    types,
  );
  return {
    rows: rows.filter(isSmall),
    leftOut: rows.filter((row) => !isSmall(row)).map(({ id }) => id),
    next: pageInfo(body, rows.length, found.more).next_starting_token,
    unknownColumns: [...new Set([...notes['X-Unknown-Columns'], ...unknown])],
  };
};

const cellsOf = (
  row: RecordRow,
  columns: readonly (readonly [string, string])[],
  types: Parameters<typeof columnValue>[2],
): RecordCells => ({
  id: String(row.values['id']),
  traceId: String(row.values['trace_id'] ?? row.values['id']),
  cells: Object.fromEntries(
    columns.map(([name, column]) => [name, cellOf(columnValue(row, column, types))]),
  ),
});

const cellOf = (value: ColumnValue): ContentCell => {
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
};

const encoder = new TextEncoder();
const isSmall = ({ cells }: RecordCells): boolean =>
  encoder.encode(JSON.stringify(cells)).length <= rowBytesMax;
