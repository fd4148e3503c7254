import { DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import type { StreamName } from '../../kernel/ports.js';
import type { ColumnValue, Population, RecordRow } from '../../kernel/records/record.js';
import type { Rows, Statements } from './connections.js';
import { joined, restName, type Piece } from './long-text.js';
import { groupFrom, keysAtATime, sizesOf, within, type GroupSize, type Sized } from './portions.js';
import { unpackedRow } from './packed-row.js';
import { ordinalsMax, tableOf, textsApart } from './schema.js';

/**
 * What one statement reads: all of its rows are in memory at the same time, and twice, and made
 * into texts without a turn for others, some 10 ms.
 */
export const portionBytes = 2 * 1_048_576;

/** Records by their keys, in no order; an unknown key is left out. */
export const rowsByKey = async (
  statements: Statements,
  population: Population,
  keys: readonly bigint[],
): Promise<ReadonlyMap<bigint, RecordRow>> =>
  rowsOfSized(statements, population, await sizesOf(statements, population, keys));

/** Reads in portions, so that a page of long texts does not take the writer's memory. */
export const rowsOfSized = async (
  statements: Statements,
  population: Population,
  sized: readonly Sized[],
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const found = new Map<bigint, RecordRow>();
  for (let from = 0; from < sized.length;) {
    const portion = within(sized.slice(from, from + keysAtATime), portionBytes);
    from += portion.length;
    await readPortion(statements, population, portion, found);
  }
  return population === 'span' ? withCopies(await copiesFor(statements, found), found) : found;
};

/** What all spans of a trace have of it. */
type Copy = { readonly complete: ColumnValue | undefined; readonly annotators: readonly string[] };

const traceKeyOf = (key: bigint): bigint => key - (key % BigInt(ordinalsMax));

const copiesFor = async (
  { rows }: Statements,
  spans: ReadonlyMap<bigint, RecordRow>,
): Promise<ReadonlyMap<bigint, Copy>> => {
  const keys = [...new Set([...spans.keys()].map(traceKeyOf))];
  const copies = new Map<bigint, Copy>();
  for (let from = 0; from < keys.length; from += keysAtATime) {
    const list = keys.slice(from, from + keysAtATime).join(', ');
    const stored = await rows(
      `SELECT key, is_complete, annotators FROM traces WHERE key IN (${list})`,
    );
    for (const [key, complete, annotators] of stored) {
      const pairs = annotators instanceof DuckDBListValue ? annotators.items.map(String) : [];
      const isKnown = typeof complete === 'boolean';
      copies.set(key as bigint, { complete: isKnown ? complete : undefined, annotators: pairs });
    }
  }
  return copies;
};

const withCopies = (
  copies: ReadonlyMap<bigint, Copy>,
  spans: ReadonlyMap<bigint, RecordRow>,
): ReadonlyMap<bigint, RecordRow> =>
  new Map(
    [...spans].map(([key, span]) => {
      const { complete, annotators = [] } = copies.get(traceKeyOf(key)) ?? {};
      const values =
        typeof complete === 'boolean' ? { ...span.values, is_complete: complete } : span.values;
      return [key, { ...span, values, annotators }];
    }),
  );

const readPortion = async (
  statements: Statements,
  population: Population,
  portion: readonly Sized[],
  found: Map<bigint, RecordRow>,
): Promise<void> => {
  const keys = portion.map(({ key }) => key).join(', ');
  const stored = await statements.rows(
    `SELECT ${rowColumns} FROM ${tableOf[population]} WHERE key IN (${keys})`,
  );
  for (const [key, row] of await rowsFrom(statements, stored)) found.set(key, row);
};

/** What `rowsFrom` reads a record from, in this order; more may follow. */
export const rowColumns = ['key', 'long', 'rest', ...textsApart.map((id) => `"${id}"`)].join(', ');

const rowsFrom = async (
  { rows }: Statements,
  stored: Rows,
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const long = stored.filter(([, isLong]) => isLong === true).map(([key]) => String(key));
  const pieces = new Map<string, Piece[]>();
  const parts = long.length === 0 ? [] : await rows(piecesSql(long));
  for (const [key, name, start, text] of parts) {
    const place = `${String(key)} ${String(name)}`;
    const known = pieces.get(place) ?? [];
    known.push({ start: Number(start), text: String(text) });
    pieces.set(place, known);
  }
  return new Map(stored.map((row) => [row[0] as bigint, readRow(row, pieces)]));
};

/** All rows of one group by ordinal, from what is stored of them. */
export const rowsOfOne = async (
  statements: Statements,
  stored: Rows,
): Promise<readonly RecordRow[]> => {
  const rows = [...(await rowsFrom(statements, stored))];
  rows.sort(([, one], [, other]) => one.ordinal - other.ordinal);
  const [first, ...spans] = rows;
  if (first === undefined) return [];
  const [key, { annotators, values }] = first;
  const copies = new Map([[key, { complete: values['is_complete'], annotators }]]);
  return [first[1], ...withCopies(copies, new Map(spans)).values()];
};

const readNames = [restName, ...textsApart].map((name) => `'${name}'`).join(', ');

const piecesSql = (keys: readonly string[]): string =>
  `SELECT key, name, start, text FROM texts
   WHERE key IN (${keys.join(', ')}) AND name IN (${readNames})`;

/** What is in pieces has only its beginning in the row. */
const readRow = (
  [key, , ...stored]: readonly DuckDBValue[],
  pieces: ReadonlyMap<string, readonly Piece[]>,
): RecordRow => {
  const [rest, ...texts] = [restName, ...textsApart].map((name, at) => {
    const long = pieces.get(`${String(key)} ${name}`);
    return long === undefined ? stored[at] : joined(long);
  });
  const row = unpackedRow(String(rest));
  const values: Record<string, ColumnValue> = { ...row.values };
  textsApart.forEach((id, at) => {
    const text = texts[at];
    if (typeof text === 'string') values[id] = text;
  });
  return { ...row, values };
};

export type NamedGroup = GroupSize & { readonly name: StreamName };

/** Of `grp`, `size`, `name`. */
export const namedFrom = ([grp = null, size = null, name]: readonly DuckDBValue[]): NamedGroup => ({
  ...groupFrom([grp, size]),
  name: String(name) as StreamName,
});

const plainName = /^[\w-]+$/;

/** Groups by name. Names stand in the statement as constants, since only those reach the index. */
export const groupsNamed = async (
  { rows }: Statements,
  names: readonly string[],
): Promise<readonly NamedGroup[]> => {
  const found: NamedGroup[] = [];
  for (let from = 0; from < names.length; from += keysAtATime) {
    const some = names.slice(from, from + keysAtATime);
    if (!some.every((name) => plainName.test(name))) throw new TypeError('not a stream name');
    const list = some.map((name) => `'${name}'`).join(', ');
    const groups = await rows(`SELECT grp, size, name FROM groups WHERE name IN (${list})`);
    found.push(...groups.map(namedFrom));
  }
  return found;
};
