import type { DuckDBValue } from '@duckdb/node-api';
import type { AggregatePlan, GroupValue } from '../../kernel/records/query-plans.js';
import type { Statements } from './connections.js';
import {
  groupColumnName,
  groupValue,
  groupedSql,
  ownKeyColumns,
  type GroupColumns,
} from './group-by.js';
import type { ProjectModel } from './project-columns.js';
import { bigintConstant } from './sql.js';
import { recordSource } from './record-source.js';
import type { WidgetMeasures } from './widget-measures.js';

/** State of one aggregate query. */
export type AggregateQuery = {
  readonly model: ProjectModel;
  readonly statements: Statements;
  readonly plan: AggregatePlan;
  readonly columns: GroupColumns;
  readonly measures: WidgetMeasures;
};

const microsecondsPerMinute = 60_000_000n;

/**
 * The records considered, each once per group that it is in: `g0…` the group, `b` bucket, `grp`
 * trace, `session`, `spans`, and `v0…` the requested values.
 */
export const groupedRowsSql = (
  { model, plan }: AggregateQuery,
  groups: GroupColumns,
  valuesOf: (source: ReturnType<typeof recordSource>) => readonly string[],
) => {
  const source = recordSource(model, plan);
  const values = valuesOf(source);
  const width = BigInt(plan.intervalMinutes) * microsecondsPerMinute;
  const offset = BigInt(plan.offsetMinutes) * microsecondsPerMinute;
  const at = offset === 0n ? 'r.created_at' : `(r.created_at + ${bigintConstant(offset)})`;
  const columns = [
    ...ownKeyColumns(groups, source),
    // Integer division truncates towards zero; before 1970 it must round down.
    `(${at} - CASE WHEN ${at} < 0 THEN ${bigintConstant(width - 1n)} ELSE 0 END)` +
      ` // ${bigintConstant(width)} AS b`,
    'r.grp AS grp',
    'CASE WHEN NOT r.lone THEN r.session_id END AS session',
    'r.span_count AS spans',
    ...values.map((value, place) => `${value} AS v${place}`),
  ];
  const select = `SELECT ${columns.join(', ')} ${source.fromWhere()}`;
  return {
    sql: `(${groupedSql(model, plan, groups, select, source.parameters)})`,
    parameters: source.parameters,
  };
};

/** Group columns of `groupedRowsSql`. */
export const groupKeyNames = ({ keys }: GroupColumns): readonly string[] =>
  keys.map((_, at) => groupColumnName(at));

/** Group values, the first cells of a row. */
export const groupValuesOf = (
  { columns }: AggregateQuery,
  row: readonly DuckDBValue[],
): readonly GroupValue[] => row.slice(0, columns.keys.length).map(groupValue);
