import { unpricedModelsMax, type UnpricedModel } from '../../contract/price-list.js';
import { valueFault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { simplifiedNames } from '../../kernel/prices/model-names.js';
import { findPrice, type PriceLists } from '../../kernel/prices/price-lists.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import {
  groupsMax,
  groupValueCharactersMax,
  type AggregateGroup,
  type AggregatePlan,
} from '../../kernel/records/query-plans.js';
import type { Instant } from '../../kernel/schema-types.js';
import { wholeWindowMinutes } from '../metrics/plan.js';

type Shown = Pick<UnpricedModel, 'entry' | 'rule' | 'list'>;
type Window = { readonly from: Instant | null; readonly to: Instant | null };

const tokensMetric = 'num_total_tokens';
const hasTokensOnly: Filter = {
  all: [
    { kind: 'number', column: `metrics/${tokensMetric}`, operator: 'gt', values: [0] },
    {
      not: {
        kind: 'number',
        column: 'metrics/cost',
        operator: 'gte',
        values: [-Number.MAX_VALUE],
      },
    },
  ],
};

const planFor = (project: string, window: Window): AggregatePlan => ({
  project,
  run: null,
  ...window,
  filter: hasTokensOnly,
  population: 'span',
  kinds: ['llm'],
  templates: [],
  widgets: [{ id: tokensMetric, metric: tokensMetric, aggregation: 'Sum', type: 'integer' }],
  intervalMinutes: wholeWindowMinutes,
  offsetMinutes: 0,
  groupBy: [{ column: 'model', of: 'record' }],
});

/**
 * Models of llm spans that have tokens and no cost, by number of spans, at most
 * `unpricedModelsMax`, each with the price that it has `now` or the nearest one (contract 5.4).
 */
export const unpricedModels = async (
  records: Pick<RecordQueries, 'aggregate'>,
  project: string,
  {
    window,
    lists,
    now,
  }: {
    readonly window: Window;
    readonly lists: PriceLists;
    readonly now: Instant;
  },
): Promise<readonly UnpricedModel[]> => {
  const found = await records.aggregate(planFor(project, window));
  if ('refused' in found) {
    throw valueFault(
      ['query', 'start_time'],
      `more than ${groupsMax} models have no price, or the name of one is longer than ` +
        `${groupValueCharactersMax} characters; select a shorter time`,
    );
  }
  return found.groups
    .map(countsOf)
    .toSorted((one, other) => other.spans - one.spans)
    .slice(0, unpricedModelsMax)
    .map((counts) => ({ ...counts, ...priceNear(lists, counts.model, now) }));
};

const countsOf = ({ values: [model], buckets }: AggregateGroup) => ({
  model: typeof model === 'string' ? model : null,
  spans: buckets.reduce((sum, { spans }) => sum + spans, 0),
  tokens: buckets.reduce((sum, { widgets }) => sum + Number(widgets[tokensMetric] ?? 0), 0),
});

const priceNear = (lists: PriceLists, model: string | null, now: Instant): Shown => {
  const match = model === null ? noMatch : shownMatch(lists, model, now);
  if (model === null || match.entry !== null) return match;
  const names = new Map(
    lists.toReversed().flatMap(({ entries }) => entries.map((entry) => [entry.model, entry])),
  );
  const near = [model, ...simplifiedNames(model)]
    .map((name) => nearestName(name, names.keys()))
    .find((name) => name !== null);
  return { ...noMatch, entry: (near !== undefined && names.get(near)) || null };
};

const noMatch = { entry: null, rule: null, list: null };

/** Answer about the price that a model has at an instant. */
export const shownMatch = (lists: PriceLists, model: string, at: Instant): Shown => {
  const found = findPrice(lists, model, at);
  if (found === null) return noMatch;
  const { entry, rule, list } = found;
  return { entry: { ...entry }, rule, list: list.name === 'project' ? 'project' : 'shipped' };
};
