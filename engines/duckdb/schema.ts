import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  LIST,
  UINTEGER,
  UUID,
  VARCHAR,
  type DuckDBType,
} from '@duckdb/node-api';
import { microsecondsOf } from '../../kernel/records/time-buckets.js';
import { metricRegistry, standardColumns, type ColumnType } from '../../kernel/records/columns.js';
import type { ColumnValue, Population } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { CellValue } from './column-vector.js';

/**
 * Raised with every change of the tables below: a file of another version is dropped and built
 * again from the log.
 */
export const schemaVersion = 12;

/** One table of the same columns for each population. */
export const tableOf: Readonly<Record<Population, string>> = {
  session: 'sessions',
  trace: 'traces',
  span: 'spans',
};
export const populations: readonly Population[] = ['session', 'trace', 'span'];

/**
 * A record's key is its group's number times this, plus its ordinal: rows of a group are
 * neighbours.
 */
export const ordinalsMax = 1_048_576;

/**
 * How values of a column type lie in the table: ids as 128 bits, instants as microseconds since
 * 1970.
 */
type ColumnStorage = {
  readonly type: DuckDBType;
  readonly store: (value: ColumnValue) => CellValue;
};
const throwMisfit = (value: ColumnValue, type: string): never => {
  throw new TypeError(`not the canonical form of a ${type}: ${JSON.stringify(value)}`);
};
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instantForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const isList = (value: ColumnValue): value is readonly string[] => Array.isArray(value);
export const isUuid = (text: string): boolean => uuidForm.test(text);

/** Throws when it is none. */
export const checkedUuid = (value: ColumnValue): string =>
  typeof value === 'string' && isUuid(value) ? value : throwMisfit(value, 'uuid');

const text: ColumnStorage = {
  type: VARCHAR,
  store: (value) => (typeof value === 'string' ? value : throwMisfit(value, 'text')),
};
const double: ColumnStorage = {
  type: DOUBLE,
  store: (value) => (typeof value === 'number' ? value + 0 : throwMisfit(value, 'number')),
};
const storages: Readonly<Record<ColumnType, ColumnStorage>> = {
  text,
  integer: double,
  floating_point: double,
  boolean: {
    type: BOOLEAN,
    store: (value) => (typeof value === 'boolean' ? value : throwMisfit(value, 'boolean')),
  },
  uuid: {
    type: UUID,
    store: checkedUuid,
  },
  timestamp: {
    type: BIGINT,
    store: (value) =>
      typeof value === 'string' && instantForm.test(value)
        ? microsecondsOf(value as Instant)
        : throwMisfit(value, 'timestamp'),
  },
  string_list: {
    type: LIST(VARCHAR),
    store: (value) => (isList(value) ? value : throwMisfit(value, 'string_list')),
  },
};

/**
 * The project is the scope of every question and stored as a number; the other 31 columns of
 * contract 3.3.
 */
export const standardStorage = standardColumns
  .filter(({ id }) => id !== 'project_id')
  .map(({ id, type }) => ({ id, sql: `"${id}"`, ...storages[type] }));

export const metricSql = (name: string): string => `"m_${name}"`;

/**
 * Texts of any length lie in their own columns only (the long ones in pieces: long-text.ts). All
 * other values are in `rest` too, but what a span has of its trace: reading a record out of fifty
 * columns takes a hundred times as long as out of one.
 */
export const unpackedTextColumns = [
  'input',
  'output',
  'dataset_input',
  'dataset_output',
  'tools',
] as const;

/**
 * Columns of each record table, in this order, besides the standard columns and those of the
 * registry's metrics.
 */
export const ownColumns = [
  { name: 'key', type: BIGINT },
  { name: 'grp', type: UINTEGER },
  { name: 'project', type: UINTEGER },
  { name: 'kind', type: VARCHAR },
  /** Logged outside any session. */
  { name: 'lone', type: BOOLEAN },
  { name: 'span_count', type: UINTEGER },
  /** Which standard columns have a value: bit by place in contract 3.3. */
  { name: 'present', type: UINTEGER },
  { name: 'annotators', type: LIST(VARCHAR) },
  /** Of traces: `<template id>/<value>` of each rating (kernel/records/feedback.ts). */
  { name: 'ratings', type: LIST(VARCHAR) },
  /** Of traces: `<template id>/<text>` of each template that is rated by texts, likewise. */
  { name: 'rating_texts', type: LIST(VARCHAR) },
  /** Folded texts by column as JSON, of those that the engine's `lower` does not fold rightly. */
  { name: 'folded', type: VARCHAR },
  /** All of the record but the texts kept apart (packed-row.ts): what a page of a search reads. */
  { name: 'rest', type: VARCHAR },
  /** What reading it takes: `rest`, as it is when unpacked, and the texts kept apart. */
  { name: 'bytes', type: UINTEGER },
  /** Some text of it is in pieces. */
  { name: 'long', type: BOOLEAN },
  /**
   * Of traces and spans whose `rest` is in pieces: what kernel/records/outlines.ts asks for. Of
   * others it is told from `rest`.
   */
  { name: 'outline', type: VARCHAR },
] as const;

export type OwnColumn = (typeof ownColumns)[number]['name'];
/** Where in `recordColumns` the standard columns begin, and the metrics. */
export const standardFrom = ownColumns.length;
export const metricsFrom = standardFrom + standardStorage.length;

