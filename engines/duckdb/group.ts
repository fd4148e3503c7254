import type { DuckDBUUIDValue, DuckDBValue } from '@duckdb/node-api';
import { placeOf } from '../../kernel/records/column-value.js';
import { standardColumn } from '../../kernel/records/columns.js';
import type { AggregateGroup, AggregatePlan } from '../../kernel/records/questions.js';
import type { Statements } from './connections.js';
import { readMetricTypes } from './metric-types.js';
import type { Scoped } from './named-columns.js';
import type { RecordSource } from './source.js';

/** What records are grouped by. Null and `''` are one group (contract 4.5, rule 6). */
export type GroupColumn = {
  readonly isText: boolean;
  /** A record may be in several groups. */
  readonly isMany?: true;
  readonly of: (source: RecordSource) => string;
};

export const groupSql = async (
  model: Scoped,
  statements: Statements,
  { groupBy, project }: AggregatePlan,
): Promise<GroupColumn> => {
  if (groupBy === null) return { isText: false, of: () => 'NULL' };
  const place = placeOf(groupBy);
  if (place?.in === 'metrics') {
    const types = await readMetricTypes(model, statements, project, [place.metric]);
    const type = types.get(place.metric) ?? null;
    if (type === 'text') {
      return { isText: true, of: (source) => textGroup(source.metric(place.metric, type)) };
    }
    return { isText: false, of: (source) => source.metric(place.metric, type) };
  }
  const type = standardColumn.get(groupBy)?.type ?? 'text';
  if (type === 'string_list') {
    // A record counts in the group of each of its tags, one without any in that of missing values.
    const of = (source: RecordSource) => {
      const tags = `list_distinct(${source.column(groupBy)})`;
      return `unnest(CASE WHEN len(${tags}) > 0 THEN ${tags} ELSE [''] END)`;
    };
    return { isText: true, isMany: true, of };
  }
  if (type === 'text') {
    return { isText: true, of: (source) => textGroup(source.column(groupBy)) };
  }
  return { isText: false, of: (source) => source.column(groupBy) };
};

/** Missing and `''` share a key. */
const textGroup = (text: string): string => `coalesce(${text}, '')`;

export const groupOf = (
  { groupBy }: AggregatePlan,
  stored: DuckDBValue,
): Pick<AggregateGroup, 'key' | 'value'> => {
  if (groupBy === null) return { key: 'all', value: null };
  if (stored === null || stored === '') return { key: '', value: null };
  if (typeof stored === 'object') {
    const id = (stored as DuckDBUUIDValue).toString();
    return { key: id, value: id };
  }
  const value = stored as string | number | boolean;
  return { key: String(value), value };
};
