import { expect } from 'chai';
import { renderTrace, type RenderedRecord } from '../../tools/trace-rendering.js';
import { sharedApp, type App } from '../support/app.js';
import { uuid } from '../support/recorded-project.js';
import { runTransfer } from '../support/transfer-commands.js';

const external = '0af7651916cd43dd8448eb211c80319c';
const plain: RenderedRecord = {
  id: 't1',
  type: 'trace',
  name: 'trip',
  input: '',
  output: null,
  status_code: null,
  is_complete: true,
  metrics: {},
  user_metadata: {},
};

describe('assay show', () => {
  let app: App;
  before(async () => {
    app = await sharedApp();
    const { body } = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'drawn' },
    });
    await app.client.call('POST', `/v2/projects/${body.id}/traces`, {
      body: {
        traces: [
          { id: uuid(1), name: 'old', input: 'x', created_at: '2026-03-01T00:00:00Z' },
          {
            id: uuid(2),
            name: 'trip',
            input: 'To Oslo,\nplease',
            output: 'booked',
            created_at: '2026-03-02T00:00:00Z',
            metrics: { duration_ns: 2_340_000_000, reward: 1 },
            tags: ['paid', 'oslo'],
            user_metadata: { customer: 'ada' },
            dataset_output: 'booked to Oslo',
            external_id: '0af7651916cd43dd8448eb211c80319c',
            spans: [
              {
                id: uuid(3),
                type: 'llm',
                name: 'choose',
                model: 'model-a',
                input: [{ role: 'user', content: 'To Oslo' }],
                output: { role: 'assistant', content: 'booked' },
                metrics: { num_input_tokens: 9, num_output_tokens: 2, duration_ns: 1_200_000 },
                spans: [
                  {
                    id: uuid(4),
                    type: 'tool',
                    name: 'book',
                    input: '{"city":"Oslo"}',
                    status_code: 500,
                    user_metadata: { 'error.message': 'sold out' },
                  },
                ],
              },
            ],
          },
        ],
      },
    });
  });

  it('draws the newest trace with its steps', async () => {
    const { code, stdout } = await runTransfer(app, ['show', '--project', 'drawn']);
    const received = / · (\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ) · \S+\n      in  user/.exec(stdout)?.[1];
    expect([code, ...stdout.split('\n')]).to.deep.equal([
      0,
      `trace trip · 2.34 s · 11 tokens · 2026-03-02 00:00:00Z · ${uuid(2)}`,
      '    in  To Oslo, please',
      '    out booked',
      '    reference booked to Oslo',
      `    external id ${external}`,
      '    tags paid, oslo',
      '    metadata customer=ada',
      '    metrics reward=1, bleu=0.02407, rouge=0.5',
      `  llm choose · model-a · 1.2 ms · 11 tokens · ${received} · ${uuid(3)}`,
      '      in  user: To Oslo',
      '      out assistant: booked',
      `    tool book · failed 500: sold out · ${received} · ${uuid(4)}`,
      '        in  {"city":"Oslo"}',
      '',
    ]);
  });

  it('shows the requested trace, also as JSON', async () => {
    const asked = ['show', uuid(1), '--project', 'drawn'];
    expect((await runTransfer(app, asked)).stdout).to.match(/^trace old · .* · 0+/);
    const byOther = await runTransfer(app, ['show', external.toUpperCase(), '--project', 'drawn']);
    expect(byOther.stdout).to.include('trace trip');
    const whole = await runTransfer(app, ['show', uuid(2), '--project', 'drawn', '--full']);
    expect(whole.stdout).to.include('    in  To Oslo,\n        please\n');
    const { stdout } = await runTransfer(app, [...asked, '--json']);
    expect(JSON.parse(stdout)).to.deep.include({ id: uuid(1), spans: [] });
  });

  it('names an unknown project or trace', async () => {
    for (const [args, said] of [
      [[], 'which project? --project NAME or ID'],
      [['--project', 'nowhere'], "no project 'nowhere' exists"],
      [
        [uuid(9), '--project', 'drawn'],
        `no trace of project drawn has the id or external id ${uuid(9)}`,
      ],
    ] as const) {
      const { code, stderr } = await runTransfer(app, ['show', ...args]);
      expect([code, stderr.includes(said)], stderr).to.deep.equal([1, true]);
    }
  });

  it('keeps lines within the width of the screen', () => {
    const long = {
      ...plain,
      input: 'word '.repeat(100),
      is_complete: false,
      metrics: { cost: 1e-5 },
    };
    const [head, text] = renderTrace(long, { width: 60 });
    expect(head).to.equal('trace trip · 0.00001 dollars · not complete · t1');
    expect(text).to.have.length(60).and.match(/…$/);
  });

  it('names what people rated and which metrics failed', () => {
    const rated = {
      ...plain,
      annotations: { a1: { ada: { value: true, explanation: 'polite' } } },
      metric_info: { tone: { message: 'the scorer ended early' } },
    };
    const templates = new Map([['a1', 'helpful']]);
    expect(renderTrace(rated, { width: null, templates }).slice(1)).to.deep.equal([
      '    failed tone=the scorer ended early',
      '    ratings helpful=true (polite)',
    ]);
  });
});
