import { readRoute, type Route } from '../../contract/operation.js';
import {
  getPriceList,
  listUnpricedModels,
  matchModelPrice,
  type PriceList,
} from '../../contract/price-list.js';
import { windowComplaints } from '../../contract/selectors.js';
import type { Documents } from '../../kernel/documents.js';
import type { Clock } from '../../kernel/ports.js';
import { matchPrice } from '../../kernel/prices/match.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { priceList } from '../../projections/price-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { unpricedModels } from './unpriced.js';

type PriceListReadNeeds = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'aggregate'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Reads of price lists (contract 5.4). */
export const priceListReads = (needs: PriceListReadNeeds): readonly Route[] => [
  readRoute(getPriceList, [priceList.collection], async ({ params: { project_id: project } }) => ({
    body: await pricesIn(needs, project),
  })),
  matching(needs),
  listingUnpriced(needs),
];

const pricesIn = async (
  { documents }: Pick<PriceListReadNeeds, 'documents'>,
  project: string,
): Promise<PriceList> => {
  const found = await documents.get<PriceList>(priceList.collection, project);
  return found?.scope === project ? found.body : { prices: [] };
};

const matching = (needs: PriceListReadNeeds): Route =>
  readRoute(matchModelPrice, [priceList.collection], async ({ body, params }) => {
    const { prices } = await pricesIn(needs, params.project_id);
    const found = matchPrice(prices, body.model, body.at ?? needs.clock.now());
    return { body: { entry: found?.entry ?? null, rule: found?.rule ?? null } };
  });

const listingUnpriced = (needs: PriceListReadNeeds): Route =>
  readRoute(
    listUnpricedModels,
    [priceList.collection, recordsCollection],
    async ({ query: { start_time: from = null, end_time: to = null }, params }) => {
      const { project_id: project } = params;
      const { prices } = await pricesIn(needs, project);
      const options = { window: { from, to }, prices, now: needs.clock.now() };
      return { body: { models: [...(await unpricedModels(needs.records, project, options))] } };
    },
    ({ query }) => windowComplaints(query, 'query'),
  );