export const recordColumns: readonly { readonly sql: string; readonly type: DuckDBType }[] = [
  ...ownColumns.map(({ name, type }) => ({ sql: name, type })),
  ...standardStorage.map(({ sql, type }) => ({ sql, type })),
  ...metricRegistry.map(({ name }) => ({ sql: metricSql(name), type: DOUBLE })),
];

/**
 * Metrics outside the registry, user metadata and errors: one row each. `col` is a number of
 * `columns`.
 */
export const facetColumns = [
  { sql: 'key', type: BIGINT },
  { sql: 'grp', type: UINTEGER },
  { sql: 'project', type: UINTEGER },
  { sql: 'population', type: VARCHAR },
  { sql: 'col', type: UINTEGER },
  { sql: 'num', type: DOUBLE },
  { sql: 'bool', type: BOOLEAN },
  { sql: 'text', type: VARCHAR },
  { sql: 'folded', type: VARCHAR },
  /** Shows in an integer metric although it may have a fraction (contract 3.4, rule 5). */
  { sql: 'rolled_up', type: BOOLEAN },
  { sql: 'first_at', type: VARCHAR },
  { sql: 'first_type', type: VARCHAR },
  { sql: 'fraction', type: BOOLEAN },
] as const;

/** Texts of records that are too long for their rows, in pieces: see long-text.ts. */
export const textColumns = [
  { sql: 'key', type: BIGINT },
  { sql: 'grp', type: UINTEGER },
  { sql: 'project', type: UINTEGER },
  { sql: 'name', type: VARCHAR },
  { sql: 'start', type: UINTEGER },
  { sql: 'text', type: VARCHAR },
  { sql: 'folded', type: VARCHAR },
] as const;

/** Entries of user metadata that facets cannot tell, hashed: see metadata-entries.ts. */
export const entryColumns = [
  { sql: 'key', type: BIGINT },
  { sql: 'grp', type: UINTEGER },
  { sql: 'project', type: UINTEGER },
  { sql: 'entry', type: UUID },
] as const;

/**
 * In `columns` from the first text on that had to be stored folded: before, no question needs to
 * look for one.
 */
export const foldedTextMarker = (population: Population, id: string): string =>
  `folded/${population}/${id}`;

/** In `columns` from the first trace on that has a value of this metric of the registry. */
export const measuredMetricMarker = (metric: string): string => `measured/${metric}`;

/** In `columns` from the first session on. */
export const sessionsMarker = 'sessions';

/** Tables of what belongs to records of a group, which they name as `grp`. */
export const tablesOfGroups = ['facets', 'texts', 'entries', 'groups'] as const;
/** And to single ones of them, which they name as `key`. */
export const tablesOfRecords = ['facets', 'texts', 'entries'] as const;

export const groupColumns = [
  { sql: 'grp', type: UINTEGER },
  { sql: 'name', type: VARCHAR },
  /** One more than the largest ordinal. */
  { sql: 'size', type: UINTEGER },
] as const;
/**
 * Numbers that stand for ids of projects, and for ids of their columns such as `metrics/reward`;
 * without a project what any row was seen to have.
 */
export const projectColumns = [
  { sql: 'number', type: UINTEGER },
  { sql: 'id', type: UUID },
] as const;
export const columnColumns = [
  { sql: 'number', type: UINTEGER },
  { sql: 'project', type: UINTEGER },
  { sql: 'id', type: VARCHAR },
] as const;

/** Long texts as they are: trying compressions on them took half of the time of a write. */
const uncompressed: ReadonlySet<string> = new Set([
  ...unpackedTextColumns.map((id) => `"${id}"`),
  'rest',
]);
const longTexts: ReadonlySet<string> = new Set(['text', 'folded']);

const table = (
  name: string,
  columns: readonly { readonly sql: string; readonly type: DuckDBType }[],
  plain: ReadonlySet<string> = uncompressed,
): string => {
  const defined = columns.map(
    ({ sql, type }) =>
      `${sql} ${String(type)}${plain.has(sql) ? ' USING COMPRESSION uncompressed' : ''}`,
  );
  return `CREATE TABLE ${name} (${defined.join(', ')})`;
};

export const tables: readonly string[] = [
  ...populations.map((population) => table(tableOf[population], recordColumns)),
  // Without these a page of scattered records would unpack whole stretches of every column.
  ...populations.map(
    (population) => `CREATE INDEX ${tableOf[population]}_key ON ${tableOf[population]} (key)`,
  ),
  table('facets', facetColumns),
  table('texts', textColumns, longTexts),
  'CREATE INDEX texts_key ON texts (key)',
  table('entries', entryColumns),
  table('groups', groupColumns),
  'CREATE INDEX groups_name ON groups (name)',
  table('projects', projectColumns),
  table('columns', columnColumns),
  /** Runs and projects whose rows are refused whenever one arrives late. */
  'CREATE TABLE deleted (kind VARCHAR, id UUID)',
  'CREATE TABLE mark (position VARCHAR, fence BIGINT)',
  'CREATE TABLE schema_version (version VARCHAR)',
];

export const tableNames: readonly string[] = tables.flatMap(
  (sql) => /^CREATE TABLE (\w+)/.exec(sql)?.[1] ?? [],
);
