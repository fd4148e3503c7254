import { writeRoute, type Route } from '../../contract/operation.js';
import { priceComplaints, priceListAnswer, setPriceList } from '../../contract/price-list.js';
import type { EventLog } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { openCreatedWithShipped, priceList, priceListStream } from '../facts/price-list.js';
import { setPrices } from './prices.js';

type PriceListNeeds = { readonly log: EventLog };

/** Write route of the price list (contract 5.4). */
export const priceListWrites = ({ log }: PriceListNeeds): readonly Route[] => {
  const createdWithShipped = openCreatedWithShipped(log);
  return [
    writeRoute(
      setPriceList,
      async ({ body, params: { project_id: project }, cause }) => {
        const { prices, use_shipped: wanted } = body;
        const isWith = await createdWithShipped(project);
        const decide = setPrices(project, { prices, useShipped: wanted }, isWith);
        const stream = priceListStream(project);
        const { state, position } = await transact(log, stream, priceList, decide, cause);
        return { position, body: priceListAnswer(state.prices, state.useShipped ?? isWith) };
      },
      ({ body }) => priceComplaints(body.prices),
    ),
  ];
};
