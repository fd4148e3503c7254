// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type EventOf } from './schemas.js';

export const priceListEvents = {
  /** The list as a whole; an empty one ends all prices. */
  PriceListSet: event('entity update', {
    project_id: id('ProjectId'),
    prices: Type.Array(
      Type.Object({
        model: Type.String(),
        from: instant,
        /** Dollars per million tokens. */
        input: Type.Number(),
        output: Type.Number(),
      }),
    ),
  }),
};

export const priceListNoun: Noun = {
  stream: { name: 'price-list-<project>', subject: 'project', erasedWith: 'project' },
  events: priceListEvents,
};

export type PriceListEvent = EventOf<typeof priceListEvents>;
