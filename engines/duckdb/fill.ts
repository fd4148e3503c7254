import { listValue, type DuckDBValue } from '@duckdb/node-api';
import { ratingKeys } from '../../kernel/records/feedback.js';
import { foldCase } from '../../kernel/case-fold.js';
import { registryType, visibleValue } from '../../kernel/records/column-value.js';
import { metricRegistry, standardColumns } from '../../kernel/records/columns.js';
import type {
  ColumnValue,
  MetricCell,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import { storedOutline } from '../../kernel/records/outlines.js';
import { nextRow, setCell, type Chunks } from './chunks.js';
import { headOf, outlineName, restName } from './long-text.js';
import { packedRow } from './packed-row.js';
import {
  metricsFrom,
  ownColumns,
  populationOf,
  standardFrom,
  storedStandard,
  textsApart,
  type OwnColumn,
} from './schema.js';

/** Where a record goes. */
export type RowPlace = { readonly key: bigint; readonly grp: number; readonly project: number };

type Slot = {
  readonly column: number | null;
  readonly bit: number;
  readonly kinds: ReadonlySet<RecordKind>;
  readonly store: ((value: ColumnValue) => DuckDBValue) | null;
  readonly apart: boolean;
};
const apart: ReadonlySet<string> = new Set(textsApart);
/** By column id. The project has no column of its own. */
const slots: ReadonlyMap<string, Slot> = new Map(
  standardColumns.map(({ id, kinds }, bit) => {
    const at = storedStandard.findIndex((one) => one.id === id);
    const column = at < 0 ? null : standardFrom + at;
    const store = storedStandard[at]?.store ?? null;
    return [id, { column, bit, kinds: new Set(kinds), store, apart: apart.has(id) }];
  }),
);
const metricSlots: ReadonlyMap<string, number> = new Map(
  metricRegistry.map(({ name }, at) => [name, at]),
);
const own = Object.fromEntries(ownColumns.map(({ name }, at) => [name, at])) as Readonly<
  Record<OwnColumn, number>
>;

type SetCell = (column: number, value: DuckDBValue) => void;

/** A text that its row has the beginning of; `name` is its column, or `rest`. */
export type LongText = { readonly name: string; readonly text: string };

/**
 * `metrics`: what of a record has no column, those outside the registry. `measured`: metrics of the
 * registry with a value. `folded`: columns with a folded text. `long`: what has to
 * lie in pieces.
 */
export type Filled = {
  readonly metrics: readonly (readonly [string, MetricCell])[];
  readonly measured: readonly string[];
  readonly folded: readonly string[];
  readonly long: readonly LongText[];
};

/**
 * Puts the record into the next row of its table. Walks over the members that the record has: most
 * columns stay null, and asking a row for each of them would cost more than all the rest.
 */
export const fillRow = (
  chunks: Chunks,
  row: RecordRow,
  place: RowPlace,
  misfolded: RegExp,
): Filled => {
  nextRow(chunks);
  const set: SetCell = (column, value) => setCell(chunks, column, value);
  const kept = populationOf(row.kind) === 'span' ? withoutCopies(row) : row;
  const { values, folded, long, bytes } = fillValues(kept, set, misfolded);
  set(own.key, place.key);
  set(own.grp, place.grp);
  set(own.project, place.project);
  set(own.kind, row.kind);
  set(own.lone, isLone(row));
  set(own.span_count, row.spanCount);
  set(own.present, presentIn(row));
  if (kept.annotators.length > 0) {
    set(own.annotators, listValue([...kept.annotators]));
    set(own.ratings, listValue([...ratingKeys(row)]));
  }
  if (folded !== null) set(own.folded, JSON.stringify(folded));
  const rest = packedRow(kept, values);
  const putText = (column: number, name: string, text: string): boolean => {
    const head = headOf(text);
    set(column, head);
    if (head !== text) long.push({ name, text });
    return head !== text;
  };
  // Of a record that is long by itself, so that nobody reads all of it for this.
  const outline = putText(own.rest, restName, rest) ? storedOutline(row) : null;
  if (outline !== null) putText(own.outline, outlineName, outline);
  set(own.bytes, bytes + Buffer.byteLength(rest) + unpackedBytes);
  set(own.long, long.length > 0);
  return { ...fillMetrics(row, set), folded: Object.keys(folded ?? {}), long };
};

/** What of a record is told by its place in `rest`: what reads it takes so much more. */
const unpackedBytes = 512;

type Folded = Record<string, string | readonly string[]>;

/** What a span has of its trace lies with the trace alone: see `readRow` and source.ts. */
const withoutCopies = (row: RecordRow): RecordRow => {
  const { is_complete: _, ...values } = row.values;
  return { ...row, values, annotators: [] };
};

/** Bit by place in contract 3.3. */
const presentIn = ({ kind, values }: RecordRow): number => {
  let present = 0;
  for (const id of Object.keys(values)) {
    const value = values[id];
    const slot = slots.get(id);
    if (value === null || value === undefined || value === '' || isEmptyList(value)) continue;
    if (slot?.kinds.has(kind) === true) present |= 1 << slot.bit;
  }
  return present >>> 0;
};

const fillValues = (
  { kind, values }: RecordRow,
  set: SetCell,
  misfolded: RegExp,
): {
  /** Those that are not kept apart. */
  readonly values: RecordRow['values'];
  readonly folded: Folded | null;
  readonly long: LongText[];
  /** Of the texts kept apart. */
  readonly bytes: number;
} => {
  let bytes = 0;
  let folded: Folded | null = null;
  const long: LongText[] = [];
  const rest: Record<string, ColumnValue> = {};
  // Sessions and traces keep columns that are not theirs too, as their project and run: queries
  // know not to look.
  const isSpan = populationOf(kind) === 'span';
  for (const id of Object.keys(values)) {
    const given = values[id];
    const slot = slots.get(id);
    if (given === null || given === undefined) continue;
    const belongs = slot?.kinds.has(kind) === true;
    const isStored = slot !== undefined && (belongs || !isSpan);
    if (!isStored || !slot.apart) rest[id] = given;
    if (!isStored) continue;
    if (slot.apart) bytes += Buffer.byteLength(String(given));
    const value = typeof given === 'string' ? headOf(given) : given;
    if (typeof given === 'string' && value !== given) long.push({ name: id, text: given });
    if (slot.column !== null && slot.store !== null) set(slot.column, slot.store(value));
    if (isMisfolded(value, misfolded)) {
      folded ??= {};
      folded[id] = typeof value === 'string' ? foldedText(value) : value.map(foldedText);
    }
  }
  return { values: rest, folded, long, bytes };
};

const isEmptyList = (value: ColumnValue): boolean => Array.isArray(value) && value.length === 0;

const isMisfolded = (value: ColumnValue, misfolded: RegExp): value is string | readonly string[] =>
  typeof value === 'string'
    ? misfolded.test(value)
    : Array.isArray(value) && value.some((item: string) => misfolded.test(item));

/** An unpaired surrogate would make the JSON text unreadable to the engine. */
export const foldedText = (text: string): string => foldCase(text.toWellFormed());

/**
 * A value that is not of the registry's type stays in the record and shows nowhere (contract 3.4,
 * rule 3).
 */
const fillMetrics = (
  { metrics }: RecordRow,
  set: SetCell,
): Pick<Filled, 'metrics' | 'measured'> => {
  const others: [string, MetricCell][] = [];
  const measured: string[] = [];
  for (const name of Object.keys(metrics)) {
    const cell = metrics[name];
    if (cell === undefined) continue;
    const slot = metricSlots.get(name);
    const type = registryType(name);
    if (slot === undefined || type === null) others.push([name, cell]);
    else {
      const value = visibleValue(cell, type);
      if (typeof value !== 'number') continue;
      set(metricsFrom + slot, value);
      measured.push(name);
    }
  }
  return { metrics: others, measured };
};

/** Logged outside any session: its `session_id` is that of its trace. */
const isLone = ({ kind, values }: RecordRow): boolean => {
  const { session_id: session, id, trace_id: trace } = values;
  return session === (kind === 'trace' ? id : trace);
};
