import { parseJsonText } from '../../kernel/json-text.js';
import { populationOf, standardColumns } from '../../kernel/records/columns.js';
import { streamNameOf, type StreamName } from '../../kernel/ports.js';
import type {
  ColumnValue,
  MetricCell,
  MetricValue,
  RecordKind,
  RecordRow,
} from '../../kernel/records/record.js';

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
type Values = RecordRow['values'];

/** Parts of a record that are stored elsewhere. */
type PackOptions = {
  /** Standard columns to omit: bit set by their order in contract 3.3. */
  readonly elsewhere: number;
  /** Annotators to include. */
  readonly annotators: readonly string[];
  /** Members of the body to include. */
  readonly body: RecordRow['body'];
};

/** Packs the record as text, without repetition. */
export const packRow = (row: RecordRow, { elsewhere, annotators, body }: PackOptions): string => {
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
    values,
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
const ownId = (kind: RecordKind, values: Values): ColumnValue =>
  values[populationOf(kind) === 'span' ? 'trace_id' : 'id'] ?? null;

const usualGroup = (noun: string, { project_id: project }: Values, own: ColumnValue): StreamName =>
  streamNameOf(noun, String(project), String(own));

const packGroup = (group: StreamName, values: Values, own: ColumnValue): Packed[2] => {
  const noun = group.slice(0, Math.max(0, group.indexOf('-')));
  return group === usualGroup(noun, values, own) ? noun : [group];
};
const unpackGroup = (group: Packed[2], values: Values, own: ColumnValue): StreamName =>
  typeof group === 'string' ? usualGroup(group, values, own) : group[0];

const presenceBits = 32;

/** Throws if there are more standard columns than bits in a row's bit set. */
export const checkPresenceBits = (columns: readonly unknown[]): void => {
  if (columns.length <= presenceBits) return;
  throw new TypeError(
    `${columns.length} standard columns exceed the ${presenceBits} bits of a row`,
  );
};
checkPresenceBits(standardColumns);

const columns = standardColumns.map(({ id }) => id);
/** Id columns that often equal the record's own id, and the mark that replaces it. */
const ownIdColumns: ReadonlySet<string> = new Set(['session_id', 'parent_id']);
const ownIdMark = 0;

const packValues = (
  values: Values,
  elsewhere: number,
  own: ColumnValue,
): [Packed[3], Packed[4]] => {
  let present = 0;
  const kept: ColumnValue[] = [];
  for (let bit = 0; bit < columns.length; bit += 1) {
    if ((elsewhere & (1 << bit)) !== 0) continue;
    const id = columns[bit] as string;
    const value = values[id];
    if (value === undefined || value === null) continue;
    present |= 1 << bit;
    kept.push(value === own && ownIdColumns.has(id) ? ownIdMark : value);
  }
  return [present >>> 0, kept];
};

const unpackValues = (kind: RecordKind, present: number, kept: Packed[4]): Values => {
  const values: Record<string, ColumnValue> = {};
  let next = 0;
  for (const [bit, id] of columns.entries()) {
    if ((present & (1 << bit)) !== 0) values[id] = kept[next++] ?? null;
  }
  const own = ownId(kind, values);
  for (const id of ownIdColumns) if (values[id] === ownIdMark) values[id] = own;
  return values;
};

const packCells = (metrics: RecordRow['metrics']): NonNullable<Packed[5]> => {
  const cells: (string | PackedCell)[] = [];
  for (const name of Object.keys(metrics)) {
    const cell = metrics[name];
    if (cell !== undefined) cells.push(name, packCell(cell));
  }
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
