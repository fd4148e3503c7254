import type { ExperimentFacts } from '../../contract/experiment-record.js';
import { defaultPageLimit, pageInfo } from '../../contract/envelope.js';
import type { Documents } from '../../kernel/documents.js';
import { valueFault } from '../../kernel/fault.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { Json } from '../../kernel/schema-types.js';
import { experimentList } from '../../projections/experiment-list.js';
import {
  isAnnotationColumn,
  resolveMeasure,
  metricOfColumn,
  metricPrefix,
  metricsWithoutType,
} from '../filters/catalogue.js';
import { openTemplatesOf } from '../live-templates.js';
import { allOf, type ListingRequest } from '../listings.js';
import type { CriteriaScope } from './criteria.js';
import type { ExperimentRanks } from './ranking-cache.js';

type Needs = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'metricTypes' | 'runAverages'>;
  readonly ranks: ExperimentRanks;
};

/**
 * Experiments that can be sorted by a computed column, which no document has, so that they are
 * sorted in memory.
 */
const sortedMax = 5_000;

/** Limit of runs named in a query: beyond it, averages are read for all runs at once. */
const namedRunsMax = 1_000;

/**
 * Computed sort column of a search: a rank, a score, `metrics/<name>` or `annotations/<template>`;
 * otherwise null.
 */
export const computedSort = (sort: Json): string | null => {
  const isObject = typeof sort === 'object' && sort !== null && !Array.isArray(sort);
  const name = isObject ? (sort as { readonly name?: Json }).name : null;
  if (typeof name !== 'string') return null;
  const isMeasured = metricOfColumn(name) !== null || isAnnotationColumn(name);
  return name === 'rank' || name === 'ranking_score' || isMeasured ? name : null;
};

/**
 * Offset pagination of experiments by a computed column (contract 4.6): those without a value last,
 * ties by `created_at` descending. Throws Fault `invalid` for too many to sort.
 */
export const leaderboardPage = async (
  needs: Needs,
  place: CriteriaScope,
  listing: ListingRequest,
  by: { readonly column: string; readonly ascending: boolean },
) => {
  const { documents } = await needs.documents.find<ExperimentFacts>(experimentList.collection, {
    scope: place.project,
    filter: allOf(listing.filters ?? []),
    limit: sortedMax + 1,
  });
  if (documents.length > sortedMax) {
    throw valueFault(
      ['body', 'sort', 'name'],
      `more than ${sortedMax} experiments to sort by it; filter them`,
    );
  }
  const facts = documents.map(({ body }) => body);
  const { values, unknown } = await readColumnValues(needs, place, facts, by.column);
  const sign = by.ascending ? 1 : -1;
  const sorted = facts
    .map((one, at) => ({ one, value: values[at] ?? null }))
    .toSorted(({ value: left }, { value: right }) => {
      if (left === null || right === null) return Number(left === null) - Number(right === null);
      return sign * (left - right);
    });
  const start = listing.starting_token ?? 0;
  const end = start + (listing.limit ?? defaultPageLimit);
  const rows = sorted.slice(start, end).map(({ one }) => one);
  return { facts: rows, measure: pageInfo(listing, rows.length, sorted.length > end), unknown };
};

type ColumnValues = {
  readonly values: readonly (number | null)[];
  /** The column, if the metric was never recorded. */
  readonly unknown: readonly string[];
};

const readColumnValues = async (
  { documents, records, ranks }: Needs,
  place: CriteriaScope,
  facts: readonly ExperimentFacts[],
  column: string,
): Promise<ColumnValues> => {
  if (column === 'rank' || column === 'ranking_score') {
    const own = await ranks.of(place, facts);
    const values = own.map((one) => (column === 'rank' ? one.rank : one.ranking_score));
    return { values, unknown: [] };
  }
  const { project } = place;
  const untyped = metricsWithoutType([column]);
  const types = untyped.length > 0 ? await records.metricTypes(project, untyped) : new Map();
  const templates = isAnnotationColumn(column) ? await openTemplatesOf(documents)(project) : [];
  const measured = resolveMeasure(column, types, templates);
  const { metric, type, source } = measured;
  if (source === undefined && isAnnotationColumn(column)) {
    throw valueFault(['body', 'sort', 'name'], `unknown column '${column}'`);
  }
  if (type === null) return { values: [], unknown: [metricPrefix + metric] };
  if (type === 'text' || type === 'string_list') return { values: [], unknown: [] };
  const runs = facts.map(({ id }) => id);
  const averages = await records.runAverages(
    project,
    [{ ...measured, type }],
    runs.length > namedRunsMax ? null : runs,
  );
  return { values: runs.map((run) => averages.get(run)?.[0] ?? null), unknown: [] };
};
