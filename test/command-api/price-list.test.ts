import { expect } from 'chai';
import { priceList, priceListStream } from '../../command-api/facts/price-list.js';
import { setPrices as decideOn } from '../../command-api/price-list/prices.js';
import type { Price } from '../../contract/price-list.js';
import type { PriceListEvent } from '../../events/price-list.js';
import { transact } from '../../kernel/transact.js';
import { projectId } from '../support/access-events.js';
import { deciderSpec } from '../support/decider-spec.js';
import { authorAt, instantAfter, testLog } from '../support/test-log.js';

const given = deciderSpec(priceList);
const project = projectId(1);
const setPrices = (
  projectId: typeof project,
  prices: readonly Price[],
  useShipped?: boolean,
  createdWithShipped = false,
) => decideOn(projectId, { prices, useShipped }, createdWithShipped);
const price = (model: string, more: Partial<Price> = {}): Price => ({
  model,
  from: instantAfter(0),
  input: 1,
  output: 2,
  ...more,
});
const listWith = (useShipped: boolean, ...prices: readonly Price[]): PriceListEvent => ({
  type: 'PriceListSet',
  schema: 2,
  data: { project_id: project, prices: [...prices], use_shipped: useShipped },
});
const list = (...prices: readonly Price[]): PriceListEvent => listWith(false, ...prices);

describe('deciding on a price list', () => {
  it('orders prices by model, then date, and leaves a list that is already so', () => {
    const later = price('a', { from: instantAfter(9) });
    const ordered = list(price('a'), later, price('b'));
    given()
      .when(setPrices(project, [price('b'), later, price('a')]))
      .then(ordered);
    given(ordered)
      .when(setPrices(project, [later, price('b'), price('a')]))
      .thenNothing();
  });

  it('takes a price of a kind that is set, changed or removed for a change', () => {
    const kinds = list(price('a', { cache_read: 0 }));
    given(list(price('a')))
      .when(setPrices(project, [price('a', { cache_read: 0 })]))
      .then(kinds);
    given(kinds)
      .when(setPrices(project, [price('a')]))
      .then(list(price('a')));
  });

  it('uses shipped prices as the project was created, until somebody says so', () => {
    given().when(setPrices(project, [])).thenNothing();
    given()
      .when(setPrices(project, [price('a')], undefined, true))
      .then(listWith(true, price('a')));
    given()
      .when(setPrices(project, [], true))
      .then(listWith(true));
    given(listWith(true))
      .when(setPrices(project, [], false, true))
      .then(listWith(false));
    given(listWith(false))
      .when(setPrices(project, [], undefined, true))
      .thenNothing();
    given(listWith(true, price('a')))
      .when(setPrices(project, [price('b')]))
      .then(listWith(true, price('b')));
  });

  it('stores version 2, and reads lists of version 1', async () => {
    const { log, append, close } = await testLog();
    const stream = priceListStream(project);
    const { schema: _, ...old } = list(price('a'));
    await append(stream, { ...old, data: { project_id: project, prices: [price('a')] } });
    await transact(log, stream, priceList, setPrices(project, [price('b')]), authorAt());
    const stored = await log.read(stream);
    expect(stored.map(({ metadata }) => metadata.schema)).to.deep.equal([1, 2]);
    expect(stored.map(({ data }) => data)).to.deep.equal([
      list(price('a')).data,
      list(price('b')).data,
    ]);
    await close();
  });
});
