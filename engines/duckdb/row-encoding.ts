import { ratingKeys, ratingTexts } from '../../kernel/records/feedback.js';
import { foldCase } from '../../kernel/case-fold.js';
import { registryType, visibleValue } from '../../kernel/records/column-value.js';
import {
  columnIndex as at,
  metricRegistry,
  populationOf,
  spanKinds,
  standardColumns,
} from '../../kernel/records/columns.js';
import type { ColumnValue, RecordKind } from '../../kernel/records/record.js';
import {
  rowOfCells,
  type MetricEntry,
  type RecordCells,
} from '../../kernel/records/record-cells.js';
import { storedOutline } from '../../kernel/records/outlines.js';
import { splitBody } from '../../kernel/records/record-contents.js';
import { bitSetOf, isHighBit, maskOf } from './bit-set.js';
import type { CellValue } from './column-vector.js';
import { beginRow, setCell, type ChunkBuffer } from './chunk-buffer.js';
import { contentName, headOf, outlineName, restName } from './long-text.js';
import { packRow } from './packed-row.js';
import {
  metricsFrom,
  ownColumns,
  standardFrom,
  standardStorage,
  unpackedTextColumns,
  type OwnColumn,
} from './schema.js';

/** Key, group and project of a record's row. */
export type RowKey = { readonly key: number; readonly grp: number; readonly project: number };

/** A standard column, as records of one kind fill it. */
type Slot = {
  readonly id: string;
  /** Bit of the column in its word, by its order in contract 3.3. */
  readonly mask: number;
  readonly isHigh: boolean;
  /** Index of the column; null for the project, which has none. */
  readonly column: number | null;
  readonly store: (value: ColumnValue) => CellValue;
  readonly isApart: boolean;
  /** True if it holds texts that the engine has to fold. */
  readonly isText: boolean;
  /** True if this kind has the column. */
  readonly belongs: boolean;
  /**
   * True if a span inherits it from its trace, which alone stores it: see `readRows` and
   * record-source.ts.
   */
  readonly isCopied: boolean;
  /**
   * Sessions and traces store columns of other kinds too, such as project and run; queries skip
   * them.
   */
  readonly isStored: boolean;
};

const unpackedColumns: ReadonlySet<string> = new Set(unpackedTextColumns);
const slotsOf = (kind: RecordKind): readonly Slot[] =>
  standardColumns.map(({ id, kinds, type }, index) => {
    const stored = standardStorage.findIndex((one) => one.id === id);
    const belongs = kinds.includes(kind);
    const isCopied = id === 'is_complete' && populationOf(kind) === 'span';
    return {
      id,
      mask: maskOf(index),
      isHigh: isHighBit(index),
      column: stored < 0 ? null : standardFrom + stored,
      store: standardStorage[stored]?.store ?? String,
      isApart: unpackedColumns.has(id),
      isText: type === 'text' || type === 'string_list',
      belongs,
      isCopied,
      isStored: !isCopied && (belongs || populationOf(kind) !== 'span'),
    };
  });
const slotsByKind: ReadonlyMap<RecordKind, readonly Slot[]> = new Map(
  (['session', 'trace', ...spanKinds] as const).map((kind) => [kind, slotsOf(kind)]),
);
/** Columns that the packed text of a record of the kind omits. */
const elsewhereByKind: ReadonlyMap<RecordKind, readonly boolean[]> = new Map(
  [...slotsByKind].map(([kind, slots]) => [
    kind,
    slots.map(({ isCopied, isStored, isApart }) => isCopied || (isStored && isApart)),
  ]),
);
const metricSlots: ReadonlyMap<string, number> = new Map(
  metricRegistry.map(({ name }, at) => [name, at]),
);
const ownColumnIndex = Object.fromEntries(ownColumns.map(({ name }, at) => [name, at])) as Readonly<
  Record<OwnColumn, number>
>;

type SetCell = (column: number, value: CellValue) => void;

/** A text of which the row has the beginning; `name` is its column, or `rest`. */
export type LongText = { readonly name: string; readonly text: string };

/**
 * `metrics`: metrics outside the registry, which have no column. `measured`: metrics of the
 * registry with a value. `folded`: columns with a folded text. `long`: texts to store in pieces.
 */
export type EncodedRow = {
  readonly metrics: readonly MetricEntry[];
  readonly measured: readonly string[];
  readonly folded: readonly string[];
  readonly long: readonly LongText[];
};

