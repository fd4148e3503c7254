import type { Price } from '../../contract/price-list.js';
import type { PriceListEvent } from '../../events/price-list.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { SpanContent } from '../../events/traces.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { Fold } from '../../kernel/decision.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import { streamNameOf, type EventReader, type StreamName } from '../../kernel/ports.js';
import {
  costOf,
  priceLists,
  priceOfModel,
  type PriceLists,
} from '../../kernel/prices/price-lists.js';
import type { TokensByKind } from '../../kernel/prices/token-kinds.js';
import type { Instant } from '../../kernel/schema-types.js';
import { projectStream } from './projects.js';
import { openStateCache } from './state-cache.js';

export const priceListStream = (project: string): StreamName => streamNameOf('price-list', project);

/** Prices ordered by model, then date. */
export type PriceListState = {
  readonly prices: readonly Price[];
  /** Null: the list was never set; then the creation of the project decides. */
  readonly useShipped: boolean | null;
};

export const priceList: Fold<PriceListState, PriceListEvent> = {
  initial: { prices: [], useShipped: null },
  evolve: (_before, { data }) => ({ prices: data.prices, useShipped: data.use_shipped }),
};

/** Projects whose creation is kept in memory: a flag and an id each. */
const creationsMax = 10_000;

/**
 * True if the project was created with the shipped price list: those of releases before it were
 * not. Read from the log once, since it never changes.
 */
export const openCreatedWithShipped = (
  log: EventReader,
): ((project: string) => Promise<boolean>) => {
  const known = boundedMap<string, boolean>(creationsMax);
  return async (project) => {
    const kept = known.get(project);
    if (kept !== undefined) return kept;
    const [first] = await log.read(projectStream(project), { limit: 1 });
    if (first === undefined) return false;
    const { type, data } = first as ProjectEvent;
    const isWith = type === 'ProjectCreated' && data.use_shipped === true;
    known.set(project, isWith);
    return isWith;
  };
};

/** Price of a span's tokens: that of its model when the span was created. */
type PriceOf = (span: SpanContent) => SpanContent['price'];

export type Prices = {
  readonly priceOf: PriceOf;
  /** Price of the tokens of a model at an instant; undefined: it has none. */
  readonly priceOfModel: (model: string, at: Instant) => SpanContent['price'];
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
    weightOf: ({ prices }) => prices.length * priceWeight,
    weightMax,
  });
  const createdWithShipped = openCreatedWithShipped(log);
  return async (project) => {
    const { state } = await lists.load(priceListStream(project));
    return pricesBy(state)(state.useShipped ?? (await createdWithShipped(project)));
  };
};

/** Prices by whether the shipped list is used, made once for each state of a list. */
const pricesBy = memoizeByObject(({ prices }: PriceListState) => {
  const own = priceLists(prices, false);
  const [withShipped, alone] = [pricesIn(priceLists(prices, true)), pricesIn(own)];
  return (useShipped: boolean): Prices => (useShipped ? withShipped : alone);
});

const pricesIn = (lists: PriceLists): Prices => {
  const find = (model: string, at: Instant) => priceOfModel(lists, model, at) ?? undefined;
  return {
    priceOf: ({ type, model, created_at: at }) =>
      type === 'llm' && model !== undefined ? find(model, at) : undefined,
    priceOfModel: find,
    costOf: (tokens, model, at) => costOf(tokens, model, lists, at),
    isEmpty: lists.length === 0,
  };
};
