import type { PriceListFacts } from '../contract/price-list.js';
import { priceListEvents } from '../events/price-list.js';
import { projectEvents } from '../events/projects.js';
import { pickEvents } from '../events/schemas.js';
import type { Projection } from './projection.js';

const events = { ...priceListEvents, ...pickEvents(projectEvents, 'ProjectCreated') };

/** Token prices set for a project, and whether it uses the shipped ones; by project. */
export const priceList: Projection<typeof events, PriceListFacts> = {
  collection: { name: 'price_list', version: 2, fields: {} },
  deletedWith: { scope: 'project' },
  projectState: {
    member: 'prices',
    show: (body) => (body === null || body.prices.length === 0 ? null : body.prices),
  },
  events,
  keys: ({ data }) => [data.project_id],
  evolve: (document, { type, data }, key) => {
    const body =
      type === 'ProjectCreated'
        ? (document?.body ?? { prices: [], use_shipped: data.use_shipped === true })
        : { prices: data.prices, use_shipped: data.use_shipped };
    return body.prices.length === 0 && !body.use_shipped
      ? null
      : { key, scope: data.project_id, fields: {}, body };
  },
};
