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

// As plain JSON a span of 450 bytes is a record of 850: names of members, ids that are in it four
// times, members that are empty. All of it is logged ahead, and written again at a checkpoint.

/** In this order; empty ones at the end are left out. */
type Packed = readonly [
  kind: RecordKind,
  ordinal: number,
  /** The noun, of a group that is called after the project and the record's own id. */
  group: string | readonly [StreamName],
  /** Which standard columns have a value: bit by place in contract 3.3. */
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
/** A value of the record itself, one that is rolled up, or a cell that has more than these. */
type PackedCell = MetricValue | readonly [MetricValue] | MetricCell;
type Values = RecordRow['values'];

/** What of a record its text need not say, since it is known from elsewhere. */
type PackOptions = {
  /** Standard columns: bit by place in contract 3.3. */
  readonly elsewhere: number;
  /** Those to say. */
  readonly annotators: readonly string[];
};

/** The record as text; nothing of it is said twice. */
export const packRow = (row: RecordRow, { elsewhere, annotators }: PackOptions): string => {
  const { kind, ordinal, values, body, spanCount, userMetadata, errors } = row;
  const own = ownId(kind, values);
  const [present, kept] = packValues(values, elsewhere, own);
  const packed: unknown[] = [kind, ordinal, packGroup(row.group, values, own), present, kept];
  packed.push(packCells(row.metrics), body, spanCount, userMetadata, annotators, errors);
  while (isEmpty(packed.at(-1))) packed.pop();
  return JSON.stringify(packed);
};

/** The record again; its values come in the order of contract 3.3. */
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

/** Of the record's trace; of a session its own. */
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

/** Throws where there are more columns than a row has bits that say which of them it has. */
export const checkPresenceBits = (columns: readonly unknown[]): void => {
  if (columns.length <= presenceBits) return;
  throw new TypeError(`${columns.length} standard columns, and ${presenceBits} bits for them`);
};
checkPresenceBits(standardColumns);

const columns = standardColumns.map(({ id }) => id);
/** Columns of ids that often have the own one, and what stands for it there. */
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
