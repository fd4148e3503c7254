import { listValue, type DuckDBValue } from '@duckdb/node-api';
import { foldCase } from '../../kernel/case-fold.js';
import { fits, registryType } from '../../kernel/column-value.js';
import { metricRegistry, standardColumns } from '../../kernel/columns.js';
import type { ColumnValue, MetricCell, RecordKind, RecordRow } from '../../kernel/records.js';
import { nextRow, type Chunks } from './chunks.js';
import {
  metricsFrom,
  ownColumns,
  populationOf,
  standardFrom,
  storedStandard,
  type OwnColumn,
} from './schema.js';

/** Where a record goes. */
export type Place = { readonly key: bigint; readonly grp: number; readonly project: number };

/** What fits no column: values of columns that the kind does not have, metrics not of the registry's type. */
export type Extras = {
  readonly values?: Readonly<Record<string, ColumnValue>>;
  readonly metrics?: Readonly<Record<string, MetricCell>>;
};

type Slot = {
  readonly column: number | null;
  readonly bit: number;
  readonly kinds: ReadonlySet<RecordKind>;
  readonly store: ((value: ColumnValue) => DuckDBValue) | null;
};
/** By column id. The project has no column of its own. */
const slots: ReadonlyMap<string, Slot> = new Map(
  standardColumns.map(({ id, kinds }, bit) => {
    const at = storedStandard.findIndex((one) => one.id === id);
    const column = at < 0 ? null : standardFrom + at;
    return [id, { column, bit, kinds: new Set(kinds), store: storedStandard[at]?.store ?? null }];
  }),
);
const metricSlots: ReadonlyMap<string, number> = new Map(
  metricRegistry.map(({ name }, at) => [name, at]),
);
const own = Object.fromEntries(ownColumns.map(({ name }, at) => [name, at])) as Readonly<
  Record<OwnColumn, number>
>;

/**
 * Puts the record into the next row of its table and answers its metrics outside the registry. Walks over the members
 * that the record has: most columns stay null, and asking a row for each of them would cost more than all the rest.
 */
export const fillRow = (
  chunks: Chunks,
  row: RecordRow,
  place: Place,
  misfolded: RegExp,
): readonly (readonly [string, MetricCell])[] => {
  const at = nextRow(chunks);
  const set = (column: number, value: DuckDBValue): void => {
    const cells = chunks.columns[column];
    if (cells !== undefined) cells[at] = value;
  };
  const [present, strayValues, folded] = fillValues(row, set, misfolded);
  const [rolledUp, strayMetrics, others] = fillMetrics(row, set);
  set(own.key, place.key);
  set(own.grp, place.grp);
  set(own.project, place.project);
  set(own.kind, row.kind);
  set(own.lone, isLone(row));
  set(own.span_count, row.spanCount);
  set(own.present, present);
  set(own.rolled_up, rolledUp);
  if (row.annotators.length > 0) set(own.annotators, listValue([...row.annotators]));
  set(own.body, JSON.stringify(row.body));
  if (strayValues !== null || strayMetrics !== null) {
    const extras: Extras = {
      ...(strayValues !== null && { values: Object.fromEntries(strayValues) }),
      ...(strayMetrics !== null && { metrics: Object.fromEntries(strayMetrics) }),
    };
    set(own.extras, JSON.stringify(extras));
  }
  if (folded !== null) set(own.folded, JSON.stringify(Object.fromEntries(folded)));
  return others;
};

type Entries<V> = [string, V][] | null;

const fillValues = (
  { kind, values }: RecordRow,
  set: (column: number, value: DuckDBValue) => void,
  misfolded: RegExp,
): readonly [number, Entries<ColumnValue>, Entries<string | readonly string[]>] => {
  let present = 0;
  let stray: Entries<ColumnValue> = null;
  let folded: Entries<string | readonly string[]> = null;
  // Sessions and traces keep columns that are not theirs too, as their project and run: queries know not to look.
  const isSpan = populationOf(kind) === 'span';
  for (const id of Object.keys(values)) {
    const value = values[id];
    const slot = slots.get(id);
    if (value === null || value === undefined) continue;
    const belongs = slot?.kinds.has(kind) === true;
    if (slot === undefined || (isSpan && !belongs)) {
      stray = [...(stray ?? []), [id, value]];
      continue;
    }
    if (slot.column !== null && slot.store !== null) set(slot.column, slot.store(value));
    if (belongs && value !== '' && !isEmptyList(value)) present |= 1 << slot.bit;
    if (isMisfolded(value, misfolded)) {
      folded = [
        ...(folded ?? []),
        [id, typeof value === 'string' ? foldedText(value) : value.map(foldedText)],
      ];
    }
  }
  return [present >>> 0, stray, folded];
};

const isEmptyList = (value: ColumnValue): boolean => Array.isArray(value) && value.length === 0;

const isMisfolded = (value: ColumnValue, misfolded: RegExp): value is string | readonly string[] =>
  typeof value === 'string'
    ? misfolded.test(value)
    : Array.isArray(value) && value.some((item: string) => misfolded.test(item));

/** An unpaired surrogate would make the JSON text unreadable to the engine. */
export const foldedText = (text: string): string => foldCase(text.toWellFormed());

const fillMetrics = (
  { metrics }: RecordRow,
  set: (column: number, value: DuckDBValue) => void,
): readonly [number, Entries<MetricCell>, readonly (readonly [string, MetricCell])[]] => {
  let rolledUp = 0;
  let stray: Entries<MetricCell> = null;
  const others: [string, MetricCell][] = [];
  for (const name of Object.keys(metrics)) {
    const cell = metrics[name];
    if (cell === undefined) continue;
    const slot = metricSlots.get(name);
    const type = registryType(name);
    if (slot === undefined || type === null) {
      others.push([name, cell]);
    } else if (typeof cell.value === 'number' && fits(cell, type)) {
      set(metricsFrom + slot, cell.value + 0);
      if (cell.rolledUp) rolledUp |= 1 << slot;
    } else {
      stray = [...(stray ?? []), [name, cell]];
    }
  }
  return [rolledUp, stray, others];
};

/** Logged outside any session: its `session_id` is that of its trace. */
const isLone = ({ kind, values }: RecordRow): boolean => {
  const { session_id: session, id, trace_id: trace } = values;
  return session === (kind === 'trace' ? id : trace);
};
