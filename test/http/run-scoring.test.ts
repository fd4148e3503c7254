import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { keyRing, type KeyRing } from '../support/key-ring.js';
import { describeRealRuns, flat, mean, realRuns } from '../support/real-runs.js';
import { pollUntil } from '../support/poll-until.js';
import { registeredScorer } from '../support/scorer-validations.js';

type Row = { readonly id: string; readonly metrics: Readonly<Record<string, unknown>> };
type Searched = {
  readonly aggregate_metrics: Readonly<Record<string, unknown>>;
  readonly ems_captured_error: boolean;
  readonly standard_errors: Readonly<Record<string, { readonly error_type: string }>>;
};
const unique = (name: string): string => `${name} ${randomUUID()}`;
const failed = `
def scorer_fn(*, node_output, **kwargs) -> bool:
    return node_output.startswith("Error")
`;
const span = (id: string, output: string, type = 'tool') => ({
  type,
  id,
  name: 'a tool',
  input: 'in',
  output,
});

describe('scorers of a run', function () {
  let app: App;
  let keys: KeyRing;
  before(async () => {
    app = await sharedApp('strict');
    keys = keyRing(app);
  });
  after(async () => {
    keys.close();
    await app.untilCaughtUp();
    await expectReplayEqual(app);
  });

  const scored = async (
    source: string,
    nodeTypes: readonly string[],
    details: object = {},
  ): Promise<Readonly<Record<'id' | 'name' | 'root' | 'run', string>>> => {
    const name = unique('scorer');
    const scorer = await registeredScorer(app, { name, label: 'A label', ...details }, source);
    const root = `/v2/projects/${await keys.project(unique('scored'))}`;
    const stream = await app.client.call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'run' },
    });
    const one = { id: scorer.id, scorer_type: 'code', scoreable_node_types: nodeTypes };
    const path = `${root}/runs/${stream.body.id}/scorer-settings`;
    await app.client.call('POST', path, { body: { scorers: [one] } });
    return { name, root, run: stream.body.id, id: scorer.id };
  };
  const log = (root: string, run: string, trace: object, more: object = {}) =>
    app.client.call('POST', `${root}/traces`, {
      body: { log_stream_id: run, traces: [trace], ...more },
    });
  const metricsOf = async (root: string, kind: string, id: string) =>
    (await app.client.call<Row>('GET', `${root}/${kind}/${id}`)).body.metrics ?? {};
  const becomes = (what: string, question: () => Promise<unknown>, wanted: unknown) =>
    pollUntil(what, 45_000, async () => (await question()) === wanted);

  it('score records of their kinds when a trace is complete, and when they change', async () => {
    const { name, root, run } = await scored(failed, ['tool']);
    const [trace, tool, other] = [randomUUID(), randomUUID(), randomUUID()];
    const spans = [span(tool, 'Error: no seat'), span(other, 'Error', 'workflow')];
    await log(root, run, { id: trace, input: 'q', output: 'Error', spans }, { is_complete: false });
    const late = randomUUID();
    await app.client.call('POST', `${root}/spans`, {
      body: { trace_id: trace, parent_id: trace, spans: [span(late, 'fine')] },
    });
    expect(await metricsOf(root, 'spans', tool)).not.to.have.property(name);
    await app.client.call('PATCH', `${root}/traces/${trace}`, { body: { is_complete: true } });
    await becomes('a score', async () => (await metricsOf(root, 'spans', tool))[name], true);
    expect((await metricsOf(root, 'spans', late))[name]).to.equal(false);
    expect(await metricsOf(root, 'spans', other)).not.to.have.property(name);
    expect(await metricsOf(root, 'traces', trace)).not.to.have.property(name);
    await app.client.call('PATCH', `${root}/spans/${tool}`, { body: { output: 'all well' } });
    await becomes('a new score', async () => (await metricsOf(root, 'spans', tool))[name], false);
  });

  it('score the trace for the kinds trace and chain, and show their column', async () => {
    const source = 'def scorer_fn(*, step_object, **k) -> int:\n    return len(step_object.output)';
    const { name, root, run } = await scored(source, ['chain']);
    const trace = randomUUID();
    await log(root, run, { id: trace, input: 'q', output: '12345' });
    await becomes('a score', async () => (await metricsOf(root, 'traces', trace))[name], 5);
    type Columns = { readonly columns: readonly Record<string, unknown>[] };
    const { body } = await app.client.call<Columns>('POST', `${root}/traces/available_columns`, {
      body: { log_stream_id: run },
    });
    expect(body.columns.find(({ id }) => id === `metrics/${name}`)).to.deep.include({
      label: 'A label',
      group_label: 'Custom Metrics',
      data_type: 'integer',
      roll_up_method: 'average',
    });
  });

  it('see what their required scorers made of the same record, and appear as a job', async () => {
    const first = unique('first');
    const { name, root, run, id } = await scored(
      `def scorer_fn(*, required_scores, **k) -> int:\n` +
        `    return required_scores.get("${first}", 0) + 1`,
      ['trace'],
      { required_scorers: ['bleu'] },
    );
    const jobs = `${root}/runs/${run}/jobs`;
    expect((await app.client.call('GET', jobs)).body).to.deep.equal([]);
    const other = await registeredScorer(
      app,
      { name: first },
      'def scorer_fn(**k) -> int:\n    return 41',
    );
    await app.client.call('PATCH', `/v2/scorers/${id}`, { body: { required_scorers: [first] } });
    const scorers = [id, other.id].map((one) => ({
      id: one,
      scorer_type: 'code',
      scoreable_node_types: ['trace'],
    }));
    await app.client.call('PATCH', `${root}/runs/${run}/scorer-settings`, { body: { scorers } });
    const trace = randomUUID();
    await log(root, run, { id: trace, input: 'q', output: 'a' });
    await becomes('a score', async () => (await metricsOf(root, 'traces', trace))[name], 42);
    type Job = Readonly<Record<string, unknown>>;
    const job = async () => (await app.client.call<Job>('GET', `/v2/jobs/${run}`)).body;
    await becomes('the end of the job', async () => (await job())['status'], 'completed');
    expect(await job()).to.deep.include({
      job_name: 'log_stream_scorer',
      run_id: run,
      progress_percent: 100,
      steps_completed: 2,
      steps_total: 2,
      retries: 0,
      request_data: { scorers: [first, name].sort() },
      error_message: null,
    });
    expect((await app.client.call('GET', jobs)).body).to.deep.equal([await job()]);
  });

  it('roll up to traces and sessions as the scorer says', async () => {
    const source = 'def scorer_fn(**k) -> int:\n    return 7';
    const { name, root, run } = await scored(source, ['tool'], { roll_up_method: 'sum' });
    const trace = randomUUID();
    const spans = [span(randomUUID(), 'a'), span(randomUUID(), 'b')];
    await log(root, run, { id: trace, input: 'q', output: 'a', spans });
    type Shown = { readonly metric_info: Readonly<Record<string, unknown>> };
    const shown = async (kind: string, id: string) =>
      (await app.client.call<Shown>('GET', `${root}/${kind}/${id}`)).body.metric_info[name];
    const wanted = JSON.stringify({
      status_type: 'roll_up',
      value: 14,
      roll_up_metrics: { sum: 14 },
    });
    await becomes('a sum', async () => JSON.stringify(await shown('traces', trace)), wanted);
    type Columns = { readonly columns: readonly Record<string, unknown>[] };
    const { body } = await app.client.call<Columns>('POST', `${root}/traces/available_columns`, {
      body: { log_stream_id: run },
    });
    expect(body.columns.find(({ id }) => id === `metrics/${name}`)).to.include({
      roll_up_method: 'sum',
    });
    const search = await app.client.call<Searched>('POST', `${root}/metrics/custom_search`, {
      body: {
        start_time: '2020-01-01T00:00:00Z',
        end_time: '2099-01-01T00:00:00Z',
        metric_details: [{ id: 'a', metric_name: name, aggregation: 'Max' }],
      },
    });
    expect(search.body.aggregate_metrics['a']).to.equal(14);
  });

  it('leave an evaluation error where they fail, until they no longer do', async () => {
    const source =
      'def scorer_fn(*, node_output, **k) -> float:\n    return 1 / len(node_output.strip("x"))';
    const { name, root, run } = await scored(source, ['trace']);
    const trace = randomUUID();
    await log(root, run, {
      id: trace,
      input: 'q',
      output: 'x',
      created_at: '2024-05-20T09:00:00Z',
    });
    const search = async () =>
      (
        await app.client.call<Searched>('POST', `${root}/metrics/custom_search`, {
          body: {
            start_time: '2024-05-20T00:00:00Z',
            end_time: '2024-05-21T00:00:00Z',
            metric_details: [{ id: 'a', metric_name: name, aggregation: 'Count' }],
          },
        })
      ).body;
    await becomes('an error', async () => (await search()).ems_captured_error, true);
    expect((await search()).standard_errors['1001']?.error_type).to.equal('data_validation_error');
    await app.client.call('PATCH', `${root}/traces/${trace}`, { body: { output: 'four' } });
    await becomes('a score', async () => (await metricsOf(root, 'traces', trace))[name], 0.25);
    expect((await search()).ems_captured_error).to.equal(false);
  });
});

