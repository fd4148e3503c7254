// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import type { EventOf } from './schemas.js';

export const priceListEvents = {
  /** Stream `price-list-<project>`. The list as a whole; an empty one ends all prices. */
  PriceListSet: Type.Object({
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

export const priceListNoun: Noun<typeof priceListEvents> = {
  stream: { name: 'price-list-<project>', subject: 'project', erasedWith: 'project' },
  events: priceListEvents,
  activities: { PriceListSet: 'entity update' },
};

export type PriceListEvent = EventOf<typeof priceListEvents>;
