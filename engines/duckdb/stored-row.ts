import { listValue, type DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import { foldCase } from '../../kernel/case-fold.js';
import { fits, registryType } from '../../kernel/column-value.js';
import { metricRegistry, standardColumn, standardColumns } from '../../kernel/columns.js';
import type { StreamName } from '../../kernel/ports.js';
import type { ColumnValue, MetricCell, RecordKind, RecordRow } from '../../kernel/records.js';
import type { JsonObject } from '../../kernel/shapes.js';
import {
  ordinalsMax,
  ownColumns,
  populationOf,
  presentBit,
  recordColumns,
  registryBit,
  storedStandard,
  storedUuid,
} from './schema.js';

/** A row made ready for the columns of its table. */
export type StoredRow = {
  readonly key: bigint;
  readonly grp: number;
  readonly project: number;
  readonly row: RecordRow;
  readonly values: RecordRow['values'];
  readonly metrics: RecordRow['metrics'];
  readonly session: DuckDBValue;
  readonly present: number;
  readonly rolledUp: number;
  readonly extras: string | null;
  readonly folded: string | null;
};
type Place = { readonly key: bigint; readonly grp: number; readonly project: number };
/** What fits no column: values of columns that the kind does not have, metrics not of the registry's type. */
type Extras = {
  readonly values?: Readonly<Record<string, ColumnValue>>;
  readonly metrics?: Readonly<Record<string, MetricCell>>;
};

const textColumns = standardColumns.filter(({ type }) => type === 'text' || type === 'string_list');
/** Sessions and traces keep columns that are not theirs too, as their project and run: queries know not to look. */
const hasColumn = (kind: RecordKind, column: string): boolean =>
  populationOf(kind) !== 'span' || standardColumn.get(column)?.kinds.includes(kind) === true;

export const storedRow = (row: RecordRow, place: Place, misfolded: RegExp): StoredRow => {
  const [values, strayValues] = splitValues(row);
  const [metrics, strayMetrics] = splitMetrics(row);
  const extras: Extras = {
    ...(strayValues !== null && { values: strayValues }),
    ...(strayMetrics !== null && { metrics: strayMetrics }),
  };
  const { session_id: session, id, trace_id: trace } = row.values;
  const alone = row.kind === 'session' || session === (row.kind === 'trace' ? id : trace);
  return {
    ...place,
    row,
    values,
    metrics,
    session: alone || typeof session !== 'string' ? null : storedUuid(session),
    present: presentOf(row.kind, values),
    rolledUp: rolledUpOf(metrics),
    extras: strayValues === null && strayMetrics === null ? null : JSON.stringify(extras),
    folded: foldedOf(values, misfolded),
  };
};

const splitValues = ({ kind, values }: RecordRow) =>
  split(values, (column) => hasColumn(kind, column));

const splitMetrics = ({ metrics }: RecordRow) =>
  split(metrics, (metric, cell) => {
    const type = registryType(metric);
    return type === null || fits(cell, type);
  });

/** What is kept, the object itself in the usual case that all is, and what is not: null when there is nothing. */
const split = <V>(
  members: Readonly<Record<string, V>>,
  isKept: (name: string, value: V) => boolean,
): readonly [Readonly<Record<string, V>>, Readonly<Record<string, V>> | null] => {
  const entries = Object.entries(members);
  const stray = entries.filter(([name, value]) => !isKept(name, value));
  if (stray.length === 0) return [members, null];
  const kept = entries.filter(([name, value]) => isKept(name, value));
  return [Object.fromEntries(kept), Object.fromEntries(stray)];
};

const presentOf = (kind: RecordKind, values: RecordRow['values']): number => {
  let present = 0;
  for (const column of Object.keys(values)) {
    const value = values[column];
    if (value === null || value === undefined || value === '') continue;
    if (Array.isArray(value) && value.length === 0) continue;
    if (standardColumn.get(column)?.kinds.includes(kind) === true) {
      present |= 1 << (presentBit.get(column) ?? 0);
    }
  }
  return present >>> 0;
};

const rolledUpOf = (metrics: RecordRow['metrics']): number => {
  let bits = 0;
  for (const metric of Object.keys(metrics)) {
    const bit = metrics[metric]?.rolledUp === true ? registryBit.get(metric) : undefined;
    if (bit !== undefined) bits |= 1 << bit;
  }
  return bits;
};

const foldedOf = (values: RecordRow['values'], misfolded: RegExp): string | null => {
  const folded: [string, string | readonly string[]][] = [];
  for (const { id } of textColumns) {
    const value = values[id];
    if (typeof value === 'string') {
      if (misfolded.test(value)) folded.push([id, foldedText(value)]);
    } else if (Array.isArray(value) && value.some((item: string) => misfolded.test(item))) {
      folded.push([id, value.map(foldedText)]);
    }
  }
  return folded.length === 0 ? null : JSON.stringify(Object.fromEntries(folded));
};

/** An unpaired surrogate would make the JSON text unreadable to the engine. */
export const foldedText = (text: string): string => foldCase(text.toWellFormed());

/** How to fill each of `recordColumns`, in their order. */
export const fillers: readonly ((stored: StoredRow) => DuckDBValue)[] = [
  (stored) => stored.key,
  (stored) => stored.grp,
  (stored) => stored.project,
  (stored) => stored.row.kind,
  (stored) => stored.session,
  (stored) => stored.row.spanCount,
  (stored) => stored.present,
  (stored) => stored.rolledUp,
  ({ row }) => (row.annotators.length === 0 ? null : listValue([...row.annotators])),
  (stored) => JSON.stringify(stored.row.body),
  (stored) => stored.extras,
  (stored) => stored.folded,
  ...storedStandard.map(({ id, store }) => ({ values }: StoredRow) => {
    const value = values[id];
    return value === null || value === undefined ? null : store(value);
  }),
  ...metricRegistry.map(({ name }) => ({ metrics }: StoredRow) => {
    const value = metrics[name]?.value;
    return typeof value === 'number' ? value + 0 : null;
  }),
];

/** The select list that `readRow` takes: all columns of `r`, then the group's name of `g`. */
export const selectList = [...recordColumns.map(({ sql }) => `r.${sql}`), 'g.name'].join(', ');

/** Rows of `facets` of one record: column id, num, bool, text, rolled_up, first_at, first_type, fraction. */
export type FacetRow = {
  readonly column: string;
  readonly cell: MetricCell | null;
  readonly text: string | null;
  readonly number: number | null;
};

const standardFrom = ownColumns.length;
const metricsFrom = standardFrom + storedStandard.length;

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
