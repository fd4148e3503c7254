import { expect } from 'chai';
import { drawnTrace, type ShownRecord } from '../../cli/show.js';
import { sharedApp, type App } from '../support/app.js';
import { uuid } from '../support/recorded.js';
import { transfer } from '../support/transfers.js';

const plain: ShownRecord = {
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
            metrics: { duration_ns: 2_340_000_000 },
            spans: [
              {
                type: 'llm',
                name: 'choose',
                model: 'model-a',
                input: [{ role: 'user', content: 'To Oslo' }],
                output: { role: 'assistant', content: 'booked' },
                metrics: { num_input_tokens: 9, num_output_tokens: 2, duration_ns: 1_200_000 },
                spans: [
                  {
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
    const { code, stdout } = await transfer(app, ['show', '--project', 'drawn']);
    expect([code, ...stdout.split('\n')]).to.deep.equal([
      0,
      `trace trip · 2.34 s · ${uuid(2)}`,
      '    in  To Oslo, please',
      '    out booked',
      '  llm choose · model-a · 1.2 ms · 11 tokens',
      '      in  user: To Oslo',
      '      out assistant: booked',
      '    tool book · failed 500: sold out',
      '        in  {"city":"Oslo"}',
      '',
    ]);
  });

  it('shows the one that is asked for, also as JSON', async () => {
    const asked = ['show', uuid(1), '--project', 'drawn'];
    expect((await transfer(app, asked)).stdout).to.include(`trace old · ${uuid(1)}`);
    const { stdout } = await transfer(app, [...asked, '--json']);
    expect(JSON.parse(stdout)).to.deep.include({ id: uuid(1), spans: [] });
  });

  it('says what is not there', async () => {
    for (const [args, said] of [
      [[], 'which project? --project NAME or ID'],
      [['--project', 'nowhere'], "there is no project 'nowhere'"],
      [[uuid(9), '--project', 'drawn'], `there is no trace ${uuid(9)} in project drawn`],
    ] as const) {
      const { code, stderr } = await transfer(app, ['show', ...args]);
      expect([code, stderr.includes(said)], stderr).to.deep.equal([1, true]);
    }
  });

  it('keeps lines within the screen', () => {
    const long = {
      ...plain,
      input: 'word '.repeat(100),
      is_complete: false,
      metrics: { cost: 1e-5 },
    };
    const [head, text] = drawnTrace(long, 60);
    expect(head).to.equal('trace trip · 0.00001 dollars · not complete · t1');
    expect(text).to.have.length(60).and.match(/…$/);
  });
});
