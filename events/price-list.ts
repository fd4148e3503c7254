// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { mapTokenParts } from '../kernel/prices/token-kinds.js';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

/** Dollars per million tokens; a part without one costs what its side does. */
const tokenPrices = {
  input: Type.Number(),
  output: Type.Number(),
  ...mapTokenParts(() => Type.Optional(Type.Number())),
};

/**
 * Price of an llm span's tokens, looked up when the span was logged (D-149). Prices of before kinds
 * (D-245) lack `list`: only whole counts cost something.
 */
export const spanPrice = Type.Object({
  ...tokenPrices,
  /** List that has the price: `project`, or the version of the shipped one. */
  list: Type.Optional(Type.String()),
});

export const priceListEvents = {
  /** The list as a whole; an empty one ends its prices. Version 2: prices by kind. */
  PriceListSet: event('entity update', {
    project_id: id('ProjectId'),
    prices: Type.Array(
      Type.Object({
        model: Type.String(),
        from: instant,
        ...tokenPrices,
      }),
    ),
    /** Models without a price in the list have one by the list of the service's release. */
    use_shipped: Type.Boolean(),
  }),
};

export const priceListNoun: Noun = {
  stream: { name: 'price-list-<project>', subject: 'project', erasedWith: 'project' },
  events: priceListEvents,
};

export type PriceListEvent = EventOf<typeof priceListEvents> & { readonly schema: 2 };
