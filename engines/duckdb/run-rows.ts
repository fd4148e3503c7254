import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import { instantOf } from '../../kernel/records/time-buckets.js';
import type { TypedMetric } from '../../kernel/records/measures.js';
import type { QueryContext } from '../../kernel/ports.js';
import { allTracesScope } from '../../kernel/records/query-plans.js';
import {
  datasetRowKey,
  failedStatusFrom,
  runRowsMax,
  type RunRow,
  type RunRowsPlan,
} from '../../kernel/records/run-rows.js';
import type { RecordsModel } from './model.js';
import { projectModelOf } from './project-columns.js';
import { runIdOf, runsCondition } from './run-counts.js';
import { recordSource, type RecordSource } from './record-source.js';

/** `runRows` of test/support/reference-run-rows.ts in one statement; null beyond the limit. */
export const runRows = (
  whole: RecordsModel,
  { project, runs, metrics }: RunRowsPlan,
  context: QueryContext = {},
): Promise<readonly RunRow[] | null> =>
  whole.connections.scan(async (statements) => {
    const model = await projectModelOf(whole, statements, project);
    const where = runsCondition(model, project, runs);
    if (where === null) return [];
    const source = recordSource(model, allTracesScope(project));
    const values = metrics.map((one, at) => `, ${numberSql(source, one)} AS m${at}`).join('');
    const means = metrics.map((_, at) => `, avg(m${at})`).join('');
    const found = await statements.rows(
      `SELECT run_id, "row", count(*), min(created_at),
         arg_max(id, {'at': created_at, 'id': id}),
         arg_max(failed, {'at': created_at, 'id': id})${means}
       FROM (
         SELECT r.run_id, r.id, r.created_at,
           coalesce(r.status_code >= ${failedStatusFrom}, false) AS failed,
           ${rowSql(source)} AS "row"${values}
         ${source.fromWhere()} AND ${where}
       ) GROUP BY run_id, "row" LIMIT ${runRowsMax + 1}`,
      source.parameters,
    );
    return found.length > runRowsMax ? null : found.map(runRowOf);
  }, context);

/** Key of the dataset row, hashed so that long inputs cost no more than others. */
const rowSql = (source: RecordSource): string => {
  const named = source.column(`user_metadata/${datasetRowKey}`);
  const input = source.column('dataset_input');
  return `CASE WHEN ${named} <> '' THEN sha256('id:' || ${named})
    WHEN ${input} <> '' THEN sha256('in:' || ${input}) END`;
};

const numberSql = (source: RecordSource, measured: TypedMetric): string => {
  const value = source.measuredValue(measured);
  return measured.type === 'boolean' ? `CAST(${value} AS INTEGER)` : value;
};

const runRowOf = ([
  run,
  row,
  traces,
  first,
  newest,
  failed,
  ...means
]: readonly DuckDBValue[]): RunRow => ({
  run: runIdOf(run),
  row: row == null ? null : String(row),
  traces: Number(traces),
  first: instantOf(first as bigint),
  newest: (newest as DuckDBUUIDValue).toString(),
  failed: failed === true,
  means: means.map((mean) => {
    const value = mean === null ? Number.NaN : Number(mean) + 0;
    return Number.isFinite(value) ? value : null;
  }),
});
