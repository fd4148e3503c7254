import type { DuckDBListValue, DuckDBValue } from '@duckdb/node-api';
import { metricRegistry } from '../../kernel/columns.js';
import type { StreamName } from '../../kernel/ports.js';
import type { ColumnValue, MetricCell, RecordKind, RecordRow } from '../../kernel/records.js';
import type { JsonObject } from '../../kernel/shapes.js';
import type { Extras } from './fill.js';
import { metricsFrom, ordinalsMax, recordColumns, standardFrom, storedStandard } from './schema.js';

/** The select list that `readRow` takes: all columns of `r`, then the group's name of `g`. */
export const selectList = [...recordColumns.map(({ sql }) => `r.${sql}`), 'g.name'].join(', ');

/** Rows of `facets` of one record: column id, num, bool, text, rolled_up, first_at, first_type, fraction. */
export type FacetRow = {
  readonly column: string;
  readonly cell: MetricCell | null;
  readonly text: string | null;
  readonly number: number | null;
};

export const keyOf = (stored: readonly DuckDBValue[]): bigint => stored[0] as bigint;

export const readRow = (
  stored: readonly DuckDBValue[],
  project: string,
  facets: readonly FacetRow[],
): RecordRow => {
  const rolledUp = Number(stored[7]);
  const extras = stored[10] === null ? {} : (JSON.parse(String(stored[10])) as Extras);
  const values: Record<string, ColumnValue> = { ...extras.values, project_id: project };
  storedStandard.forEach(({ id, read }, at) => {
    const value = stored[standardFrom + at] ?? null;
    if (value !== null) values[id] = read(value);
  });
  const metrics: [string, MetricCell][] = Object.entries(extras.metrics ?? {});
  metricRegistry.forEach(({ name }, at) => {
    const value = stored[metricsFrom + at];
    if (typeof value !== 'number') return;
    metrics.push([name, { value, rolledUp: (rolledUp & (1 << at)) !== 0 }]);
  });
  const of = (prefix: string) =>
    facets
      .filter(({ column }) => column.startsWith(prefix))
      .map((facet) => [facet.column.slice(prefix.length), facet] as const);
  for (const [metric, { cell }] of of('metrics/')) if (cell !== null) metrics.push([metric, cell]);
  return {
    group: String(stored[stored.length - 1]) as StreamName,
    ordinal: Number(keyOf(stored) % BigInt(ordinalsMax)),
    kind: String(stored[3]) as RecordKind,
    values,
    metrics: Object.fromEntries(metrics),
    userMetadata: Object.fromEntries(
      of('user_metadata/').map(([key, { text }]) => [key, text ?? '']),
    ),
    errors: Object.fromEntries(
      of('errors/').map(([metric, { number, text }]) => [
        metric,
        { code: number ?? 0, message: text },
      ]),
    ),
    annotators:
      stored[8] === null ? [] : ((stored[8] as DuckDBListValue).items as readonly string[]),
    spanCount: Number(stored[5]),
    body: JSON.parse(String(stored[9])) as JsonObject,
  };
};
