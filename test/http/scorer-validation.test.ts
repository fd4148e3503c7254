import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import type { Client, Reply } from '../support/client.js';
import { upload } from '../support/datasets.js';
import { formRequest } from '../support/multipart-forms.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import { waits } from '../support/sandboxes.js';
import {
  waitForTaskEnd,
  scorerParts as partsOf,
  validatePath as path,
  type RequestedTask as Asked,
  type Task,
} from '../support/scorer-validations.js';

type Job = { readonly id: string; readonly status: string; readonly [member: string]: unknown };

const scorer = `
def scorer_fn(*, node_output, dataset_variables, required_scores, **kwargs) -> float:
    return len(node_output) / 2 + required_scores.get("bleu", 0)
def aggregator_fn(*, scores):
    return {"Sum": sum(scores)}
`;
const csv = 'question,answer,made\nq0,aa,bbb\nq1,a b c d,\nq2,aaaaaa,cc\n';
const mapping = {
  input: ['question'],
  output: ['answer'],
  generated_output: ['made'],
  metadata: ['question', 'made'],
};
const unique = (name: string): string => `${name} ${randomUUID()}`;

describe('validation of code scorers over HTTP', function () {
  let app: App;
  let keys: KeyRing;
  let project: string;
  let dataset: string;
  before(async () => {
    app = await sharedApp('strict');
    keys = keyRing(app);
    project = await keys.project(unique('validations'));
    dataset = await datasetIn(project);
  });
  after(async () => {
    keys.close();
    await app.untilCaughtUp();
    await expectReplayEqual(app);
  });

  const datasetIn = async (home: string | null): Promise<string> => {
    const parts = {
      name: unique('rows'),
      column_mapping: JSON.stringify(mapping),
      ...(home !== null && { project_id: home }),
    };
    const made = await upload(app, { file: csv, parts });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    return made.body.id;
  };
  const validate = (
    source: string | Uint8Array,
    more: Readonly<Record<string, string>> = {},
    { as = app.client, headers = {} }: { as?: Client; headers?: Record<string, string> } = {},
  ): Promise<Reply<Asked>> =>
    as.send<Asked>(
      'POST',
      `${path}/dataset`,
      formRequest(partsOf(source, { dataset_id: dataset, ...more }), headers),
    );
  const poll = (id: string, as: Client = app.client) => as.send<Task>('GET', `${path}/${id}`);
  const ended = (asked: Reply<Asked>): Promise<Task> => waitForTaskEnd(app.client, asked);

  it('scores rows of a dataset and keeps them in a run of its own', async () => {
    const asked = await validate(scorer, {
      required_scorers: 'bleu',
      scoreable_node_types: 'chain',
    });
    expect(asked.body.project_id).to.equal(project);
    const task = await ended(asked);
    const { task_id: id, metrics_experiment_id: run } = asked.body;
    const { body: home } = await app.client.call<{ runs: readonly object[] }>(
      'GET',
      `/v2/projects/${project}`,
    );
    const summary = { id: run, kind: 'metrics_testing', name: 'registered_scorer_validation' };
    expect(home.runs[0]).to.deep.include(summary);
    expect(task).to.deep.include({
      id,
      status: 'completed',
      metrics_experiment_id: run,
      project_id: project,
      progress_percent: 100,
    });
    expect(task.result?.result).to.deep.equal({
      result_type: 'valid',
      score_type: 'float',
      scoreable_node_types: ['chain'],
      test_scores: [
        { node_type: 'chain', score: 1.5, row_index: 0 },
        { node_type: 'chain', score: 4.5, row_index: 1 },
        { node_type: 'chain', score: 1, row_index: 2 },
      ],
      include_llm_credentials: false,
      chain_aggregation: null,
      aggregates: { Sum: 7 },
    });
    expect((await poll(run)).body).to.deep.equal(task);

    const found = await app.client.call<{ records: Record<string, unknown>[] }>(
      'POST',
      `/v2/projects/${project}/traces/search`,
      { body: { metrics_testing_id: run, sort: { column_id: 'input', ascending: true } } },
    );
    expect(
      found.body.records.map((one) =>
        ['name', 'input', 'output', 'dataset_output'].map((member) => one[member]),
      ),
    ).to.deep.equal([
      ['row 0', 'q0', 'bbb', 'aa'],
      ['row 1', 'q1', 'a b c d', 'a b c d'],
      ['row 2', 'q2', 'cc', 'aaaaaa'],
    ]);
    expect(
      found.body.records.map(
        (one) => (one['metrics'] as Record<string, unknown>)['registered_scorer_validation'],
      ),
    ).to.deep.equal([1.5, 4.5, 1]);
    expect(found.body.records[0]?.['dataset_metadata']).to.deep.equal({
      question: 'q0',
      made: 'bbb',
    });
  });

  it('scores the requested rows of the requested version', async () => {
    const source = 'def scorer_fn(*, index, **k) -> int:\n    return index';
    const task = await ended(
      await validate(source, { starting_token: '1', limit: '1', dataset_version_index: '1' }),
    );
    expect(task.result?.result['test_scores']).to.deep.equal([
      { node_type: 'llm', score: 1, row_index: 1 },
    ]);
  });

  it('reports what is wrong with a file, and in which row', async () => {
    const source = 'def scorer_fn(*, index, **k) -> int:\n    return 1 // (index - 2)';
    const task = await ended(await validate(source));
    expect(task.status).to.equal('completed');
    expect(task.result?.result).to.have.keys('result_type', 'error_message');
    expect(task.result?.result['result_type']).to.equal('invalid');
    expect(task.result?.result['error_message']).to.match(/^row 2: ZeroDivisionError: /);
  });

  it('is a job of its run', async () => {
    const asked = await validate('def scorer_fn(**k) -> bool:\n    return True');
    await ended(asked);
    const { task_id: id, metrics_experiment_id: run } = asked.body;
    const job = (await app.client.call<Job>('GET', `/v2/jobs/${id}`)).body;
    expect(job).to.deep.include({
      id,
      job_name: 'registered_scorer_validation',
      project_id: project,
      run_id: run,
      status: 'completed',
      progress_percent: 100,
      steps_completed: 3,
      steps_total: 3,
      retries: 0,
      error_message: null,
      failed_at: null,
    });
    const root = `/v2/projects/${project}/runs`;
    expect((await app.client.call<Job[]>('GET', `${root}/${run}/jobs`)).body).to.deep.equal([job]);
    expectRefused(await app.client.send('GET', `${root}/${randomUUID()}/jobs`), 404, 'not_found');
    expectRefused(await app.client.send('GET', `/v2/jobs/${randomUUID()}`), 404, 'not_found');
  });

  it('answers a repeat under one Idempotency-Key with the same task', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const source = 'def scorer_fn(**k) -> int:\n    return 1';
    const first = await validate(source, {}, { headers });
    const again = await validate(source, {}, { headers });
    expect(again.body).to.deep.equal(first.body);
    const other = await validate(`${source} `, {}, { headers });
    expectInvalid(other, ['header', 'Idempotency-Key'], 'value_error');
    await ended(first);
  });

  it('refuses what cannot be validated, and names the place', async () => {
    const source = 'x = 1';
    const wrong: [Parameters<typeof validate>, string[], string][] = [
      [[''], ['body', 'file'], 'value_error'],
      [[Uint8Array.of(0xff, 0xfe)], ['body', 'file'], 'value_error'],
      [[source, { dataset_id: 'x' }], ['body', 'dataset_id'], 'uuid_parsing'],
      [[source, { limit: '0' }], ['body', 'limit'], 'greater_than_equal'],
      [[source, { limit: '1001' }], ['body', 'limit'], 'less_than_equal'],
      [[source, { limit: 'ten' }], ['body', 'limit'], 'int_parsing'],
      [[source, { starting_token: '-1' }], ['body', 'starting_token'], 'greater_than_equal'],
      [[source, { starting_token: '3' }], ['body', 'starting_token'], 'value_error'],
      [[source, { dataset_version_index: '2' }], ['body', 'dataset_version_index'], 'value_error'],
      [[source, { dataset_version_index: '0' }], ['body', 'dataset_version_index'], 'value_error'],
      [[source, { dataset_version_index: '-1' }], ['body', 'dataset_version_index'], 'value_error'],
      [[source, { score_type: 'list' }], ['body', 'score_type'], 'enum'],
      [
        [source, { scoreable_node_types: '["llm","x"]' }],
        ['body', 'scoreable_node_types', '1'],
        'enum',
      ],
      [
        [source, { required_scorers: '["bleu","nobody"]' }],
        ['body', 'required_scorers', '1'],
        'value_error',
      ],
    ];
    for (const [asked, loc, type] of wrong) expectInvalid(await validate(...asked), loc, type);
    const parts = [{ name: 'dataset_id', content: dataset }];
    const missing = await app.client.send('POST', `${path}/dataset`, formRequest(parts));
    expectInvalid(missing, ['body', 'file'], 'missing');
    const asFile = await app.client.send(
      'POST',
      `${path}/dataset`,
      formRequest([...partsOf(source), { name: 'dataset_id', content: dataset, fileName: 'x' }]),
    );
    expectInvalid(asFile, ['body', 'dataset_id'], 'value_error');
    const large = await validate('#'.repeat(262_145));
    expectRefused(large, 413, 'payload_too_large');
    expectRefused(await validate(source, { dataset_id: randomUUID() }), 404, 'not_found');
  });

  it('belongs to the first project where the caller is an editor, else to theirs', async () => {
    const elsewhere = await datasetIn(null);
    const source = 'def scorer_fn(**k) -> int:\n    return 1';
    const own = await validate(source, { dataset_id: elsewhere });
    const again = await validate(source, { dataset_id: elsewhere });
    expect(own.body.project_id).to.not.equal(project);
    expect(again.body.project_id).to.equal(own.body.project_id);
    const made = await app.client.call<{ name: string }>(
      'GET',
      `/v2/projects/${own.body.project_id}`,
    );
    expect(made.body.name).to.match(/^Scorer validations of /);
    await app.client.call('PUT', `/v2/datasets/${elsewhere}/projects/${project}`);
    const linked = await validate(source, { dataset_id: elsewhere });
    expect(linked.body.project_id).to.equal(project);
    await Promise.all([own, again, linked].map(ended));
  });

  it('requires an editor, and shows a task only to viewers of its project', async () => {
    const source = 'def scorer_fn(**k) -> int:\n    return 1';
    const asked = await validate(source);
    const id = asked.body.task_id;
    const viewer = (await keys.make({ project_id: project, project_role: 'viewer' })).as;
    const editor = (await keys.make({ project_id: project, project_role: 'editor' })).as;
    const other = await keys.project(unique('other'));
    const outsider = (await keys.make({ project_id: other, project_role: 'editor' })).as;
    expectRefused(await validate(source, {}, { as: viewer }), 403, 'forbidden');
    expectRefused(await validate(source, {}, { as: outsider }), 404, 'not_found');
    await ended(await validate(source, {}, { as: editor }));
    for (const where of [`${path}/${id}`, `/v2/jobs/${id}`]) {
      expect((await viewer.send('GET', where)).status).to.equal(200);
      expectRefused(await outsider.send('GET', where), 404, 'not_found');
    }
    expectRefused(await poll(randomUUID()), 404, 'not_found');
    await ended(asked);
  });

  it('validates one sample per node type without a project, for its sender only', async () => {
    const send = (source: string, more: Record<string, string> = {}, as: Client = app.client) =>
      as.send<Asked>('POST', path, formRequest(partsOf(source, more)));
    const source =
      'def scorer_fn(*, step_object, node_type, **k) -> str:\n' +
      '    return f"{node_type} {step_object.input} {step_object.output}"';
    const plain = await ended(await send(source, { scoreable_node_types: '["llm","tool"]' }));
    expect(plain).to.deep.include({ metrics_experiment_id: null, project_id: null });
    expect(plain.result?.result['test_scores']).to.deep.equal([
      { node_type: 'llm', score: 'llm test input test output' },
      { node_type: 'tool', score: 'tool test input test output' },
    ]);
    const given = await ended(await send(source, { test_input: 'a', test_output: 'b' }));
    expect(given.result?.result['test_scores']).to.deep.equal([
      { node_type: 'llm', score: 'llm a b' },
    ]);
    const wrong = await ended(await send('def scorer_fn(**k) -> int:\n    return None'));
    expect(wrong.result?.result['error_message']).to.match(/^TypeError: /);
    const bound = (await keys.make({ project_id: project, project_role: 'editor' })).as;
    expectRefused(await send(source, {}, bound), 403, 'forbidden');
    expectRefused(await poll(plain.id, bound), 404, 'not_found');
  });

  it('answers 429 when the queue of a project is full', async () => {
    const home = await keys.project(unique('queue'));
    const rows = await datasetIn(home);
    const slow = `def scorer_fn(**k) -> int:\n    ${waits(100)}\n    return 1`;
    const asked = await Promise.all(
      Array.from({ length: 22 }, () => validate(slow, { dataset_id: rows, limit: '1' })),
    );
    const statuses = asked.map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 409].includes(status))).to.deep.equal([]);
    let refused: Reply<Asked> | null = null;
    for (let more = 0; more < 40 && refused === null; more += 1) {
      const one = await validate(slow, { dataset_id: rows, limit: '1' });
      if (one.status !== 200) refused = one;
    }
    if (refused === null) throw new Error('nobody was refused');
    expectRefused(refused, 429, 'too_many_requests');
    expect(Number(refused.headers['retry-after'])).to.be.greaterThan(0);
    await app.client.call('DELETE', `/v2/projects/${home}`);
  });
});
