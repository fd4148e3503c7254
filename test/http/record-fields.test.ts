import { expect } from 'chai';
import { memberNames } from '../../contract/record-reads.js';
import { recordedProject, uuid, type RecordedProject } from '../support/recorded-project.js';

type View = Readonly<Record<string, unknown>>;
type Page = { readonly records: readonly View[]; readonly last_row_id: string | null };
type Problems = { readonly detail: readonly { loc: string[]; msg: string; type: string }[] };

describe('POST …/search with fields', () => {
  let project: RecordedProject;

  before(async () => {
    project = await recordedProject();
    const spans = [
      {
        id: uuid(11),
        type: 'llm',
        name: 'model call',
        created_at: '2026-03-01T09:00:01Z',
        input: [
          { role: 'system', content: 's'.repeat(10_000) },
          { role: 'user', content: 'hi' },
        ],
        output: 'ho',
        model: 'm',
        metrics: { duration_ns: 5, num_input_tokens: 2, num_output_tokens: 3 },
        user_metadata: { team: 'red', city: 'Oslo' },
      },
      { id: uuid(12), type: 'tool', name: 'tool', created_at: '2026-03-01T09:00:02Z', input: 'x' },
    ];
    const trace = { id: uuid(1), name: 'first', input: 'a', created_at: '2026-03-01T09:00:00Z' };
    await project.log([{ ...trace, metrics: { reward: 1 }, spans }], { session_id: uuid(9) });
  });

  const page = async (kind: string, body: object) => {
    const answer = await project.ask<Page>(`${kind}/search`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };

  it('answers these members and the id alone, of each kind of record', async () => {
    const fields = ['name', 'model', 'metrics/duration_ns', 'metrics/num_total_tokens'];
    const spans = await page('spans', { fields });
    expect(spans.body.records).to.deep.equal([
      { id: uuid(12), name: 'tool', metrics: {} },
      {
        id: uuid(11),
        name: 'model call',
        model: 'm',
        metrics: { duration_ns: 5, num_total_tokens: 5 },
      },
    ]);
    expect(spans.body).to.include({ last_row_id: uuid(11), limit: 100, paginated: false });
    const [trace] = (await page('traces', { fields: ['metrics/num_total_tokens', 'num_spans'] }))
      .body.records;
    expect(trace).to.deep.equal({
      id: uuid(1),
      metrics: {},
      metric_info: {
        num_total_tokens: { status_type: 'roll_up', value: 5, roll_up_metrics: { sum: 5 } },
      },
      num_spans: null,
    });
    const sessions = await page('sessions', { fields: ['num_traces'], include_counts: true });
    expect(sessions.body.records).to.deep.equal([{ id: uuid(9), num_traces: 1 }]);
  });

  it('answers what a whole record has, whatever the fields, cut when asked to', async () => {
    for (const population of ['span', 'trace', 'session'] as const) {
      const kind = `${population}s`;
      const { records } = (await page(kind, {})).body;
      for (const field of memberNames[population]) {
        const some = await page(kind, { fields: [field] });
        const expected = records.map((record) =>
          field in record ? { id: record['id'], [field]: record[field] } : { id: record['id'] },
        );
        expect(some.body.records, field).to.deep.equal(expected);
      }
    }
    const cut = await page('spans', { fields: ['input'], truncate_fields: true });
    const [, { input }] = cut.body.records as [View, { input: { content: string }[] }];
    expect(input[0]?.content).to.equal('s'.repeat(1_000));
  });

  it('names metrics and keys that were never recorded', async () => {
    const fields = ['metrics/rewrad', 'metrics/reward', 'user_metadata/team', 'user_metadata/taem'];
    const { headers, body } = await page('spans', { fields });
    expect(headers['x-unknown-columns']).to.equal('metrics/rewrad, user_metadata/taem');
    expect(body.records[1]).to.deep.equal({
      id: uuid(11),
      metrics: {},
      user_metadata: { team: 'red' },
    });
  });

  it('answers 422 to unknown fields, to none, and to more than sixty', async () => {
    const refused = async (kind: string, fields: readonly string[]) => {
      const { status, body } = await project.ask<Problems>(`${kind}/search`, { fields });
      expect(status).to.equal(422);
      return body.detail.map(({ loc, msg, type }) => [loc.join('.'), type, msg]);
    };
    expect(await refused('traces', ['name', 'parent_id'])).to.deep.equal([
      ['body.fields.1', 'value_error', "Value error, traces have no field 'parent_id'"],
    ]);
    expect((await refused('spans', []))[0]?.slice(0, 2)).to.deep.equal([
      'body.fields',
      'too_short',
    ]);
    const many = Array.from({ length: 61 }, (_, at) => `metrics/m${at}`);
    expect((await refused('spans', many))[0]?.slice(0, 2)).to.deep.equal([
      'body.fields',
      'too_long',
    ]);
  });
});
