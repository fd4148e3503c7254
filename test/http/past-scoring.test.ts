import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { ratedProject, type RatedProject } from '../support/rated-project.js';
import { pollUntil } from '../support/poll-until.js';
import { waits } from '../support/sandboxes.js';
import { registeredScorer } from '../support/scorer-validations.js';

type Job = Readonly<Record<string, unknown>> & {
  readonly failures: readonly Readonly<Record<string, unknown>>[];
};
type Row = { readonly id: string; readonly metrics: Readonly<Record<string, unknown>> };

const picky = `
def scorer_fn(*, node_output, **kwargs) -> int:
    if node_output == "x":
        raise ValueError("it is x: " + node_output)
    return len(node_output)
`;

describe('past scoring over HTTP', function () {
  let app: App;
  let project: RatedProject;
  let scorer = '';
  let name = '';
  before(async () => {
    app = await sharedApp('strict');
    project = await ratedProject(app.client);
    name = `past ${randomUUID()}`;
    scorer = (await registeredScorer(app, { name }, picky.replace('"x":', '"never":'))).id;
  });
  after(async () => {
    await app.untilCaughtUp();
    await expectReplayEqual(app);
  });

  const path = (run = project.run, id = scorer): string =>
    project.at(`/runs/${run}/scorers/${id}/score`);
  const ask = (body: object, at = path()) =>
    app.client.send<{ job_id: string; scorer_version: number }>('POST', at, { body });
  const job = async (at = path()): Promise<Job> => (await app.client.call<Job>('GET', at)).body;
  const over = async (at = path()): Promise<Job> => {
    await pollUntil('the end of the job', 60_000, async () =>
      ['completed', 'failed', 'cancelled'].includes(String((await job(at))['status'])),
    );
    return job(at);
  };
  const log = async (outputs: readonly string[]): Promise<readonly string[]> => {
    const traces = outputs.map((output) => ({
      id: randomUUID(),
      name: `t${output}`,
      input: 'q',
      output,
      spans: [{ type: 'tool', input: 'x', output: 'tool' }],
    }));
    const body = { log_stream_id: project.run, traces };
    await app.client.call('POST', project.at('/traces'), { body });
    return traces.map(({ id }) => id);
  };
  const metric = async (id: string): Promise<unknown> =>
    (await app.client.call<Row>('GET', project.at(`/traces/${id}`))).body.metrics[name];

  it('scores the recorded traces that match the filters, and reports progress', async () => {
    const ids = await log(['a', 'bb', 'ccc']);
    expect((await app.client.send('GET', path())).status).to.equal(404);
    const filters = [{ type: 'text', name: 'name', operator: 'ne', value: 'tbb' }];
    const first = await ask({ filters, scoreable_node_types: ['trace'] });
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    const done = await over();
    expect(done).to.deep.include({
      id: first.body.job_id,
      job_name: 'score_records',
      run_id: project.run,
      status: 'completed',
      progress_percent: 100,
      steps_completed: 2,
      steps_total: 2,
      scorer_id: scorer,
      scorer_version: 1,
      scored: 2,
      skipped: 0,
      failed: 0,
      failures: [],
      error_message: null,
      cancelled_at: null,
    });
    expect(done['request_data']).to.deep.equal({
      filters,
      scoreable_node_types: ['trace'],
      scorer: name,
      version: 1,
    });
    expect(await Promise.all(ids.map(metric))).to.deep.equal([1, undefined, 3]);
    const second = await ask({ scoreable_node_types: ['trace'] });
    expect(second.body.job_id).not.to.equal(first.body.job_id);
    expect(await over()).to.deep.include({ scored: 1, skipped: 2, failed: 0, steps_total: 3 });
    expect(await metric(ids[1] ?? '')).to.equal(2);
    const jobs = await app.client.call<Job[]>('GET', project.at(`/runs/${project.run}/jobs`));
    const { id } = await job();
    expect(jobs.body.find((one) => one['id'] === id)).to.deep.include({ status: 'completed' });
  });

  it('reports what failed, in which line, with the error on the record', async () => {
    const failing = await registeredScorer(app, { name: `fails ${randomUUID()}` }, picky);
    const [bad = ''] = await log(['x', 'dd']);
    const at = path(project.run, failing.id);
    await ask({ scoreable_node_types: ['trace'] }, at);
    const done = await over(at);
    expect(done).to.include({ status: 'completed', failed: 1 });
    expect(done['error_message']).to.match(/^1 of \d+ records failed$/);
    const [failure] = done.failures;
    expect(failure).to.include({
      error_code: 1_001,
      type: 'ValueError',
      line: 4,
      count: 1,
      trace_id: bad,
      record_id: bad,
    });
    expect(failure?.['message']).to.match(/^ValueError: it is x: x\n/);
    const only = [{ type: 'id', name: 'id', operator: 'eq', value: bad }];
    const again = await registeredScorer(app, { name: `fails ${randomUUID()}` }, picky);
    const there = path(project.run, again.id);
    await ask({ filters: only, scoreable_node_types: ['trace'] }, there);
    expect(await over(there)).to.include({ status: 'failed', failed: 1, scored: 0 });
    await app.client.call('POST', project.at('/traces/delete'), { body: { filters: only } });
    expect((await job(at)).failures[0]).to.include({ message: null, count: 1 });
  });

  it('is refused for what cannot be scored, and cancelled once', async () => {
    const unknown = randomUUID();
    for (const [status, at, body] of [
      [404, path(unknown), {}],
      [404, path(project.run, unknown), {}],
      [422, path(), { filters: [{ type: 'text', name: 'nosuch', operator: 'eq', value: 'x' }] }],
      [422, path(), { scoreable_node_types: ['nothing'] }],
    ] as const) {
      expect((await ask(body, at)).status).to.equal(status);
    }
    const listed = await app.client.call<{ scorers: { id: string; scorer_type: string }[] }>(
      'POST',
      '/v2/scorers/list',
      { body: {} },
    );
    const preset = listed.body.scorers.find((one) => one.scorer_type === 'preset');
    expect((await ask({}, path(project.run, preset?.id))).status).to.equal(422);
    const bare = await app.client.call<{ id: string }>('POST', '/v2/scorers', {
      body: { name: `bare ${randomUUID()}`, scorer_type: 'code' },
    });
    expect((await ask({}, path(project.run, bare.body.id))).status).to.equal(409);
    expect((await app.client.send('DELETE', path(project.run, unknown))).status).to.equal(404);
    const slow = `def scorer_fn(**k) -> int:\n    ${waits(500)}\n    return 1`;
    const lasting = await registeredScorer(app, { name: `slow ${randomUUID()}` }, slow);
    const at = path(project.run, lasting.id);
    const asked = await ask({ scoreable_node_types: ['trace'] }, at);
    expect((await ask({ scoreable_node_types: ['trace'] }, at)).body).to.deep.equal(asked.body);
    expect((await ask({ scoreable_node_types: ['tool'] }, at)).status).to.equal(409);
    const gone = await app.client.send('DELETE', at);
    const twice = await app.client.send('DELETE', at);
    expect([gone.status, twice.status, twice.position]).to.deep.equal([200, 200, gone.position]);
    const left = await over(at);
    expect(left).to.include({ status: 'cancelled', completed_at: null });
    expect(left['cancelled_at']).to.be.a('string');
  });
});
