import { unpricedModelsMax, type Price, type UnpricedModel } from '../../contract/price-list.js';
import { valueFault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import { nearestName } from '../../kernel/nearest-name.js';
import { matchPrice } from '../../kernel/prices/match.js';
import { simplifiedNames } from '../../kernel/prices/model-names.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import {
  groupsMax,
  groupValueCharactersMax,
  type AggregateGroup,
  type AggregatePlan,
} from '../../kernel/records/query-plans.js';
import type { Instant } from '../../kernel/schema-types.js';
import { wholeWindowMinutes } from '../metrics/plan.js';

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
    prices,
    now,
  }: {
    readonly window: Window;
    readonly prices: readonly Price[];
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
    .map((counts) => ({ ...counts, ...priceNear(prices, counts.model, now) }));
};

const countsOf = ({ values: [model], buckets }: AggregateGroup) => ({
  model: typeof model === 'string' ? model : null,
  spans: buckets.reduce((sum, { spans }) => sum + spans, 0),
  tokens: buckets.reduce((sum, { widgets }) => sum + Number(widgets[tokensMetric] ?? 0), 0),
});

const priceNear = (
  prices: readonly Price[],
  model: string | null,
  now: Instant,
): Pick<UnpricedModel, 'entry' | 'rule'> => {
  if (model === null) return { entry: null, rule: null };
  const found = matchPrice(prices, model, now);
  if (found !== null) return { entry: { ...found.entry }, rule: found.rule };
  const names = new Map(prices.map((price) => [price.model, price]));
  const near = [model, ...simplifiedNames(model)]
    .map((name) => nearestName(name, names.keys()))
    .find((name) => name !== null);
  return { entry: (near !== undefined && names.get(near)) || null, rule: null };
};
