import type { ExperimentFacts } from '../../contract/experiment-record.js';
import { defaultPageLimit, pageMeasure } from '../../contract/envelope.js';
import type { Documents } from '../../kernel/documents.js';
import { valueError } from '../../kernel/fault.js';
import type { Records } from '../../kernel/records/records.js';
import type { Json } from '../../kernel/shapes.js';
import { experimentList } from '../../projections/experiment-list.js';
import {
  isAnnotation,
  measuredMeant,
  metricOf,
  metricPrefix,
  metricsToType,
} from '../filters/catalogue.js';
import { templatesIn } from '../live-templates.js';
import { every, type ListingAsked } from '../listings.js';
import type { CriteriaPlace } from './criteria.js';
import type { ExperimentRanks } from './ranks.js';

type Needs = {
  readonly documents: Documents;
  readonly records: Pick<Records, 'metricTypes' | 'runAverages'>;
  readonly ranks: ExperimentRanks;
};

/** What no document has, so that all that the filters leave are sorted here: at most so many. */
const sortedMax = 5_000;

/** More runs than these are asked for at once with all others. */
const namedRunsMax = 1_000;

/**
 * The computed column that a search sorts by: a rank, a score, `metrics/<name>` or
 * `annotations/<template>`; else null.
 */
export const computedSort = (sort: Json): string | null => {
  const isObject = typeof sort === 'object' && sort !== null && !Array.isArray(sort);
  const name = isObject ? (sort as { readonly name?: Json }).name : null;
  if (typeof name !== 'string') return null;
  const isMeasured = metricOf(name) !== null || isAnnotation(name);
  return name === 'rank' || name === 'ranking_score' || isMeasured ? name : null;
};

/**
 * A page of experiments by a computed column (contract 4.6): those without a value last, ties by
 * `created_at` descending. Throws Fault `invalid` for too many to sort.
 */
export const leaderboardPage = async (
  needs: Needs,
  place: CriteriaPlace,
  asked: ListingAsked,
  by: { readonly column: string; readonly ascending: boolean },
) => {
  const { documents } = await needs.documents.find<ExperimentFacts>(experimentList.collection, {
    scope: place.project,
    filter: every(asked.filters ?? []),
    limit: sortedMax + 1,
  });
  if (documents.length > sortedMax) {
    throw valueError(['body', 'sort', 'name'], `at most ${sortedMax} experiments are sorted by it`);
  }
  const facts = documents.map(({ body }) => body);
  const { values, unknown } = await valuesOf(needs, place, facts, by.column);
  const sign = by.ascending ? 1 : -1;
  const sorted = facts
    .map((one, at) => ({ one, value: values[at] ?? null }))
    .toSorted(({ value: left }, { value: right }) => {
      if (left === null || right === null) return Number(left === null) - Number(right === null);
      return sign * (left - right);
    });
  const start = asked.starting_token ?? 0;
  const end = start + (asked.limit ?? defaultPageLimit);
  const rows = sorted.slice(start, end).map(({ one }) => one);
  return { facts: rows, measure: pageMeasure(asked, rows.length, sorted.length > end), unknown };
};

type Values = {
  readonly values: readonly (number | null)[];
  /** The column, where nobody recorded the metric. */
  readonly unknown: readonly string[];
};

const valuesOf = async (
  { documents, records, ranks }: Needs,
  place: CriteriaPlace,
  facts: readonly ExperimentFacts[],
  column: string,
): Promise<Values> => {
  if (column === 'rank' || column === 'ranking_score') {
    const own = await ranks.of(place, facts);
    const values = own.map((one) => (column === 'rank' ? one.rank : one.ranking_score));
    return { values, unknown: [] };
  }
  const { project } = place;
  const asked = metricsToType([column]);
  const types = asked.length > 0 ? await records.metricTypes(project, asked) : new Map();
  const templates = isAnnotation(column) ? await templatesIn(documents)(project) : [];
  const measured = measuredMeant(column, types, templates);
  const { metric, type, source } = measured;
  if (source === undefined && isAnnotation(column)) {
    throw valueError(['body', 'sort', 'name'], `unknown column '${column}'`);
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
