import { writeRoute, type Route } from '../../contract/operation.js';
import { priceComplaints, setPriceList } from '../../contract/price-list.js';
import type { EventLog } from '../../kernel/ports.js';
import { transact } from '../../kernel/transact.js';
import { priceList, priceListStream } from '../facts/price-list.js';
import { setPrices } from './prices.js';

type PriceListNeeds = { readonly log: EventLog };

/** Write route of the price list (contract 5.4). */
export const priceListWrites = ({ log }: PriceListNeeds): readonly Route[] => [
  writeRoute(
    setPriceList,
    async ({ body, params: { project_id: project }, cause }) => {
      const decide = setPrices(project, body.prices);
      const stream = priceListStream(project);
      const { state, position } = await transact(log, stream, priceList, decide, cause);
      return { position, body: { prices: [...state] } };
    },
    ({ body }) => priceComplaints(body.prices),
  ),
];
