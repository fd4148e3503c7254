import { parseJsonText } from '../../kernel/json-text.js';
import { bitSetOf, bitsMax, hasBit, isHighBit, maskOf } from './bit-set.js';
import { columnIndex as at, populationOf, standardColumns } from '../../kernel/records/columns.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type {
  ColumnValue,
  MetricCell,
  MetricValue,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';
import {
  namedValues,
  type ColumnValues,
  type MetricEntry,
  type RecordCells,
} from '../../kernel/records/record-cells.js';

// As plain JSON, a span of 450 bytes is a record of 850: member names, ids repeated four times,
// empty members. All of it goes to the write-ahead log, and is written again at a checkpoint.

/** Packed record, members in this order; trailing empty ones are omitted. */
type Packed = readonly [
  kind: RecordKind,
  ordinal: number,
  /** Group: only its noun if the name is derived from the project and the record's own id. */
  group: string | readonly [StreamName],
  /** Bit set of the standard columns with a value, by their order in contract 3.3. */
  present: number,
  values: readonly ColumnValue[],
  /** Name, cell, name, cell. */
  metrics?: readonly (string | PackedCell)[],
  body?: RecordRow['body'],
  spanCount?: number,
  userMetadata?: RecordRow['userMetadata'],
  annotators?: RecordRow['annotators'],
  errors?: RecordRow['errors'],
];
/** Cell: an own value, a rolled-up one in an array, or a cell with further members. */
type PackedCell = MetricValue | readonly [MetricValue] | MetricCell;

/** Parts of a record that are stored elsewhere. */
type PackOptions = {
  /** True for standard columns to omit, by their order in contract 3.3. */
  readonly elsewhere: readonly boolean[];
  /** Annotators to include. */
  readonly annotators: readonly string[];
  /** Members of the body to include. */
  readonly body: RecordRow['body'];
};

/** Packs the record as text, without repetition. */
export const packRow = (row: RecordCells, { elsewhere, annotators, body }: PackOptions): string => {
  const { kind, ordinal, values, spanCount, userMetadata, errors } = row;
  const own = ownId(kind, values);
  const [present, kept] = packValues(values, elsewhere, own);
  const packed: unknown[] = [kind, ordinal, packGroup(row.group, values, own), present, kept];
  packed.push(packCells(row.metrics), body, spanCount, userMetadata, annotators, errors);
  while (isEmpty(packed.at(-1))) packed.pop();
  return JSON.stringify(packed);
};

/** Unpacks a record; its values are in the order of contract 3.3. */
export const unpackRow = (text: string): RecordRow => {
  const [kind, ordinal, group, present, kept, metrics = [], ...more] = parseJsonText(
    text,
  ) as Packed;
  const [body = {}, spanCount = 0, userMetadata = {}, annotators = [], errors = {}] = more;
  const values = unpackValues(kind, present, kept);
  return {
    group: unpackGroup(group, values, ownId(kind, values)),
    ordinal,
    kind,
    values: namedValues(values),
    metrics: Object.fromEntries(unpackCells(metrics)),
    userMetadata,
    errors,
    annotators,
    spanCount,
    body,
  };
};

const isEmpty = (member: unknown): boolean => {
  if (typeof member !== 'object' || member === null) return member === 0;
  for (const _ in member) return false;
  return true;
};

/** The trace's id; for a session its own id. */
const ownId = (kind: RecordKind, values: ColumnValues): ColumnValue =>
  values[populationOf(kind) === 'span' ? at.trace_id : at.id] ?? null;

const usualGroup = (noun: string, values: ColumnValues, own: ColumnValue): StreamName =>
  streamNameOf(noun, String(values[at.project_id]), String(own));

const packGroup = (group: StreamName, values: ColumnValues, own: ColumnValue): Packed[2] => {
  const project = values[at.project_id];
  // All rows of a trace share it.
  if (group === last.group && project === last.project && own === last.own) return last.packed;
  const noun = group.slice(0, Math.max(0, group.indexOf('-')));
  const packed: Packed[2] = group === usualGroup(noun, values, own) ? noun : [group];
  last = { group, project, own, packed };
  return packed;
};
let last: {
  readonly group: string;
  readonly project: ColumnValue | undefined;
  readonly own: ColumnValue;
  readonly packed: Packed[2];
} = { group: '', project: null, own: null, packed: '' };
const unpackGroup = (group: Packed[2], values: ColumnValues, own: ColumnValue): StreamName =>
  typeof group === 'string' ? usualGroup(group, values, own) : group[0];

/** Throws if there are more standard columns than bits in a row's bit set. */
export const checkPresenceBits = (columns: readonly unknown[]): void => {
  if (columns.length <= bitsMax) return;
  throw new TypeError(`${columns.length} standard columns exceed the ${bitsMax} bits of a row`);
};
checkPresenceBits(standardColumns);

/** Id columns that often equal the record's own id, and the mark that replaces it. */
const ownIdColumns: readonly number[] = [at.session_id, at.parent_id];
const ownIdMark = 0;

const packValues = (
  values: ColumnValues,
  elsewhere: readonly boolean[],
  own: ColumnValue,
): [Packed[3], Packed[4]] => {
  let [low, high] = [0, 0];
  const kept: ColumnValue[] = [];
  for (let bit = 0; bit < standardColumns.length; bit += 1) {
    const value = values[bit];
    if (value === undefined || value === null || elsewhere[bit] === true) continue;
    if (isHighBit(bit)) high |= maskOf(bit);
    else low |= maskOf(bit);
    kept.push(value === own && ownIdColumns.includes(bit) ? ownIdMark : value);
  }
  return [bitSetOf(low, high), kept];
};

const unpackValues = (kind: RecordKind, present: number, kept: Packed[4]): ColumnValues => {
  let next = 0;
  const values = standardColumns.map((_, bit) =>
    hasBit(present, bit) ? (kept[next++] ?? null) : undefined,
  );
  const own = ownId(kind, values);
  for (const column of ownIdColumns) if (values[column] === ownIdMark) values[column] = own;
  return values;
};

const packCells = (metrics: readonly MetricEntry[]): NonNullable<Packed[5]> => {
  const cells: (string | PackedCell)[] = [];
  for (const [name, cell] of metrics) cells.push(name, packCell(cell));
  return cells;
};

const packCell = (cell: MetricCell): PackedCell => {
  if (Object.keys(cell).length > 2) return cell;
  return cell.rolledUp ? [cell.value] : cell.value;
};

function* unpackCells(metrics: NonNullable<Packed[5]>): Iterable<readonly [string, MetricCell]> {
  for (let at = 0; at < metrics.length; at += 2) {
    yield [metrics[at] as string, unpackCell(metrics[at + 1] as PackedCell)];
  }
}

const unpackCell = (cell: PackedCell): MetricCell => {
  if (typeof cell !== 'object') return { value: cell, rolledUp: false };
  return 'value' in cell ? cell : { value: cell[0], rolledUp: true };
};
