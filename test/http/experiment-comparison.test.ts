import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentComparison } from '../../contract/experiment-comparison.js';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';

type Body = { readonly [member: string]: unknown };
type Sent = { readonly trace_ids: readonly string[] };

describe('comparison of experiments over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  beforeEach(async () => {
    project = await keys.project(`comparison ${randomUUID()}`);
  });
  after(() => keys.close());

  const path = (rest = '', of = project) => `/v2/projects/${of}/experiments${rest}`;
  const make = async (name: string, of = project): Promise<string> =>
    (await app.client.call<{ id: string }>('POST', path('', of), { body: { name } })).body.id;
  const log = async (run: string, traces: readonly object[]) => {
    const body = { experiment_id: run, traces, include_trace_ids: true };
    const place = `/v2/projects/${project}/traces`;
    return (await app.client.call<Sent>('POST', place, { body })).body.trace_ids;
  };
  const compare = (experiment_ids: readonly string[], more: Body = {}, client?: Client) =>
    (client ?? app.client).send<ExperimentComparison>('POST', path('/compare'), {
      body: { experiment_ids, ...more },
    });
  const compared = async (experiment_ids: readonly string[], more: Body = {}) => {
    const { status, body } = await compare(experiment_ids, more);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const at = (second: number) => `2026-03-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
  const trace = (dataset_input: string, output: string, metrics: object, more: object = {}) => ({
    input: dataset_input,
    dataset_input,
    output,
    metrics,
    ...more,
  });

  it('shows rows side by side, averages repeats and counts missing and failed ones', async () => {
    const [one, other] = [await make('one'), await make('other')];
    await log(one, [
      trace('b', 'one b', { reward: 0.5 }, { created_at: at(2), status_code: 500 }),
      trace('a', 'one a', { reward: 0 }, { created_at: at(1), dataset_output: 'right' }),
      { input: 'no row', metrics: { reward: 9 } },
    ]);
    const ids = await log(other, [
      trace('a', 'first', { reward: 0.5 }, { created_at: at(3), status_code: 500 }),
      trace('a', 'second', { reward: 1 }, { created_at: at(4) }),
      trace('c', 'other c', {}, { created_at: at(0) }),
    ]);
    const { experiments, rows, metrics, ...rest } = await compared([one, other], {
      metrics: ['reward'],
    });
    expect(experiments).to.deep.equal([
      { experiment_id: one, name: 'one', dataset: null, ...counts(3, 1, 2, 1, 1) },
      { experiment_id: other, name: 'other', dataset: null, ...counts(3, 0, 2, 1, 0) },
    ]);
    expect(rest).to.deep.include({ total_rows: 3, rows_in_all: 1, paginated: false, limit: 20 });
    expect(rows.map(({ dataset_input }) => dataset_input)).to.deep.equal(['a', 'b', 'c']);
    const [first] = rows;
    expect(first).to.deep.include({ row_id: null, dataset_output: 'right' });
    expect(first?.experiments[1]).to.deep.equal({
      experiment_id: other,
      trace_id: ids[1],
      num_traces: 2,
      output: 'second',
      metrics: { reward: { value: 0.75, difference: 0.75 } },
    });
    expect(rows[1]?.experiments[1]).to.deep.equal({
      experiment_id: other,
      trace_id: null,
      num_traces: 0,
      output: null,
      metrics: {},
    });
    expect(metrics[0]?.experiments.map(({ mean, num_rows }) => [num_rows, mean])).to.deep.equal([
      [2, 0.25],
      [1, 0.75],
    ]);
  });

  it('matches rows of different versions by the id that their traces name', async () => {
    const [one, other] = [await make('v1'), await make('v2')];
    const user_metadata = { dataset_row_id: 'd4b2c3e5-6f70-4182-93a4-b5c6d7e8f906' };
    await log(one, [trace('To Oslo?', 'yes', { ok: true }, { user_metadata })]);
    await log(other, [trace('To Oslo, please?', 'no', { ok: false }, { user_metadata })]);
    const { rows, metrics } = await compared([one, other], { metrics: ['ok'] });
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({ row_id: user_metadata.dataset_row_id });
    expect(metrics[0]).to.deep.include({ metric: 'ok', type: 'boolean', direction: 'higher' });
    expect(metrics[0]?.experiments[1]?.against_baseline).to.deep.equal({
      num_rows: 1,
      mean_difference: -1,
      confidence_interval: null,
      wins: 0,
      losses: 1,
      ties: 0,
    });
  });

  it('shows regressions first, chosen by one metric, on pages without intervals', async () => {
    const [one, other] = [await make('base'), await make('new')];
    const scores = [5, 1, 3, 0, 4, 2].map((score, row) => [`q${row}`, score] as const);
    await log(
      one,
      scores.map(([row], place) =>
        trace(row, 'x', { score: 3, cost: place }, { created_at: at(place + 1) }),
      ),
    );
    await log(other, [
      ...scores.map(([row, score]) => trace(row, 'y', { score, verdict: 'good' })),
      trace('only here', 'y', { score: 9 }),
    ]);
    const inputs = (body: ExperimentComparison) =>
      body.rows.map(({ dataset_input }) => dataset_input);
    const show = async (rows: Body, more: Body = {}) =>
      compared([one, other], { rows: { metric: 'score', ...rows }, ...more });
    expect(inputs(await show({}))).to.deep.equal(['q3', 'q1', 'q5', 'q2', 'q4', 'q0', 'only here']);
    const losses = await show({ show: 'losses' }, { metrics: ['cost'], limit: 2 });
    expect(losses).to.include({ total_rows: 7, shown_rows: 3, paginated: true });
    expect(losses.metrics.map(({ metric }) => metric)).to.deep.equal(['cost', 'score']);
    expect(inputs(losses)).to.deep.equal(['q3', 'q1']);
    const interval = ({ metrics }: ExperimentComparison) =>
      metrics.map(({ experiments }) => experiments[1]?.against_baseline?.confidence_interval);
    expect(interval(losses)[1]).to.not.equal(null);
    const next = { metrics: ['score'], limit: 2, starting_token: 2, intervals: false };
    const second = await show({ show: 'losses' }, next);
    expect(inputs(second)).to.deep.equal(['q5']);
    expect(interval(second)).to.deep.equal([null]);
    const { wins, losses: lost, ties } = second.metrics[0]?.experiments[1]?.against_baseline ?? {};
    expect([wins, lost, ties]).to.deep.equal([2, 3, 1]);
    expect(inputs(await show({ show: 'wins' }))).to.deep.equal(['q0', 'q4']);
    expect(inputs(await show({ show: 'ties' }))).to.deep.equal(['q2']);
    expect(inputs(await show({ show: 'missing' }))).to.deep.equal(['only here']);
    const byTime = await show({ show: 'losses', order: 'created_at', metric: 'metrics/score' });
    expect(inputs(byTime)).to.deep.equal(['q1', 'q3', 'q5']);
    const never = await compare([one, other], { rows: { metric: 'never', show: 'losses' } });
    expect(never.body).to.include({ shown_rows: 0, total_rows: 7 });
    expect(never.headers['x-unknown-columns']).to.equal('metrics/never');
    const text = await compare([one, other], { rows: { metric: 'verdict' } });
    expectInvalid(text, ['body', 'rows', 'metric'], 'value_error');
  });

  it('names the metrics that it leaves out because there are more than 20', async () => {
    const runs = [await make('one'), await make('other')];
    const names = Array.from({ length: 22 }, (_, at) => `m${String(at).padStart(2, '0')}`);
    const metrics = Object.fromEntries(names.map((name) => [name, 1]));
    for (const run of runs) await log(run, [trace('a', 'out', metrics)]);
    const reply = await compare(runs);
    const measured = reply.body.metrics.map(({ metric }) => metric);
    const left = (reply.body as unknown as { left_out_metrics: string[] }).left_out_metrics;
    expect(measured).to.have.length(20);
    expect([...measured, ...left]).to.include.members(names);
    expect(reply.headers['x-left-out-metrics']).to.equal(left.join(', '));
    expect(await compared(runs, { metrics: names.slice(0, 2) })).to.not.have.property(
      'left_out_metrics',
    );
  });

  it('says how far apart they are, with the same interval for the same seed', async () => {
    const [one, other] = [await make('one'), await make('other')];
    const inputs = Array.from({ length: 40 }, (_, row) => row);
    const logAll = (run: string, of: (row: number) => object) =>
      log(
        run,
        inputs.map((row) => trace(`question ${row}`, 'x', of(row))),
      );
    await logAll(one, (row) => ({ score: row % 4, cost: 1, verdict: 'good' }));
    await logAll(other, (row) => ({ score: (row % 4) + (row % 5) - 1, cost: 2 + (row % 2) }));
    const asked = { metrics: ['score', 'metrics/cost'], limit: 1 };
    const there = await compared([one, other], asked);
    const [score, cost] = there.metrics.map(({ experiments }) => experiments[1]?.against_baseline);
    expect(score).to.deep.include({
      num_rows: 40,
      mean_difference: 1,
      wins: 24,
      losses: 8,
      ties: 8,
    });
    expect(cost).to.deep.include({ wins: 0, losses: 40, ties: 0, mean_difference: 1.5 });
    const interval = score?.confidence_interval;
    expect(interval?.resamples).to.equal(10_000);
    expect(interval?.lower).to.be.within(0.4, 0.7);
    expect(interval?.upper).to.be.within(1.3, 1.6);
    expect(await compared([one, other], asked)).to.deep.equal(there);
    const reseeded = await compared([one, other], { ...asked, seed: 2 });
    expect(reseeded.metrics).not.to.deep.equal(there.metrics);
    const back = (await compared([other, one], asked)).metrics[0]?.experiments[1];
    expect(back?.against_baseline).to.deep.include({
      mean_difference: -1,
      wins: 8,
      losses: 24,
      confidence_interval: {
        lower: -(interval?.upper ?? 0),
        upper: -(interval?.lower ?? 0),
        resamples: 10_000,
      },
    });
    const all = await compared([one, other]);
    expect(all.metrics.map(({ metric }) => metric)).to.include.members(['cost', 'score']);
    expect(all.metrics.map(({ metric }) => metric)).not.to.include('verdict');
  });

  it('counts wins by the ranking criteria', async () => {
    const [one, other] = [await make('one'), await make('other')];
    await log(one, [trace('a', 'x', { steps: 3 })]);
    await log(other, [trace('a', 'x', { steps: 2 })]);
    const wins = async () => {
      const { metrics } = await compared([one, other], { metrics: ['steps'] });
      const against = metrics[0]?.experiments[1]?.against_baseline;
      return [metrics[0]?.direction, against?.wins, against?.losses];
    };
    expect(await wins()).to.deep.equal(['higher', 0, 1]);
    const criteria = [{ metric: 'steps', weight: 1, direction: 'lower' }];
    await app.client.call('PUT', path('/ranking_criteria'), { body: { criteria } });
    expect(await wins()).to.deep.equal(['lower', 1, 0]);
  });

  it('pages through the rows, each once', async () => {
    const runs = [await make('one'), await make('other'), await make('third')];
    for (const run of runs) {
      await log(
        run,
        Array.from({ length: 7 }, (_, row) => trace(`q${row}`, 'x', {}, { created_at: at(row) })),
      );
    }
    const seen: (string | null)[] = [];
    for (let token: number | null = 0; token !== null;) {
      const page: ExperimentComparison = await compared(runs, { starting_token: token, limit: 3 });
      expect(page.total_rows).to.equal(7);
      seen.push(...page.rows.map(({ dataset_input }) => dataset_input));
      token = page.next_starting_token;
    }
    expect(seen).to.deep.equal(['q0', 'q1', 'q2', 'q3', 'q4', 'q5', 'q6']);
  });

  it('cuts long texts, and a page before it is large', async () => {
    const runs = [await make('one'), await make('other')];
    const parts = Array.from({ length: 900 }, () => ({ type: 'text', text: 'y'.repeat(1_000) }));
    for (const run of runs) {
      const long = { output: parts, dataset_output: 'z'.repeat(5_000) };
      for (const from of [0, 3]) {
        await log(
          run,
          [0, 1, 2].map((row) => trace(`q${from + row}`, '', {}, long)),
        );
      }
    }
    const page = await compared(runs);
    expect(page.rows.length).to.be.within(1, 5);
    expect(page.next_starting_token).to.equal(page.rows.length);
    expect(page.rows[0]?.dataset_output).to.equal('z'.repeat(1_000));
  }).timeout(30_000);

  it('refuses what cannot be compared', async () => {
    const [one, other] = [await make('one'), await make('other')];
    await log(one, [trace('a', 'x', { verdict: 'good' })]);
    const elsewhere = await make('elsewhere', await keys.project(`other ${randomUUID()}`));
    for (const gone of [elsewhere, randomUUID()]) {
      expectRefused(await compare([one, gone]), 404, 'not_found');
    }
    expectInvalid(await compare([one, one]), ['body', 'experiment_ids', '1'], 'value_error');
    expectInvalid(await compare([one]), ['body', 'experiment_ids'], 'too_short');
    const text = await compare([one, other], { metrics: ['verdict'] });
    expectInvalid(text, ['body', 'metrics', '0'], 'value_error');
    const unknown = await compare([one, other], { metrics: ['nobody'] });
    expect(unknown.headers['x-unknown-columns']).to.equal('metrics/nobody');
    expect(unknown.body.metrics).to.deep.equal([]);
  });

  it('is allowed to readers of the experiments', async () => {
    const runs = [await make('one'), await make('other')];
    const { as: viewer } = await keys.make({ project_id: project, project_role: 'viewer' });
    expect((await compare(runs, {}, viewer)).status).to.equal(200);
    const apart = await keys.project(`apart ${randomUUID()}`);
    const { as: stranger } = await keys.make({ project_id: apart, project_role: 'owner' });
    expect((await compare(runs, {}, stranger)).status).to.equal(404);
  });
});

const counts = (
  num_traces: number,
  without: number,
  num_rows: number,
  missing_rows: number,
  failed_rows: number,
) => ({
  num_traces,
  traces_without_row: without,
  num_rows,
  missing_rows,
  failed_rows,
});
