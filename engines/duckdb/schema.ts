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
import { exactMicrosecondsOf } from '../../kernel/records/time-buckets.js';
import { metricRegistry, standardColumns, type ColumnType } from '../../kernel/records/columns.js';
import { contentColumns } from '../../kernel/records/record-contents.js';
import type { ColumnValue, Population } from '../../kernel/records/record.js';
import type { Instant } from '../../kernel/schema-types.js';
import type { CellValue } from './column-vector.js';

/**
 * Schema version, raised when rows mean something else: a file of another version, or with other
 * tables than those below, is dropped and rebuilt from the log.
 */
export const schemaVersion = 14;

/** Table of each population; all have the same columns. */
export const tableOf: Readonly<Record<Population, string>> = {
  session: 'sessions',
  trace: 'traces',
  span: 'spans',
};
export const populations: readonly Population[] = ['session', 'trace', 'span'];

/**
 * Ordinals per group: a record's key is its group's number times this, plus its ordinal, so that a
 * group's rows are neighbours.
 */
export const ordinalsMax = 1_048_576;

/** Storage of a column type: ids as 128 bits, instants as microseconds since 1970. */
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

/** Returns the id; throws if it is not a canonical UUID. */
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
  uuid: { type: UUID, store: checkedUuid },
  timestamp: {
    type: BIGINT,
    store: (value) =>
      typeof value === 'string' && instantForm.test(value)
        ? exactMicrosecondsOf(value as Instant)
        : throwMisfit(value, 'timestamp'),
  },
  string_list: {
    type: LIST(VARCHAR),
    store: (value) => (isList(value) ? value : throwMisfit(value, 'string_list')),
  },
};

/** Storage of one column of ids, which checks an id that repeats once. */
const openUuidStorage = (): ColumnStorage => {
  let last = '';
  return {
    type: UUID,
    store: (value) => (value === last ? last : (last = checkedUuid(value))),
  };
};

/**
 * The other columns of contract 3.3: the project is the scope of every query and stored as a
 * number.
 */
export const standardStorage = standardColumns
  .filter(({ id }) => id !== 'project_id')
  .map(({ id, type }) => ({
    id,
    sql: `"${id}"`,
    ...(type === 'uuid' ? openUuidStorage() : storages[type]),
  }));

export const metricSql = (name: string): string => `"m_${name}"`;

/**
 * Texts of any length, stored only in their own columns (long ones in pieces: long-text.ts). All
 * other values are in `rest` too, except those a span inherits: reading a record from fifty columns
 * takes a hundred times as long as from one.
 */
export const unpackedTextColumns = contentColumns;

/**
 * Columns of each record table, in this order, besides the standard columns and those of the
 * registry's metrics.
 */
export const ownColumns = [
  { name: 'key', type: BIGINT },
  { name: 'grp', type: UINTEGER },
  { name: 'project', type: UINTEGER },
  { name: 'kind', type: VARCHAR },
  /** True if logged outside any session. */
  { name: 'lone', type: BOOLEAN },
  { name: 'span_count', type: UINTEGER },
  /** Bit set of the standard columns with a value, by order in contract 3.3. */
  { name: 'present', type: BIGINT },
  { name: 'annotators', type: LIST(VARCHAR) },
  /** Traces only: `<template id>/<value>` of each rating (kernel/records/feedback.ts). */
  { name: 'ratings', type: LIST(VARCHAR) },
  /** Traces only: `<template id>/<text>` of each template with text ratings. */
  { name: 'rating_texts', type: LIST(VARCHAR) },
  /** Folded texts by column as JSON, where the engine's `lower` differs. */
  { name: 'folded', type: VARCHAR },
  /** The record without its contents (packed-row.ts): read by a page of a search. */
  { name: 'rest', type: VARCHAR },
  /** Contents of the body (kernel/records/record-contents.ts) as JSON. */
  { name: 'content', type: VARCHAR },
  /** Size of the decoded record: unpacked `rest`, `content` and the texts stored apart. */
  { name: 'bytes', type: UINTEGER },
  /** Size of the decoded record without its contents. */
  { name: 'brief_bytes', type: UINTEGER },
  /** True if a text is stored in pieces. */
  { name: 'long', type: BOOLEAN },
  /**
   * Outline (kernel/records/outlines.ts) of a trace or span whose `rest` is in pieces; others
   * derive it from `rest`.
   */
  { name: 'outline', type: VARCHAR },
] as const;

export type OwnColumn = (typeof ownColumns)[number]['name'];
/** Offsets of the standard columns and of the metrics in `recordColumns`. */
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
  /** Visible in an integer metric even with a fraction (contract 3.4, rule 5). */
  { sql: 'rolled_up', type: BOOLEAN },
  { sql: 'first_at', type: VARCHAR },
  { sql: 'first_type', type: VARCHAR },
  { sql: 'fraction', type: BOOLEAN },
] as const;

/** Pieces of texts that are too long for their rows: see long-text.ts. */
export const textColumns = [
  { sql: 'key', type: BIGINT },
  { sql: 'grp', type: UINTEGER },
  { sql: 'project', type: UINTEGER },
  { sql: 'name', type: VARCHAR },
  { sql: 'start', type: UINTEGER },
  { sql: 'text', type: VARCHAR },
  { sql: 'folded', type: VARCHAR },
] as const;

/** Hashed entries of user metadata that facets cannot find: see metadata-entries.ts. */
export const entryColumns = [
  { sql: 'key', type: BIGINT },
  { sql: 'grp', type: UINTEGER },
  { sql: 'project', type: UINTEGER },
  { sql: 'entry', type: UUID },
] as const;

/**
 * Marker in `columns` from the first text on that is stored folded; without it queries skip folded
 * texts.
 */
export const foldedTextMarker = (population: Population, id: string): string =>
  `folded/${population}/${id}`;

/** Marker in `columns` from the first trace on with a value of this registry metric. */
export const measuredMetricMarker = (metric: string): string => `measured/${metric}`;

/** Marker in `columns` from the first session on. */
export const sessionsMarker = 'sessions';

/** Tables whose rows belong to a group, by `grp`. */
export const tablesOfGroups = ['facets', 'texts', 'entries', 'groups'] as const;
/** Tables whose rows belong to a single record, by `key`. */
export const tablesOfRecords = ['facets', 'texts', 'entries'] as const;

export const groupColumns = [
  { sql: 'grp', type: UINTEGER },
  { sql: 'name', type: VARCHAR },
  /** One more than the largest ordinal. */
  { sql: 'size', type: UINTEGER },
] as const;
/**
 * Numbers of project ids, and of column ids such as `metrics/reward`; without a project: markers.
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

/** Columns stored uncompressed: trying compressions on long texts took half of the write time. */
const uncompressed: ReadonlySet<string> = new Set([
  ...unpackedTextColumns.map((id) => `"${id}"`),
  'rest',
  'content',
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
  // Without these a page of scattered records would unpack whole ranges of every column.
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
  /** Tombstones of runs and projects: late rows of them are refused. */
  'CREATE TABLE deleted (kind VARCHAR, id UUID)',
  'CREATE TABLE mark (position VARCHAR, fence BIGINT)',
  'CREATE TABLE schema_version (version VARCHAR)',
];

export const tableNames: readonly string[] = tables.flatMap(
  (sql) => /^CREATE TABLE (\w+)/.exec(sql)?.[1] ?? [],
);
