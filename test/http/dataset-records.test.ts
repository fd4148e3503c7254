import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { upload, type ContentPage } from '../support/datasets.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Added = {
  readonly version_index: number;
  readonly added_count: number;
  readonly present_count: number;
  readonly left_out: readonly string[];
  readonly next_starting_token: number | null;
};

describe('dataset rows from records over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let dataset: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  after(() => keys.close());
  beforeEach(async () => {
    project = await keys.project(`dataset records ${randomUUID()}`);
    dataset = (await upload(app, { parts: { name: randomUUID() } })).body.id;
  });

  const log = async (traces: readonly object[]): Promise<readonly string[]> => {
    const path = `/v2/projects/${project}/traces`;
    const { body } = await app.client.call<{ trace_ids: readonly string[] }>('POST', path, {
      body: { traces },
    });
    return body.trace_ids;
  };
  const add = (body: object = {}, as: Client = app.client) =>
    as.send<Added>('POST', `/v2/datasets/${dataset}/content/from_records`, {
      body: { project_id: project, ...body },
    });
  const added = async (body?: object) => {
    const reply = await add(body);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    return reply;
  };
  const content = async () =>
    (await app.client.call<ContentPage>('GET', `/v2/datasets/${dataset}/content`)).body;
  const cells = async () => (await content()).rows.map(({ values_dict }) => values_dict);
  const named = (value: string) => ({
    filters: [{ type: 'text', name: 'name', operator: 'eq', value }],
    sort: { name: 'input' },
  });

  it('adds a row for each trace that the filters choose, and names the trace', async () => {
    const [one, two] = await log([
      { name: 'a', input: 'q1', output: 'a1' },
      { name: 'a', input: 'q2' },
      { name: 'b', input: 'q3' },
    ]);
    const { body, headers } = await added(named('a'));
    expect(body).to.deep.equal({
      dataset_id: dataset,
      version_index: 2,
      added_count: 2,
      present_count: 0,
      left_out: [],
      next_starting_token: null,
      new_columns: ['trace_id', 'input', 'output'],
    });
    expect(headers['etag']).to.equal('"content-2"');
    expect(headers['x-new-columns']).to.equal('trace_id, input, output');
    expect(await cells()).to.deep.equal([
      { trace_id: one, input: 'q1', output: 'a1' },
      { trace_id: two, input: 'q2', output: null },
    ]);
  });

  it('adds nothing twice, and leaves an edited row as it is', async () => {
    await log([{ name: 'a', input: 'q1' }]);
    await added();
    const [row] = (await content()).rows;
    const edits = [{ edit_type: 'update_row', row_id: row?.row_id, values: { output: 'right' } }];
    await app.client.call('PATCH', `/v2/datasets/${dataset}/content`, { body: { edits } });
    const again = (await added()).body;
    expect(again).to.deep.include({ version_index: 3, added_count: 0, present_count: 1 });
    await log([{ name: 'a', input: 'q2' }]);
    const more = (await added({ sort: { name: 'input' } })).body;
    expect(more).to.deep.include({ version_index: 4, added_count: 1, present_count: 1 });
    expect((await cells()).map(({ output }) => output)).to.deep.equal(['right', null]);
  });

  it('continues page by page', async () => {
    await log(['q1', 'q2', 'q3'].map((input) => ({ input })));
    const first = (await added({ sort: { name: 'input' }, limit: 2 })).body;
    expect(first).to.deep.include({ added_count: 2, next_starting_token: 2 });
    const rest = { sort: { name: 'input' }, limit: 2, starting_token: 2 };
    expect((await added(rest)).body).to.deep.include({ added_count: 1, next_starting_token: null });
    expect((await cells()).map(({ input }) => input)).to.deep.equal(['q1', 'q2', 'q3']);
  });

  it('fills the columns that the request names, from spans too', async () => {
    const [trace] = await log([
      {
        metrics: { reward: 0.5, passed: true },
        tags: ['x', 'y'],
        user_metadata: { user: 'u' },
        spans: [{ type: 'llm', input: [{ role: 'user', content: 'q' }], model: 'm' }],
      },
    ]);
    const columns = {
      score: 'metrics/reward',
      pass: 'metrics/passed',
      tags: 'tags',
      by: 'user_metadata/user',
      odd: 'metrics/unheard_of',
    };
    const { headers } = await added({ columns });
    expect(headers['x-unknown-columns']).to.equal('metrics/unheard_of');
    expect(await cells()).to.deep.equal([
      { trace_id: trace, score: 0.5, pass: 'true', tags: '["x","y"]', by: 'u', odd: null },
    ]);
    dataset = (await upload(app, { parts: { name: randomUUID() } })).body.id;
    await added({ kind: 'spans', columns: { model: 'model', question: 'input' } });
    const [{ span_id, ...row }] = (await cells()) as [Record<string, unknown>];
    expect(row).to.deep.equal({ trace_id: trace, model: 'm', question: 'q' });
    expect(span_id).to.match(/^[0-9a-f-]{36}$/);
  });

  it('names the records that are too large for a row', async () => {
    const [large] = await log([{ input: 'x'.repeat(600_000) }]);
    expect((await added()).body).to.deep.include({ added_count: 0, left_out: [large] });
  });

  it('refuses unknown members, unknown columns and what no search takes', async () => {
    expectInvalid(await add({ filter: [] }), ['body', 'filter'], 'extra_forbidden');
    const bad = await add({ columns: { q: 'model' } });
    expectInvalid(bad, ['body', 'columns', 'q'], 'value_error');
    expectInvalid(
      await add({ columns: { q: 'nothing' } }),
      ['body', 'columns', 'q'],
      'value_error',
    );
    expectInvalid(await add({ columns: { '': 'input' } }), ['body', 'columns', ''], 'value_error');
    expectInvalid(
      await add({ sort: { name: 'nothing' } }),
      ['body', 'sort', 'name'],
      'value_error',
    );
  });

  it('needs the right to write the dataset and to see the project', async () => {
    await log([{ input: 'q' }]);
    const other = await keys.project(`elsewhere ${randomUUID()}`);
    const { as: bound } = await keys.make({ project_id: other, project_role: 'editor' });
    expectRefused(await add({}, bound), 404, 'not_found');
    dataset = (await upload(app, { parts: { name: randomUUID() }, as: bound })).body.id;
    expectRefused(await add({}, bound), 404, 'not_found');
    expect(await add({ project_id: other }, bound)).to.have.property('status', 200);
    expect(await cells()).to.deep.equal([]);
  });
});