/** Encodes the record into the next row of its table. */
export const encodeRow = (
  chunks: ChunkBuffer,
  row: RecordCells,
  place: RowKey,
  misfolded: RegExp,
): EncodedRow => {
  beginRow(chunks);
  const set: SetCell = (column, value) => setCell(chunks, column, value);
  const { present, folded: foldedValues, long, bytes } = encodeValues(row, set, misfolded);
  const annotators = populationOf(row.kind) === 'span' ? [] : row.annotators;
  set(ownColumnIndex.key, place.key);
  set(ownColumnIndex.grp, place.grp);
  set(ownColumnIndex.project, place.project);
  set(ownColumnIndex.kind, row.kind);
  set(ownColumnIndex.lone, isLone(row));
  set(ownColumnIndex.span_count, row.spanCount);
  set(ownColumnIndex.present, present);
  if (annotators.length > 0) {
    set(ownColumnIndex.annotators, annotators);
  }
  const folded = encodeRatings(row, set, misfolded, foldedValues);
  if (folded !== null) set(ownColumnIndex.folded, JSON.stringify(folded));
  const [body, contents] = splitBody(row.body);
  const rest = packRow(row, { elsewhere: elsewhereByKind.get(row.kind) ?? [], annotators, body });
  const putText = (column: number, name: string, text: string): boolean => {
    const head = headOf(text);
    set(column, head);
    if (head !== text) long.push({ name, text });
    return head !== text;
  };
  // Only for a long record, so that its outline is read without the rest.
  const outline = putText(ownColumnIndex.rest, restName, rest)
    ? storedOutline(rowOfCells(row))
    : null;
  if (outline !== null) putText(ownColumnIndex.outline, outlineName, outline);
  const content = contents === null ? '' : JSON.stringify(contents);
  if (content !== '') putText(ownColumnIndex.content, contentName, content);
  const brief = Buffer.byteLength(rest) + unpackedBytes;
  set(ownColumnIndex.brief_bytes, brief);
  set(ownColumnIndex.bytes, brief + bytes + Buffer.byteLength(content));
  set(ownColumnIndex.long, long.length > 0);
  const { metrics, measured } = encodeMetrics(row, set);
  // A spread with added members would cost a quarter of all this.
  return { metrics, measured, folded: folded === null ? noColumns : Object.keys(folded), long };
};

const noColumns: readonly string[] = [];

/** Adds the rating lists; returns `folded` with those that the engine folds wrongly. */
const encodeRatings = (
  row: RecordCells,
  set: SetCell,
  misfolded: RegExp,
  folded: FoldedTexts | null,
): FoldedTexts | null => {
  if (row.kind !== 'trace' || row.annotators.length === 0) return folded;
  let all = folded;
  for (const [name, list] of [
    ['ratings', ratingKeys(row)],
    ['rating_texts', ratingTexts(row)],
  ] as const) {
    if (list.length === 0) continue;
    set(ownColumnIndex[name], list);
    if (isMisfolded(list, misfolded)) all = { ...all, [name]: list.map(foldedText) };
  }
  return all;
};

/** Allowance for the record parts that `rest` encodes by position and decoding expands. */
const unpackedBytes = 512;

type FoldedTexts = Record<string, string | readonly string[]>;

type EncodedValues = {
  /** Columns of its kind with a value: bit set by order in contract 3.3. */
  readonly present: number;
  readonly folded: FoldedTexts | null;
  readonly long: LongText[];
  /** Bytes of the texts stored apart. */
  readonly bytes: number;
};

const encodeValues = (
  { kind, values }: RecordCells,
  set: SetCell,
  misfolded: RegExp,
): EncodedValues => {
  let [low, high, bytes] = [0, 0, 0];
  let folded: FoldedTexts | null = null;
  const long: LongText[] = [];
  const slots = slotsByKind.get(kind) ?? [];
  // Iterators of pairs would be most of the garbage of a record.
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index] as Slot;
    const given = values[index];
    if (given === null || given === undefined) continue;
    if (slot.belongs && !isEmpty(given)) {
      if (slot.isHigh) high |= slot.mask;
      else low |= slot.mask;
    }
    if (!slot.isStored) continue;
    const length = slot.isApart ? Buffer.byteLength(String(given)) : -1;
    if (slot.isApart) bytes += length;
    const value = typeof given === 'string' ? headOf(given) : given;
    if (typeof given === 'string' && value !== given) long.push({ name: slot.id, text: given });
    if (slot.column !== null) set(slot.column, slot.store(value));
    // A text as long as its bytes is ASCII, which the engine folds well.
    const isAscii = typeof given === 'string' && length === given.length;
    if (slot.isText && !isAscii && isMisfolded(value, misfolded)) {
      folded ??= {};
      folded[slot.id] = typeof value === 'string' ? foldedText(value) : value.map(foldedText);
    }
  }
  return { present: bitSetOf(low, high), folded, long, bytes };
};

const isEmpty = (value: ColumnValue): boolean =>
  value === '' || (Array.isArray(value) && value.length === 0);

const isMisfolded = (value: ColumnValue, misfolded: RegExp): value is string | readonly string[] =>
  typeof value === 'string'
    ? misfolded.test(value)
    : Array.isArray(value) && value.some((item: string) => misfolded.test(item));

/** Folded text. An unpaired surrogate would make the JSON unreadable to the engine. */
export const foldedText = (text: string): string => foldCase(text.toWellFormed());

/**
 * Encodes the metrics. A value of another type than the registry's stays in the record and is never
 * shown (contract 3.4, rule 3).
 */
const encodeMetrics = (
  { metrics }: RecordCells,
  set: SetCell,
): Pick<EncodedRow, 'metrics' | 'measured'> => {
  const others: MetricEntry[] = [];
  const measured: string[] = [];
  for (const entry of metrics) {
    const name = entry[0];
    const cell = entry[1];
    const slot = metricSlots.get(name);
    const type = registryType(name);
    if (slot === undefined || type === null) others.push(entry);
    else {
      const value = visibleValue(cell, type);
      if (typeof value !== 'number') continue;
      set(metricsFrom + slot, value);
      measured.push(name);
    }
  }
  return { metrics: others, measured };
};

/** True if logged outside any session: its `session_id` is that of its trace. */
const isLone = ({ kind, values }: RecordCells): boolean =>
  values[at.session_id] === values[kind === 'trace' ? at.id : at.trace_id];
