import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Price, PriceList } from '../../contract/price-list.js';
import { shippedEntries, shippedVersion } from '../../kernel/prices/shipped.js';
import { sharedApp, type App } from '../support/app.js';
import { otelRequest, otelSpan } from '../support/otlp.js';
import { expectInvalid, expectRefused, keyRing } from '../support/key-ring.js';

type Body = Readonly<Record<string, unknown>>;
type Span = { readonly id: string; readonly metrics: Readonly<Record<string, number>> };

describe('the price list of a project', () => {
  let app: App;
  let root: string;
  before(async () => {
    app = await sharedApp();
  });
  beforeEach(async () => {
    const project = await app.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: `prices ${randomUUID()}` },
    });
    root = `/v2/projects/${project.body.id}`;
  });

  const setPrices = (prices: readonly Body[], client = app.client, more: Body = {}) =>
    client.send<PriceList>('PUT', `${root}/price_list`, { body: { prices, ...more } });
  const answer = (...prices: readonly Price[]) => ({
    prices,
    use_shipped: true,
    shipped_version: shippedVersion,
  });
  const shown = async () => (await app.client.call<PriceList>('GET', `${root}/price_list`)).body;
  const price = (model: string, from: string, input: number, output: number): Price => ({
    model,
    from: `${from}T00:00:00.000000Z` as Price['from'],
    input,
    output,
  });
  const llm = (model: string, day: string, metrics: Body = {}, more: Body = {}) => ({
    type: 'llm',
    model,
    created_at: `${day}T12:00:00Z`,
    metrics: { num_input_tokens: 1_000, num_output_tokens: 200, ...metrics },
    ...more,
  });
  const log = (spans: readonly Body[], id = randomUUID()) =>
    app.client.send<Body>('POST', `${root}/traces`, {
      body: { traces: [{ id, created_at: '2026-03-01T00:00:00Z', spans }] },
    });
  const sendSpan = (attributes: Readonly<Record<string, string | number>>) => {
    const trace = Number.parseInt(randomUUID().slice(0, 8), 16);
    const called = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
    const span = otelSpan({ trace, id: 1, attributes: { ...called, ...attributes } });
    return app.client.call('POST', '/v1/traces', {
      headers: { projectid: root.slice('/v2/projects/'.length) },
      body: otelRequest([span]),
    });
  };
  const costs = async () => {
    const { body } = await app.client.call<{ readonly records: readonly Span[] }>(
      'POST',
      `${root}/spans/search`,
      { body: { sort: { name: 'step_number' } } },
    );
    return body.records.map(({ metrics }) => metrics['cost'] ?? null);
  };

  it('is empty at first, and answered by model and date', async () => {
    expect(await shown()).to.deep.equal(answer());
    const [old, newer, other] = [
      price('m', '2026-01-01', 1, 2),
      price('m', '2026-02-01', 3, 4),
      price('a', '2026-02-01', 0, 0.5),
    ];
    const set = await setPrices([newer, other, old]);
    expect(set.body).to.deep.equal(answer(other, old, newer));
    expect(await shown()).to.deep.equal(set.body);
    expect((await setPrices([])).body).to.deep.equal(answer());
    expect(await shown()).to.deep.equal(answer());
  });

  it('computes the cost of llm spans without one by the price of their time', async () => {
    await setPrices([
      price('m', '2026-01-01', 1, 10),
      price('m', '2026-02-01', 2, 20),
      price('a', '2026-01-01', 5, 5),
    ]);
    const at = (step_number: number) => ({ step_number });
    await log([
      llm('m', '2026-01-31', {}, at(1)),
      llm('m', '2026-02-01', {}, at(2)),
      llm('m', '2025-12-31', {}, at(3)),
      llm('unknown', '2026-02-01', {}, at(4)),
      llm('m', '2026-02-01', { cost: 7 }, at(5)),
      llm('a', '2026-02-01', { num_input_tokens: null }, at(6)),
      { type: 'tool', created_at: '2026-02-01T12:00:00Z', ...at(7) },
    ]);
    expect(await costs()).to.deep.equal([0.003, 0.006, null, null, 7, 0.001, null]);
    const { body } = await app.client.call<{ readonly aggregate_metrics: Body }>(
      'POST',
      `${root}/metrics/custom_search`,
      {
        body: {
          start_time: '2026-01-01T00:00:00Z',
          end_time: '2027-01-01T00:00:00Z',
          metric_details: [{ id: 'sum', metric_name: 'cost', aggregation: 'Sum' }],
        },
      },
    );
    expect(body.aggregate_metrics['sum']).to.be.closeTo(7.01, 1e-12);
  });

  it('prices kinds of tokens, inside the input or beside it (models 1.37)', async () => {
    const kinds = { cache_read: 1, reasoning: 100 };
    await setPrices([
      { ...price('m', '2026-01-01', 10, 0), ...kinds },
      price('plain', '2026-01-01', 10, 0),
    ]);
    const cached = { num_cached_input_tokens: 800, num_output_tokens: null };
    const apart = { ...cached, num_input_tokens: 200 };
    const otlp = 'gen_ai.usage.cache_read.input_tokens';
    await sendSpan({ 'gen_ai.usage.input_tokens': 1_000, [otlp]: 800 });
    await sendSpan({ 'gen_ai.usage.input_tokens': 200, [otlp]: 800 });
    await log([
      llm('m', '2026-02-01', cached),
      llm('m', '2026-02-01', apart),
      llm('plain', '2026-02-01', cached),
      llm('plain', '2026-02-01', apart),
      llm('m', '2026-02-01', { num_output_tokens: 30, num_reasoning_tokens: 20 }),
    ]);
    const found = (await costs()).map(Number).sort((one, other) => one - other);
    const expected = [0.0028, 0.0028, 0.0028, 0.0028, 0.01, 0.01, 0.012];
    expect(found).to.have.length(expected.length);
    found.forEach((cost, at) => expect(cost).to.be.closeTo(expected[at] ?? 0, 1e-12));
  });

  it('shows the price behind a cost, and none behind a cost that was sent', async () => {
    await setPrices([{ ...price('m', '2026-01-01', 10, 0), cache_read: 1 }]);
    await log([llm('m', '2026-02-01'), llm('m', '2026-02-01', { cost: 7 })]);
    const infos = async (body: Body = {}) =>
      (
        await app.client.call<{ readonly records: readonly { readonly metric_info?: Body }[] }>(
          'POST',
          `${root}/spans/search`,
          { body: { sort: { name: 'step_number' }, ...body } },
        )
      ).body.records.map(({ metric_info: info }) => info?.['cost']);
    const computed = {
      status_type: 'success',
      value: 0.01,
      price: { input: 10, output: 0, cache_read: 1, list: 'project' },
    };
    expect(await infos()).to.have.deep.members([computed, { status_type: 'success', value: 7 }]);
    const fields = await infos({ fields: ['metrics/cost'] });
    expect(fields).to.have.deep.members([computed, undefined]);
  });

  it('keeps the kinds of a price, and takes a changed one for a change', async () => {
    const one = { ...price('m', '2026-01-01', 10, 0), cache_read: 0, output_image: 40 };
    expect((await setPrices([one])).body).to.deep.equal(answer(one));
    expect(await shown()).to.deep.equal(answer(one));
    const other = { ...one, cache_read: 1 };
    expect((await setPrices([other])).body).to.deep.equal(answer(other));
    expect(await shown()).to.deep.equal(answer(other));
  });

  it('follows later token counts, and yields to a later cost', async () => {
    await setPrices([price('m', '2026-01-01', 1, 10)]);
    const id = randomUUID();
    await log([llm('m', '2026-02-01', {}, { id })]);
    const change = (metrics: Body) =>
      app.client.call('PATCH', `${root}/spans/${id}`, { body: { metrics } });
    await change({ num_output_tokens: 300 });
    expect(await costs()).to.deep.equal([0.004]);
    await change({ cost: 2 });
    expect(await costs()).to.deep.equal([2]);
    await change({ cost: null });
    expect(await costs()).to.deep.equal([0.004]);
  });

  it('changes no spans logged before; a repeat is still a repeat', async () => {
    const [trace, span] = [randomUUID(), randomUUID()];
    const spans = [llm('m', '2026-02-01', {}, { id: span })];
    expect((await log(spans, trace)).status).to.equal(200);
    await setPrices([price('m', '2026-01-01', 1, 10)]);
    expect((await log(spans, trace)).status).to.equal(200);
    expect(await costs()).to.deep.equal([null]);
    await log([llm('m', '2026-02-01')]);
    expect(await costs()).to.have.members([0.003, null]);
  });

  it('has one price of a model at a time, within bounds', async () => {
    const one = price('m', '2026-01-01', 1, 10);
    const at = (...rest: readonly string[]) => ['body', 'prices', ...rest];
    const twice = await setPrices([one, { ...one, from: '2026-01-01T01:00:00+01:00' }]);
    expectInvalid(twice, at('1'), 'value_error');
    expectInvalid(await setPrices([{ ...one, input: -1 }]), at('0', 'input'), 'greater_than_equal');
    expectInvalid(await setPrices([{ ...one, more: 1 }]), at('0', 'more'), 'extra_forbidden');
    expectInvalid(
      await setPrices([{ ...one, inputs: 1 }]),
      at('0', 'inputs'),
      'extra_forbidden',
      'Extra inputs are not permitted, did you mean `input`?',
    );
    const many = Array.from({ length: 501 }, (_, n) => ({ ...one, model: `m${n}` }));
    expectInvalid(await setPrices(many), at(), 'too_long');
  });

  it('prices models by patterns and simplified names, and says how (models 1.38)', async () => {
    const [family, model] = [
      price('gpt-4o*', '2026-01-01', 5, 5),
      price('gpt-4o', '2026-01-01', 1, 1),
    ];
    await setPrices([family, model], app.client, { use_shipped: false });
    const match = async (body: Body) =>
      (await app.client.call('POST', `${root}/price_list/match`, { body })).body;
    const simplified = { entry: model, rule: 'simplified', list: 'project' };
    expect(await match({ model: 'openai/GPT-4o-2024-08-06' })).to.deep.equal({
      entry: family,
      rule: 'simplified_pattern',
      list: 'project',
    });
    expect(await match({ model: 'GPT-4o' })).to.deep.equal(simplified);
    const early = { model: 'gpt-4o', at: '2025-12-31T00:00:00Z' };
    expect(await match(early)).to.deep.equal({ entry: null, rule: null, list: null });
    await log([llm('azure/GPT-4o', '2026-02-01'), llm('gpt-4o-audio', '2026-02-01')]);
    expect(await costs()).to.have.members([0.0012, 0.006]);
    const star = await setPrices([price('gpt*4o', '2026-01-01', 1, 1)]);
    expectInvalid(star, ['body', 'prices', '0', 'model'], 'value_error');
  });

  it('uses shipped prices after its own, unless it says otherwise', async () => {
    const shipped = (
      await app.client.call<{ readonly version: string; readonly prices: Body[] }>(
        'GET',
        '/v2/price_list/shipped',
      )
    ).body;
    expect(shipped.version).to.equal(shippedVersion);
    expect(shipped.prices).to.have.length(shippedEntries.length);
    expect(shipped.prices.find(({ model }) => model === 'gpt-4o')).to.include({
      input: 2.5,
      cache_read: 1.25,
      source: 'https://developers.openai.com/api/docs/pricing',
    });
    const match = async () =>
      (
        await app.client.call<Body>('POST', `${root}/price_list/match`, {
          body: { model: 'gpt-4o' },
        })
      ).body;
    expect(await match()).to.deep.include({ rule: 'exact', list: 'shipped' });
    await log([llm('openai/gpt-4o-2024-08-06', '2026-02-01', { num_cached_input_tokens: 1_000 })]);
    const mini = { 'gen_ai.response.model': 'gpt-4o-mini' };
    await sendSpan({ ...mini, 'gen_ai.usage.input_tokens': 1_000_000 });
    expect(await costs()).to.have.members([0.00325, 0.15]);
    await setPrices([price('gpt-4o', '2026-01-01', 0, 0)]);
    expect(await match()).to.deep.include({ rule: 'exact', list: 'project' });
    await setPrices([], app.client, { use_shipped: false });
    expect(await match()).to.deep.equal({ entry: null, rule: null, list: null });
    expect(await shown()).to.include({ use_shipped: false });
    await log([llm('gpt-4o', '2026-02-01')]);
    expect(await costs()).to.have.members([0.00325, 0.15, null]);
    await setPrices([]);
    expect(await shown()).to.include({ use_shipped: false });
  });

  it('lists the models without a price, with the nearest entry (models 1.38)', async () => {
    const known = price('gpt-4o', '2026-01-01', 1, 1);
    await setPrices([], app.client, { use_shipped: false });
    const typo = llm('gpt-4p', '2026-02-01');
    await log([typo, typo, llm('gpt-4o', '2026-01-15'), llm('mine', '2026-02-01', { cost: 1 })]);
    const { model: _, ...nameless } = llm('', '2026-02-01');
    await setPrices([known]);
    const none = { num_input_tokens: 0, num_output_tokens: 0 };
    await log([
      llm('gpt-4o', '2026-02-01'),
      nameless,
      nameless,
      nameless,
      llm('quiet', '2026-02-01', none),
    ]);
    const unpriced = async (query = '') =>
      (await app.client.call('GET', `${root}/price_list/unpriced${query}`)).body;
    const models = [
      { model: null, spans: 3, tokens: 3_600, entry: null, rule: null, list: null },
      { model: 'gpt-4p', spans: 2, tokens: 2_400, entry: known, rule: null, list: null },
      { model: 'gpt-4o', spans: 1, tokens: 1_200, entry: known, rule: 'exact', list: 'project' },
    ];
    expect(await unpriced()).to.deep.equal({ models });
    const later = '?start_time=2026-02-01T00:00:00Z';
    expect(await unpriced(later)).to.deep.equal({ models: models.slice(0, 2) });
    const wrong = await app.client.send(
      'GET',
      `${root}/price_list/unpriced${later}&end_time=2026-01-01`,
    );
    expectInvalid(wrong, ['query', 'end_time'], 'value_error');
  });

  it('is set by editors and seen by viewers only', async () => {
    const project_id = root.slice('/v2/projects/'.length);
    const { as } = await keyRing(app).make({ project_id, project_role: 'viewer' });
    expectRefused(await setPrices([], as), 403, 'forbidden');
    for (const path of ['', '/unpriced']) {
      expect((await as.send('GET', `${root}/price_list${path}`)).status).to.equal(200);
    }
    const body = { model: 'm' };
    expect((await as.send('POST', `${root}/price_list/match`, { body })).status).to.equal(200);
    const nowhere = `/v2/projects/${randomUUID()}/price_list`;
    expectRefused(await app.client.send('GET', nowhere), 404, 'not_found');
  });

  it('is in the history of the project', async () => {
    await setPrices([price('m', '2026-01-01', 1, 10)]);
    const { body } = await app.client.call<{ readonly entries: readonly Body[] }>(
      'GET',
      `${root}/history?event_type=PriceListSet`,
    );
    expect(body.entries.map(({ resource, after }) => ({ resource, after }))).to.deep.equal([
      {
        resource: { type: 'project', id: root.slice('/v2/projects/'.length) },
        after: { prices: [price('m', '2026-01-01', 1, 10)] },
      },
    ]);
  });
});
