import { costAtPrices } from './cost.js';
import { matchPrice, type MatchRule, type PriceEntry } from './match.js';
import { shippedEntries, shippedVersion } from './shipped.js';
import type { SpanPrice, TokensByKind } from './token-kinds.js';
import { memoizeByObject } from '../memoize-by-object.js';
import type { Instant } from '../schema-types.js';

/** A list and its name: `project`, or the version of the shipped one. */
type PriceList = { readonly name: string; readonly entries: readonly PriceEntry[] };
/** Lists that price the models of a project; the first that prices one counts. */
export type PriceLists = readonly PriceList[];

type FoundPrice = {
  readonly entry: PriceEntry;
  readonly rule: MatchRule;
  readonly list: PriceList;
};

const shippedList: PriceList = { name: `shipped ${shippedVersion}`, entries: shippedEntries };

/** Lists of a project: its own counts before the shipped one. */
export const priceLists = (entries: readonly PriceEntry[], useShipped: boolean): PriceLists => [
  ...(entries.length > 0 ? [{ name: 'project', entries }] : []),
  ...(useShipped ? [shippedList] : []),
];

/** Entry that prices a model at an instant, in the first list that has one. */
export const findPrice = (lists: PriceLists, model: string, at: Instant): FoundPrice | null => {
  for (const list of lists) {
    const found = matchPrice(list.entries, model, at);
    if (found !== null) return { ...found, list };
  }
  return null;
};

const spanPricesOf = memoizeByObject(({ name }: PriceList) =>
  memoizeByObject(({ model: _m, from: _f, ...price }: PriceEntry): SpanPrice => ({
    ...price,
    list: name,
  })),
);

/** Price of the tokens of a model at an instant; null: it has none. */
export const priceOfModel = (lists: PriceLists, model: string, at: Instant): SpanPrice | null => {
  const found = findPrice(lists, model, at);
  return found && spanPricesOf(found.list)(found.entry);
};

/** Cost of a call in dollars; null: the model has no price then, or no tokens were counted. */
export const costOf = (
  tokens: TokensByKind,
  model: string,
  lists: PriceLists,
  at: Instant,
): number | null => {
  const price = priceOfModel(lists, model, at);
  return price && costAtPrices(tokens, price);
};
