import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';

type Span = { readonly metrics: { readonly cost?: number } };

describe('a new price list', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
  });
  after(() => folder.remove());

  it('changes no old cost, also after rebuild --all, and verify passes (models 1.39)', async () => {
    const first = await startService({ dir: folder.dir });
    const project = await first.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: 'old costs' },
    });
    const root = `/v2/projects/${project.body.id}`;
    const costs = async ({ client }: ServiceProcess) => {
      const path = `${root}/spans/search`;
      const { body } = await client.call<{ readonly records: readonly Span[] }>('POST', path, {
        body: { sort: { name: 'step_number' } },
      });
      return body.records.map(({ metrics }) => metrics.cost ?? null);
    };
    const span = (model: string, step_number: number) => ({
      type: 'llm',
      model,
      step_number,
      created_at: '2026-02-01T00:00:00Z',
      metrics: { num_input_tokens: 1_000, num_cached_input_tokens: 800 },
    });
    const log = (...spans: readonly object[]) =>
      first.client.call('POST', `${root}/traces`, { body: { traces: [{ spans }] } });
    const setPrices = (body: object) => first.client.call('PUT', `${root}/price_list`, { body });
    const from = '2026-01-01T00:00:00Z';
    await setPrices({ prices: [{ model: 'm', from, input: 10, output: 0, cache_read: 1 }] });
    await log(span('m', 1), span('gpt-4o', 2), span('unknown', 3));
    const before = await costs(first);
    expect(before).to.deep.equal([0.0028, 0.0015, null]);
    await setPrices({
      prices: ['m', 'gpt-4o', 'unknown'].map((model) => ({ model, from, input: 99, output: 99 })),
      use_shipped: false,
    });
    expect(await costs(first)).to.deep.equal(before);
    await first.stop();
    for (const args of [['rebuild', '--all'], ['verify']]) {
      const { code, output } = await runAssay(folder.dir, ...args);
      expect(code, output).to.equal(0);
    }
    const second = await startService({ dir: folder.dir });
    expect(await costs(second)).to.deep.equal(before);
    await second.stop();
  });
});
