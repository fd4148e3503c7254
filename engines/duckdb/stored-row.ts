import type { DuckDBValue } from '@duckdb/node-api';
import type { ColumnValue, Population, RecordRow } from '../../kernel/records.js';
import type { Statements } from './connections.js';
import { ordinalsMax, tableOf, textsApart } from './schema.js';

// The engine looks keys up in the index while they are few, and scans the table beyond 2,048.
const keysAtATime = 1_000;

/** Records by their keys, in no order; an unknown key is left out. */
export const rowsByKey = async (
  { rows }: Statements,
  population: Population,
  keys: readonly bigint[],
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const found = new Map<bigint, RecordRow>();
  const texts = textsApart.map((id) => `"${id}"`).join(', ');
  for (let from = 0; from < keys.length; from += keysAtATime) {
    const list = keys
      .slice(from, from + keysAtATime)
      .map(String)
      .join(', ');
    const stored = await rows(
      `SELECT key, rest, ${texts} FROM ${tableOf[population]} WHERE key IN (${list})`,
    );
    for (const row of stored) found.set(row[0] as bigint, readRow(row));
  }
  return found;
};

const readRow = ([, rest, ...texts]: readonly DuckDBValue[]): RecordRow => {
  const row = JSON.parse(String(rest)) as RecordRow;
  const values: Record<string, ColumnValue> = { ...row.values };
  textsApart.forEach((id, at) => {
    const text = texts[at];
    if (typeof text === 'string') values[id] = text;
  });
  return { ...row, values };
};

/** Keys that records of the group can have: a session or trace comes first, spans after it. */
export const keysOf =
  (population: Population) =>
  ({ grp, size }: Group): readonly bigint[] => {
    const first = grp * ordinalsMax;
    if (population !== 'span') return [BigInt(first)];
    return Array.from({ length: size - 1 }, (_, at) => BigInt(first + at + 1));
  };

/** `size` is one more than the largest ordinal. */
export type Group = { readonly grp: number; readonly size: number };

const plainName = /^[\w-]+$/;

/** Groups by name. Names stand in the statement as constants, since only those reach the index. */
export const groupsNamed = async (
  { rows }: Statements,
  names: readonly string[],
): Promise<readonly Group[]> => {
  const found: Group[] = [];
  for (let from = 0; from < names.length; from += keysAtATime) {
    const some = names.slice(from, from + keysAtATime);
    if (!some.every((name) => plainName.test(name))) throw new TypeError('not a stream name');
    const list = some.map((name) => `'${name}'`).join(', ');
    const groups = await rows(`SELECT grp, size FROM groups WHERE name IN (${list})`);
    found.push(...groups.map(([grp, size]) => ({ grp: Number(grp), size: Number(size) })));
  }
  return found;
};
