import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import type { ExperimentRecord } from '../contract/experiment-record.js';
import { sharedApp, type App } from './support/app.js';
import { referenceRanking, type Candidate } from './support/reference-ranking.js';
import { describeRealRuns, flat, mean, realRuns, type RealRun } from './support/real-runs.js';
import { pollUntil } from './support/poll-until.js';

type Page = { readonly experiments: readonly ExperimentRecord[] };

const tracesPerRequest = 20;
const trials = [0, 1, 2, 3];

describeRealRuns('200 real runs as four experiments, one for each trial', function () {
  let app: App;
  let root = '';
  let written = '';
  let byTrial: readonly (readonly RealRun[])[] = [];
  let ids: readonly string[] = [];

  before(async () => {
    const runs = realRuns();
    byTrial = trials.map((trial) => runs.filter(({ tags }) => tags.includes(`trial-${trial}`)));
    app = await sharedApp();
    const project = await app.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: `trials ${randomUUID()}` },
    });
    root = `/v2/projects/${project.body.id}`;
    await app.client.call('PUT', `${root}/experiments/ranking_criteria`, {
      body: { criteria: [{ metric: 'reward', weight: 1, direction: 'higher' }] },
    });
    const made: string[] = [];
    for (const [trial, traces] of byTrial.entries()) {
      const { body } = await app.client.call<ExperimentRecord>('POST', `${root}/experiments`, {
        body: { name: `trial ${trial}`, experiment_group_name: 'gpt-4o' },
      });
      made.push(body.id);
      for (let from = 0; from < traces.length; from += tracesPerRequest) {
        const some = traces.slice(from, from + tracesPerRequest);
        const { position } = await app.client.call('POST', `${root}/traces`, {
          body: { experiment_id: body.id, traces: some },
        });
        written = position ?? '';
      }
    }
    ids = made;
  });

  const search = async (): Promise<readonly ExperimentRecord[]> => {
    const body = { sort: { name: 'name' }, include_counts: true };
    const headers = { 'X-Min-Position': written };
    const ask = () =>
      app.client.send<Page>('POST', `${root}/experiments/search`, { body, headers });
    let reply = await ask();
    await pollUntil('an answer', 20_000, async () => {
      if (reply.status === 503) reply = await ask();
      return reply.status !== 503;
    });
    return reply.body.experiments;
  };

  it('have the published averages, counts and shares', async () => {
    const experiments = await search();
    expect(experiments.map(({ id }) => id)).to.deep.equal(ids);
    for (const [trial, published] of [0.42, 0.44, 0.4, 0.42].entries()) {
      const traces = byTrial[trial] ?? [];
      const one = experiments[trial] as ExperimentRecord;
      const flatNumbers: Readonly<Record<string, unknown>> = one.aggregate_metrics;
      expect(flatNumbers['average_reward']).to.be.closeTo(published, 1e-12);
      expect(flatNumbers['average_reward']).to.be.closeTo(
        mean(traces.map(({ metrics }) => metrics.reward)),
        1e-12,
      );
      expect(flatNumbers['percentage_true_solved']).to.be.closeTo(
        mean(traces.map(({ metrics }) => Number(metrics.solved))),
        1e-12,
      );
      expect(flatNumbers['total_responses']).to.equal(traces.length);
      expect(one.num_traces).to.equal(traces.length);
      expect(one.num_spans).to.equal(traces.flatMap(({ spans }) => flat(spans)).length);
      expect(one.status).to.deep.equal({ log_generation: { progress_percent: 100 } });
    }
  });

  it('rank 2, 1, 4, 2, as a naive recomputation has it', async () => {
    const experiments = await search();
    expect(experiments.map(({ rank }) => rank)).to.deep.equal([2, 1, 4, 2]);
    const candidates = ids.map((id, trial): Candidate => {
      const reward = (byTrial[trial] ?? []).map(({ metrics }) => metrics.reward);
      return { id, scope: 'gpt-4o', values: { reward } };
    });
    const naive = referenceRanking(candidates, [
      { metric: 'reward', weight: 1, direction: 'higher' },
    ]);
    for (const { id, rank, ranking_score, winner } of experiments) {
      const own = naive.get(id);
      expect({ rank, winner }).to.deep.equal({ rank: own?.rank, winner: own?.winner });
      expect(ranking_score).to.be.closeTo(own?.ranking_score ?? Number.NaN, 1e-12);
    }
    expect(experiments.map(({ winner }) => winner)).to.deep.equal([false, true, false, false]);
  });
});
