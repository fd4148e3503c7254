import { DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import type { StreamName } from '../../kernel/ports.js';
import type { ColumnValue, Population, RecordRow } from '../../kernel/records/record.js';
import type { Statements } from './connections.js';
import { joined, restName, type Piece } from './long-text.js';
import { groupFrom, keysAtATime, sizesOf, within, type GroupSize, type Sized } from './portions.js';
import { ordinalsMax, tableOf, textsApart } from './schema.js';

/**
 * What one statement reads: all of its rows are in memory at the same time, and twice, and made
 * into texts without a turn for others, some 10 ms.
 */
const portionBytes = 2 * 1_048_576;

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
  return population === 'span' ? withCopies(statements, found) : found;
};

/** Spans with what they have of their traces. */
const withCopies = async (
  { rows }: Statements,
  spans: ReadonlyMap<bigint, RecordRow>,
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const traceOf = (key: bigint): bigint => key - (key % BigInt(ordinalsMax));
  const keys = [...new Set([...spans.keys()].map(traceOf))];
  const copies = new Map<bigint, readonly DuckDBValue[]>();
  for (let from = 0; from < keys.length; from += keysAtATime) {
    const list = keys.slice(from, from + keysAtATime).join(', ');
    const stored = await rows(
      `SELECT key, is_complete, annotators FROM traces WHERE key IN (${list})`,
    );
    for (const [key, ...copy] of stored) copies.set(key as bigint, copy);
  }
  return new Map(
    [...spans].map(([key, span]) => {
      const [complete, annotators] = copies.get(traceOf(key)) ?? [];
      const values =
        typeof complete === 'boolean' ? { ...span.values, is_complete: complete } : span.values;
      const pairs = annotators instanceof DuckDBListValue ? annotators.items.map(String) : [];
      return [key, { ...span, values, annotators: pairs }];
    }),
  );
};

const readPortion = async (
  { rows }: Statements,
  population: Population,
  portion: readonly Sized[],
  found: Map<bigint, RecordRow>,
): Promise<void> => {
  const texts = textsApart.map((id) => `"${id}"`).join(', ');
  const stored = await rows(
    `SELECT key, long, rest, ${texts} FROM ${tableOf[population]}
     WHERE key IN (${portion.map(({ key }) => key).join(', ')})`,
  );
  const long = stored.filter(([, isLong]) => isLong === true).map(([key]) => String(key));
  const pieces = new Map<string, Piece[]>();
  const parts = long.length === 0 ? [] : await rows(piecesSql(long));
  for (const [key, name, start, text] of parts) {
    const place = `${String(key)} ${String(name)}`;
    const known = pieces.get(place) ?? [];
    known.push({ start: Number(start), text: String(text) });
    pieces.set(place, known);
  }
  for (const row of stored) found.set(row[0] as bigint, readRow(row, pieces));
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
  const row = JSON.parse(String(rest)) as RecordRow;
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
