import { readRoute, type Route } from '../../contract/operation.js';
import {
  getPriceList,
  getShippedPriceList,
  listUnpricedModels,
  matchModelPrice,
  priceListAnswer,
  type PriceListFacts,
} from '../../contract/price-list.js';
import { windowComplaints } from '../../contract/selectors.js';
import type { Documents } from '../../kernel/documents.js';
import type { Clock } from '../../kernel/ports.js';
import { priceLists, type PriceLists } from '../../kernel/prices/price-lists.js';
import { shippedPages, shippedVersion } from '../../kernel/prices/shipped.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { priceList } from '../../projections/price-list.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { shownMatch, unpricedModels } from './unpriced.js';

type PriceListReadNeeds = {
  readonly documents: Documents;
  readonly records: Pick<RecordQueries, 'aggregate'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Reads of price lists (contract 5.4). */
export const priceListReads = (needs: PriceListReadNeeds): readonly Route[] => [
  readRoute(getPriceList, [priceList.collection], async ({ params: { project_id: project } }) => {
    const { prices, use_shipped: useShipped } = await pricesIn(needs, project);
    return { body: priceListAnswer(prices, useShipped) };
  }),
  readRoute(getShippedPriceList, [], async () => ({
    body: {
      version: shippedVersion,
      prices: shippedPages.flatMap(({ source, entries }) =>
        entries.map((entry) => ({ ...entry, source })),
      ),
    },
  })),
  matching(needs),
  listingUnpriced(needs),
];

const pricesIn = async (
  { documents }: Pick<PriceListReadNeeds, 'documents'>,
  project: string,
): Promise<PriceListFacts> => {
  const found = await documents.get<PriceListFacts>(priceList.collection, project);
  return found?.scope === project ? found.body : { prices: [], use_shipped: false };
};

const listsIn = async (needs: PriceListReadNeeds, project: string): Promise<PriceLists> => {
  const { prices, use_shipped: useShipped } = await pricesIn(needs, project);
  return priceLists(prices, useShipped);
};

const matching = (needs: PriceListReadNeeds): Route =>
  readRoute(matchModelPrice, [priceList.collection], async ({ body, params }) => {
    const lists = await listsIn(needs, params.project_id);
    return { body: shownMatch(lists, body.model, body.at ?? needs.clock.now()) };
  });

const listingUnpriced = (needs: PriceListReadNeeds): Route =>
  readRoute(
    listUnpricedModels,
    [priceList.collection, recordsCollection],
    async ({ query: { start_time: from = null, end_time: to = null }, params }) => {
      const { project_id: project } = params;
      const lists = await listsIn(needs, project);
      const options = { window: { from, to }, lists, now: needs.clock.now() };
      return { body: { models: [...(await unpricedModels(needs.records, project, options))] } };
    },
    ({ query }) => windowComplaints(query, 'query'),
  );
