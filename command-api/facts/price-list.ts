import type { Price } from '../../contract/price-list.js';
import type { PriceListEvent } from '../../events/price-list.js';
import type { SpanContent } from '../../events/traces.js';
import type { Fold } from '../../kernel/decision.js';
import { streamNameOf, type EventReader, type StreamName } from '../../kernel/ports.js';
import { openStateCache } from './state-cache.js';

export const priceListStream = (project: string): StreamName => streamNameOf('price-list', project);

/** Prices ordered by model, then date. */
export const priceList: Fold<readonly Price[], PriceListEvent> = {
  initial: [],
  evolve: (_before, { data }) => data.prices,
};

/** Price of a span's tokens: that of its model when the span was created. */
type PriceOf = (span: SpanContent) => SpanContent['price'];

export type Prices = {
  readonly priceOf: PriceOf;
  /** True if no span costs anything, so that spans need not be visited. */
  readonly isEmpty: boolean;
};

/** Budget of cached price lists: a few megabytes. */
const weightMax = 4_000_000;
const priceWeight = 400;

/** Prices of a project from the log, cached. */
export const openPrices = (log: EventReader): ((project: string) => Promise<Prices>) => {
  const lists = openStateCache({
    log,
    fold: priceList,
    weightOf: (prices) => prices.length * priceWeight,
    weightMax,
  });
  return async (project) => {
    const { state: prices } = await lists.load(priceListStream(project));
    return { priceOf: (span) => findPrice(prices, span), isEmpty: prices.length === 0 };
  };
};

const findPrice = (
  prices: readonly Price[],
  { type, model, created_at: at }: SpanContent,
): SpanContent['price'] => {
  if (type !== 'llm' || model === undefined) return undefined;
  const found = prices.findLast((price) => price.model === model && price.from <= at);
  if (found === undefined) return undefined;
  const { model: _m, from: _f, ...price } = found;
  return { ...price, list: 'project' };
};
