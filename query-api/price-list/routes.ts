import { readRoute, type Route } from '../../contract/operation.js';
import { getPriceList, type PriceList } from '../../contract/price-list.js';
import type { Documents } from '../../kernel/documents.js';
import { priceList } from '../../projections/price-list.js';

/** Read of price lists (contract 5.4). */
export const priceListReads = ({
  documents,
}: {
  readonly documents: Documents;
}): readonly Route[] => [
  readRoute(getPriceList, [priceList.collection], async ({ params: { project_id: project } }) => {
    const found = await documents.get<PriceList>(priceList.collection, project);
    return { body: found?.scope === project ? found.body : { prices: [] } };
  }),
];
