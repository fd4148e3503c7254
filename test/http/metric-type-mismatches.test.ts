import { randomUUID as uuid } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type App } from '../support/app.js';
import { expectInvalid } from '../support/key-ring.js';

type Info = Readonly<Record<string, { readonly status_type: string; readonly message?: string }>>;
type Shown = { readonly id: string; readonly metrics: object; readonly metric_info: Info };

describe('metric values that do not fit their metric', function () {
  let app: App;
  let root: string;
  before(async () => {
    app = await startApp();
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: uuid() },
    });
    root = `/v2/projects/${body.id}`;
  });
  after(() => app.close());
  const log = (body: object, headers = {}) =>
    app.client.send<Record<string, unknown>>('POST', `${root}/traces`, { body, headers });
  const shown = async (id: string) =>
    (await app.client.call<Shown>('GET', `${root}/traces/${id}`)).body;

  it('are named where the registry says the type, by their places in the request', async () => {
    const trace = uuid();
    const traces = [
      { input: 5 },
      { id: trace, metrics: { num_input_tokens: '1000', cost: 1, toxicity: null, own: 'a' } },
      {
        spans: [
          { type: 'tool', spans: [{ type: 'llm', metrics: { 'metrics/num_output_tokens': 1.5 } }] },
        ],
      },
    ];
    const reply = await log({ traces });
    expect(reply.status).to.equal(200);
    const paths = [
      'traces/1/metrics/num_input_tokens',
      'traces/2/spans/0/spans/0/metrics/metrics/num_output_tokens',
    ];
    expect(reply.body['unfit_metrics']).to.deep.equal(paths);
    expect(reply.headers['x-unfit-metrics']).to.equal(paths.join(', '));
    const { metrics, metric_info: info } = await shown(trace);
    expect(metrics).to.deep.equal({ num_input_tokens: '1000', cost: 1, own: 'a' });
    expect(info['num_input_tokens']).to.deep.include({
      status_type: 'error',
      ems_error_code: 1007,
      message:
        "The value does not fit metric 'num_input_tokens' of type integer. " +
        'Filters, sorting and aggregates do not see it.',
    });
    const patched = await app.client.call<object>('PATCH', `${root}/traces/${trace}`, {
      body: { metrics: { toxicity: true } },
    });
    expect(patched.body).to.deep.include({ unfit_metrics: ['metrics/toxicity'] });
    const fine = await log({ traces: [{ metrics: { num_input_tokens: 3, own: 7 } }] });
    expect(fine.body).not.to.have.property('unfit_metrics');
  });

  it('are refused under strict handling, and nothing is recorded', async () => {
    const id = uuid();
    const body = { traces: [{ id }, { metrics: { cost: 'a dollar' } }] };
    expectInvalid(
      await log(body, { Prefer: 'handling=strict' }),
      ['body', 'traces', '1', 'metrics', 'cost'],
      'value_error',
      "Value error, 'cost' is a metric of type floating_point",
    );
    const missing = await app.client.send('GET', `${root}/traces/${id}`, {});
    expect(missing.status).to.equal(404);
  });

  it('are errors in metric_info where the first value in the log has another type', async () => {
    const ids = [uuid(), uuid(), uuid()];
    for (const [at, score] of ['0.9', 0.9, 0.1].entries()) {
      await log({ traces: [{ id: ids[at], metrics: { score, fine: 1 } }] });
    }
    const infos = await Promise.all(ids.map(async (id) => (await shown(id)).metric_info));
    expect(infos[0]?.['score']).to.deep.equal({ status_type: 'success', value: '0.9' });
    const found = await app.client.call<{ records: readonly Shown[] }>(
      'POST',
      `${root}/traces/search`,
      { body: {} },
    );
    const searched = found.body.records.filter(({ id }) => ids.slice(1).some((one) => one === id));
    for (const info of [...infos.slice(1), ...searched.map((one) => one.metric_info)]) {
      expect(info['score']).to.deep.include({ status_type: 'error', ems_error_code: 1007 });
      expect(info['score']?.message).to.contain("metric 'score' of type text");
      expect(info['fine']).to.deep.equal({ status_type: 'success', value: 1 });
    }
    expect(searched).to.have.length(2);
    expect((await shown(ids[2] ?? '')).metrics).to.deep.equal({ score: 0.1, fine: 1 });
  });
});
