import type { PriceList } from '../contract/price-list.js';
import { priceListEvents } from '../events/price-list.js';
import type { Projection } from './projection.js';

/** Token prices set for a project; by project. */
export const priceList: Projection<typeof priceListEvents, PriceList> = {
  collection: { name: 'price_list', version: 1, fields: {} },
  deletedWith: { scope: 'project' },
  projectState: { member: 'prices', show: (body) => body?.prices ?? null },
  events: priceListEvents,
  keys: ({ data }) => [data.project_id],
  evolve: (_document, { data }, key) =>
    data.prices.length === 0
      ? null
      : { key, scope: data.project_id, fields: {}, body: { prices: data.prices } },
};