describeRealRuns('a scorer of tool spans on 200 real runs', function () {
  this.timeout(180_000);

  it('counts failed calls as a naive count over the file does', async () => {
    const app = await sharedApp('strict');
    const keys = keyRing(app);
    const traces = realRuns();
    const name = unique('failed');
    const scorer = await registeredScorer(app, { name }, failed);
    const root = `/v2/projects/${await keys.project(unique('airline'))}`;
    const stream = await app.client.call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'run' },
    });
    const run = stream.body.id;
    const one = { id: scorer.id, scorer_type: 'code', scoreable_node_types: ['tool'] };
    await app.client.call('POST', `${root}/runs/${run}/scorer-settings`, {
      body: { scorers: [one] },
    });
    for (let from = 0; from < traces.length; from += 20) {
      const body = { log_stream_id: run, traces: traces.slice(from, from + 20) };
      await app.client.call('POST', `${root}/traces`, { body });
    }
    const outputs = traces
      .flatMap(({ spans }) => flat(spans))
      .filter(({ type }) => type === 'tool')
      .map(({ output }) => (typeof output === 'string' ? output : ''));
    const tools = { filter: { type: 'text', name: 'type', operator: 'eq', value: 'tool' } };
    const widgets = ['Count', 'PercentageTrue'].map((aggregation) => ({
      id: aggregation,
      metric_name: name,
      aggregation,
    }));
    const search = async () =>
      (
        await app.client.call<Searched>('POST', `${root}/metrics/custom_search`, {
          body: {
            start_time: '2024-05-20T00:00:00Z',
            end_time: '2024-05-21T00:00:00Z',
            log_stream_id: run,
            filter_tree: tools,
            metric_details: widgets.slice(0, known ? 2 : 1),
          },
        })
      ).body.aggregate_metrics;
    let known = false;
    await pollUntil('every tool span is scored', 150_000, async () => {
      const { Count: count } = await search();
      return count === outputs.length;
    });
    known = true;
    const naive = mean(outputs.map((output) => (output.startsWith('Error') ? 1 : 0)));
    expect(naive).to.be.greaterThan(0);
    expect((await search())['PercentageTrue']).to.be.closeTo(naive, 1e-12);
    keys.close();
  });
});
