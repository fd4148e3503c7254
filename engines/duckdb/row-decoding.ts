import { DuckDBListValue, type DuckDBValue } from '@duckdb/node-api';
import type { StreamName } from '../../kernel/ports.js';
import type { ColumnValue, Population, RecordRow } from '../../kernel/records/record.js';
import {
  wantsBody,
  withContents,
  type WantedContents,
} from '../../kernel/records/record-contents.js';
import { parseJsonText } from '../../kernel/json-text.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { Rows, Statements } from './connections.js';
import { contentName, joinPieces, restName, type TextPiece } from './long-text.js';
import {
  groupExtentOf,
  keysPerStatement,
  readSizes,
  takeWithinBytes,
  type GroupExtent,
  type SizedKey,
} from './record-sizes.js';
import { unpackRow } from './packed-row.js';
import { ordinalsMax, tableOf, unpackedTextColumns } from './schema.js';

/**
 * Bytes per statement: all its rows are in memory at once, twice, and decoding them blocks the
 * event loop for some 10 ms.
 */
export const statementBytesMax = 2 * 1_048_576;

/** Reads records by key, unordered; unknown keys are omitted. */
export const readRowsByKey = async (
  statements: Statements,
  population: Population,
  keys: readonly bigint[],
): Promise<ReadonlyMap<bigint, RecordRow>> =>
  readRows(statements, population, await readSizes(statements, population, keys));

/** Reads in portions, so that a page of long texts does not take the writer's memory. */
export const readRows = async (
  statements: Statements,
  population: Population,
  sized: readonly SizedKey[],
  contents?: WantedContents,
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const found = new Map<bigint, RecordRow>();
  for (let from = 0; from < sized.length;) {
    const portion = takeWithinBytes(sized.slice(from, from + keysPerStatement), statementBytesMax);
    from += portion.length;
    const stored = await readPortion(statements, population, portion, contents);
    for (const [key, row] of stored) found.set(key, row);
  }
  return population === 'span'
    ? withInherited(await readInherited(statements, found), found)
    : found;
};

/** Values that all spans of a trace inherit. */
type InheritedValues = {
  readonly complete: ColumnValue | undefined;
  readonly annotators: readonly string[];
};

const traceKeyOf = (key: bigint): bigint => key - (key % BigInt(ordinalsMax));

const readInherited = async (
  { rows }: Statements,
  spans: ReadonlyMap<bigint, RecordRow>,
): Promise<ReadonlyMap<bigint, InheritedValues>> => {
  const keys = [...new Set([...spans.keys()].map(traceKeyOf))];
  const copies = new Map<bigint, InheritedValues>();
  for (let from = 0; from < keys.length; from += keysPerStatement) {
    const list = keys.slice(from, from + keysPerStatement).join(', ');
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

const withInherited = (
  copies: ReadonlyMap<bigint, InheritedValues>,
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
  portion: readonly SizedKey[],
  contents: WantedContents,
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const keys = portion.map(({ key }) => key).join(', ');
  const stored = await statements.rows(
    `SELECT ${columnsWith(contents)} FROM ${tableOf[population]} WHERE key IN (${keys})`,
  );
  return decodeRows(statements, stored, contents);
};

/** Texts of a row with these contents: the record itself first. */
const textNames = (contents: WantedContents): readonly string[] => [
  restName,
  ...(wantsBody(contents) ? [contentName] : []),
  ...unpackedTextColumns.filter((id) => contents === undefined || contents.includes(id)),
];

/** Columns that `decodeRows` reads, in this order; more may follow. */
const columnsWith = (contents: WantedContents): string =>
  ['key', 'long', ...textNames(contents).map((name) => `"${name}"`)].join(', ');

/** Columns of whole rows. */
export const rowColumns = columnsWith(undefined);

const decodeRows = async (
  { rows }: Statements,
  stored: Rows,
  contents?: WantedContents,
): Promise<ReadonlyMap<bigint, RecordRow>> => {
  const names = textNames(contents);
  const long = stored.filter(([, isLong]) => isLong === true).map(([key]) => String(key));
  const pieces = new Map<string, TextPiece[]>();
  const parts = long.length === 0 ? [] : await rows(piecesSql(long, names));
  for (const [key, name, start, text] of parts) {
    const place = `${String(key)} ${String(name)}`;
    const known = pieces.get(place) ?? [];
    known.push({ start: Number(start), text: String(text) });
    pieces.set(place, known);
  }
  const decode = (row: readonly DuckDBValue[]): RecordRow =>
    withContents(decodeRow(row, names, pieces), contents);
  return new Map(stored.map((row) => [row[0] as bigint, decode(row)]));
};

/** Decodes all rows of one group, by ordinal. */
export const decodeGroup = async (
  statements: Statements,
  stored: Rows,
): Promise<readonly RecordRow[]> => {
  const rows = [...(await decodeRows(statements, stored))];
  rows.sort(([, one], [, other]) => one.ordinal - other.ordinal);
  const [first, ...spans] = rows;
  if (first === undefined) return [];
  const [key, { annotators, values }] = first;
  const copies = new Map([[key, { complete: values['is_complete'], annotators }]]);
  return [first[1], ...withInherited(copies, new Map(spans)).values()];
};

const piecesSql = (keys: readonly string[], names: readonly string[]): string =>
  `SELECT key, name, start, text FROM texts
   WHERE key IN (${keys.join(', ')}) AND name IN (${names.map((name) => `'${name}'`).join(', ')})`;

/** Decodes a row. A text in pieces has only its beginning in the row. */
const decodeRow = (
  [key, , ...stored]: readonly DuckDBValue[],
  names: readonly string[],
  pieces: ReadonlyMap<string, readonly TextPiece[]>,
): RecordRow => {
  const texts = new Map(
    names.map((name, at) => {
      const long = pieces.get(`${String(key)} ${name}`);
      return [name, long === undefined ? stored[at] : joinPieces(long)] as const;
    }),
  );
  const row = unpackRow(String(texts.get(restName)));
  const values: Record<string, ColumnValue> = { ...row.values };
  for (const id of unpackedTextColumns) {
    const text = texts.get(id);
    if (typeof text === 'string') values[id] = text;
  }
  const content = texts.get(contentName);
  if (typeof content !== 'string') return { ...row, values };
  return { ...row, values, body: { ...row.body, ...(parseJsonText(content) as JsonObject) } };
};

export type NamedGroup = GroupExtent & { readonly name: StreamName };

/** A group from the cells `grp`, `size`, `name`. */
export const namedGroupOf = ([
  grp = null,
  size = null,
  name,
]: readonly DuckDBValue[]): NamedGroup => ({
  ...groupExtentOf([grp, size]),
  name: String(name) as StreamName,
});

const plainName = /^[\w-]+$/;

/** Finds groups by name. Names are constants in the statement, since only those reach the index. */
export const groupsByName = async (
  { rows }: Statements,
  names: readonly string[],
): Promise<readonly NamedGroup[]> => {
  const found: NamedGroup[] = [];
  for (let from = 0; from < names.length; from += keysPerStatement) {
    const some = names.slice(from, from + keysPerStatement);
    if (!some.every((name) => plainName.test(name))) throw new TypeError('not a stream name');
    const list = some.map((name) => `'${name}'`).join(', ');
    const groups = await rows(`SELECT grp, size, name FROM groups WHERE name IN (${list})`);
    found.push(...groups.map(namedGroupOf));
  }
  return found;
};
