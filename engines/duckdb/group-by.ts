import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import { parseColumnId } from '../../kernel/records/column-value.js';
import { ratingTypeOf } from '../../kernel/records/feedback.js';
import { standardColumnById } from '../../kernel/records/columns.js';
import type { AggregatePlan, GroupValue, RecordScope } from '../../kernel/records/query-plans.js';
import type { Statements } from './connections.js';
import { readMetricTypes } from './metric-types.js';
import type { ProjectModel } from './project-columns.js';
import { recordSource, type RecordSource } from './record-source.js';
import type { SqlParameters } from './sql.js';

/** One column that records are grouped by. Null and `''` are one group (contract 4.5, rule 6). */
type KeyColumn = {
  readonly isText: boolean;
  readonly ofSpans: boolean;
  /** True if the value is a list: one row per item. */
  readonly isList: boolean;
  readonly of: (source: RecordSource) => string;
};
export type GroupColumns = {
  readonly keys: readonly KeyColumn[];
  /** True if a record may be in several groups. */
  readonly isMany: boolean;
};
export const noGroupColumns: GroupColumns = { keys: [], isMany: false };

export const readGroupColumns = async (
  model: ProjectModel,
  statements: Statements,
  { groupBy, project, templates }: AggregatePlan,
): Promise<GroupColumns> => {
  const metrics = groupBy.flatMap(({ column }) => {
    const place = parseColumnId(column);
    return place?.in === 'metrics' ? [place.metric] : [];
  });
  const types = await readMetricTypes(model, statements, project, metrics);
  const keys = groupBy.map(({ column, of }): KeyColumn => {
    const ofSpans = of === 'any_span';
    const place = parseColumnId(column);
    if (place?.in === 'metrics') {
      const type = types.get(place.metric) ?? null;
      const value = (source: RecordSource) => source.metric(place.metric, type);
      const isText = type === 'text';
      return { isText, ofSpans, isList: false, of: isText ? textKeySql(value) : value };
    }
    if (place?.in === 'annotations') {
      const { template: metric } = place;
      const type = ratingTypeOf(templates, metric) ?? 'text';
      const value = (source: RecordSource) =>
        source.measuredValue({ metric, type, source: 'annotations' });
      if (type === 'string_list')
        return { isText: true, ofSpans, isList: true, of: listKeySql(value) };
      const isText = type === 'text';
      return { isText, ofSpans, isList: false, of: isText ? textKeySql(value) : value };
    }
    const value = (source: RecordSource) => source.column(column);
    const type = standardColumnById.get(column)?.type ?? 'text';
    if (type === 'string_list')
      return { isText: true, ofSpans, isList: true, of: listKeySql(value) };
    const isText = type === 'text';
    return { isText, ofSpans, isList: false, of: isText ? textKeySql(value) : value };
  });
  return { keys, isMany: keys.some(({ ofSpans, isList }) => ofSpans || isList) };
};

/** Group key of a text column; missing and `''` are one. */
const textKeySql = (value: KeyColumn['of']) => (source: RecordSource) =>
  `coalesce(${value(source)}, '')`;

/**
 * Group key of a list column: a record counts in the group of each tag, one without tags in that of
 * missing values.
 */
const listKeySql = (value: KeyColumn['of']) => (source: RecordSource) => {
  const list = `list_distinct(${value(source)})`;
  return `CASE WHEN len(${list}) > 0 THEN ${list} ELSE [''] END`;
};

/** One row per item of the lists. A single SELECT would unnest several lists side by side. */
const unnestedSql = (select: string, lists: readonly string[]): string =>
  lists.reduce(
    (sql, column) => `SELECT * REPLACE (unnest(${column}) AS ${column}) FROM (${sql})`,
    select,
  );

const listsAmong = (places: readonly KeyPlace[]): readonly string[] =>
  places.flatMap(({ key, at }) => (key.isList ? [groupColumnName(at)] : []));

/** Name of the key column at this index. */
export const groupColumnName = (at: number): string => `g${at}`;

type KeyPlace = { readonly key: KeyColumn; readonly at: number };
const placesOf = ({ keys }: GroupColumns, ofSpans: boolean): readonly KeyPlace[] =>
  keys.map((key, at) => ({ key, at })).filter(({ key }) => key.ofSpans === ofSpans);

/** SELECT expressions of the keys that are the record's own columns. */
export const ownKeyColumns = (columns: GroupColumns, source: RecordSource): readonly string[] =>
  placesOf(columns, false).map(({ key, at }) => `${key.of(source)} AS ${groupColumnName(at)}`);

/**
 * The records of `select` (with `ownKeyColumns` and `grp`), once per group they are in. Traces
 * without a span that has a value are in the group of missing ones.
 */
export const groupedSql = (
  model: ProjectModel,
  { project, run }: RecordScope,
  columns: GroupColumns,
  select: string,
  to: SqlParameters,
): string => {
  const own = unnestedSql(select, listsAmong(placesOf(columns, false)));
  const ofSpans = placesOf(columns, true);
  if (ofSpans.length === 0) return own;
  const everywhere = { from: null, to: null, filter: null, kinds: null, templates: [] };
  const spans = recordSource(model, { project, run, population: 'span', ...everywhere }, to);
  const values = ofSpans
    .map(({ key, at }) => `${key.of(spans)} AS ${groupColumnName(at)}`)
    .join(', ');
  const found = unnestedSql(
    `SELECT r.grp AS trace, ${values} ${spans.fromWhere()} AND r.grp IN (SELECT grp FROM whole)`,
    listsAmong(ofSpans),
  );
  const hasValue = ofSpans.map(({ key, at }) =>
    key.isText ? `${groupColumnName(at)} <> ''` : `${groupColumnName(at)} IS NOT NULL`,
  );
  const shown = ofSpans.map(({ key, at }) => {
    const value = `below.${groupColumnName(at)}`;
    return `${key.isText ? `coalesce(${value}, '')` : value} AS ${groupColumnName(at)}`;
  });
  return `WITH whole AS MATERIALIZED (${own}),
      below AS (SELECT DISTINCT * FROM (${found}) WHERE ${hasValue.join(' OR ')})
    SELECT whole.*, ${shown.join(', ')} FROM whole LEFT JOIN below ON below.trace = whole.grp`;
};

export const groupValue = (stored: DuckDBValue): GroupValue => {
  if (stored === null || stored === '') return null;
  return typeof stored === 'object'
    ? (stored as DuckDBUUIDValue).toString()
    : (stored as string | number | boolean);
};
