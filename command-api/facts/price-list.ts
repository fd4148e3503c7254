import type { Price } from '../../contract/price-list.js';
import type { PriceListEvent } from '../../events/price-list.js';
import type { SpanContent } from '../../events/traces.js';
import type { Fold } from '../../kernel/decision.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import { streamNameOf, type EventReader, type StreamName } from '../../kernel/ports.js';
import {
  costOf,
  priceOfModel,
  projectPrices,
  type PriceLists,
} from '../../kernel/prices/price-lists.js';
import type { TokensByKind } from '../../kernel/prices/token-kinds.js';
import type { Instant } from '../../kernel/schema-types.js';
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
  /** Cost of a call in dollars; null: the model has no price then, or no tokens were counted. */
  readonly costOf: (tokens: TokensByKind, model: string, at: Instant) => number | null;
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
    return pricesIn(prices);
  };
};

const pricesIn = memoizeByObject((prices: readonly Price[]): Prices => {
  const lists = [projectPrices(prices)];
  return {
    priceOf: (span) => spanPriceIn(lists, span),
    costOf: (tokens, model, at) => costOf(tokens, model, lists, at),
    isEmpty: prices.length === 0,
  };
});

const spanPriceIn = (
  lists: PriceLists,
  { type, model, created_at: at }: SpanContent,
): SpanContent['price'] =>
  type === 'llm' && model !== undefined ? (priceOfModel(lists, model, at) ?? undefined) : undefined;
