import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { seededRandom } from '../../kernel/seeded-random.js';
import type { Criterion, RankingCriteria } from '../../contract/experiment-ranking.js';
import type { ExperimentRecord } from '../../contract/experiment-record.js';
import { sharedApp, type App } from '../support/app.js';
import type { Client } from '../support/client.js';
import { expectInvalid, expectRefused, keyRing, type KeyRing } from '../support/key-ring.js';
import { referenceRanking, type Candidate } from '../support/reference-ranking.js';
import { drawSeed } from '../support/test-environment.js';

type Page = { readonly experiments: readonly ExperimentRecord[] };
type Sent = { readonly trace_ids: readonly string[] };
const collections = [
  'experiment_list',
  'experiment_members',
  'experiment_winners',
  'ranking_criteria',
];

describe('ranking of experiments over HTTP', () => {
  let app: App;
  let keys: KeyRing;
  let project: string;
  before(async () => {
    app = await sharedApp();
    keys = keyRing(app);
  });
  beforeEach(async () => {
    project = await keys.project(`ranking ${randomUUID()}`);
  });
  after(async () => {
    keys.close();
    for (const name of collections) {
      for (const { difference } of await app.projector.verify(name)) {
        expect(difference, name).to.equal(null);
      }
    }
  });

  const root = (rest = '') => `/v2/projects/${project}${rest}`;
  const path = (rest = '') => root(`/experiments${rest}`);
  const make = async (name: string, more: object = {}): Promise<string> =>
    (await app.client.call<ExperimentRecord>('POST', path(), { body: { name, ...more } })).body.id;
  const log = async (run: string, metrics: readonly object[], more: object = {}) => {
    const traces = metrics.map((one) => ({ input: 'in', output: 'out', metrics: one, ...more }));
    const body = { experiment_id: run, traces, include_trace_ids: true };
    return (await app.client.call<Sent>('POST', root('/traces'), { body })).body.trace_ids;
  };
  const get = async (run: string) =>
    (await app.client.call<ExperimentRecord>('GET', path(`/${run}`))).body;
  const setCriteria = (criteria: readonly object[], client: Client = app.client) =>
    client.send<RankingCriteria>('PUT', path('/ranking_criteria'), { body: { criteria } });
  const getCriteria = () => app.client.call<RankingCriteria>('GET', path('/ranking_criteria'));
  const winner = (method: 'POST' | 'DELETE', run: string, client: Client = app.client) =>
    client.send<ExperimentRecord>(method, path(`/${run}/winner`));
  const standings = async (): Promise<ReadonlyMap<string, object>> => {
    const { body } = await app.client.call<Page>('POST', path('/search'), {
      body: { limit: 1000 },
    });
    return new Map(
      body.experiments.map(({ id, ranking_score, rank, winner: won }) => [
        id,
        { ranking_score, rank, winner: won },
      ]),
    );
  };
  const byReward: Criterion = { metric: 'reward', weight: 1, direction: 'higher' };
  const viewer = async () => (await keys.make({ project_id: project, project_role: 'viewer' })).as;

  describe('aggregates', () => {
    it('are those of numbers, truth values and texts over the traces', async () => {
      const run = await make('measured');
      await log(run, [
        { reward: 1, solved: true, verdict: 'good', toxicity: 0.25 },
        { reward: 0, solved: false, verdict: 'good' },
        { reward: 1, solved: true, verdict: 'bad', toxicity: 0.75 },
      ]);
      const { aggregate_metrics: flat, structured_aggregate_metrics: deep } = await get(run);
      expect(flat).to.deep.equal({
        average_toxicity: 0.5,
        sum_toxicity: 1,
        min_toxicity: 0.25,
        max_toxicity: 0.75,
        average_reward: 2 / 3,
        sum_reward: 2,
        min_reward: 0,
        max_reward: 1,
        percentage_true_solved: 2 / 3,
        total_responses: 3,
      });
      const none = {
        ...nothing(['avg', 'sum', 'min', 'max', 'pct', 'p50', 'p90', 'p95', 'p99']),
        value_distribution: null,
      };
      expect(deep).to.deep.equal({
        toxicity: {
          ...none,
          avg: 0.5,
          sum: 1,
          min: 0.25,
          max: 0.75,
          count: 2,
          ...ranks(0.25, 0.75),
        },
        reward: { ...none, avg: 2 / 3, sum: 2, min: 0, max: 1, count: 3, ...ranks(1, 1) },
        solved: { ...none, count: 3, pct: 2 / 3, value_distribution: { true: 2, false: 1 } },
        verdict: { ...none, count: 3, value_distribution: { good: 2, bad: 1 } },
      });
    });

    it('take what spans roll up to, and ratings of every live template', async () => {
      const run = await make('rolled up');
      const [rated = ''] = await log(run, [{}, {}], {
        spans: [
          { type: 'llm', input: 'a', metrics: { num_input_tokens: 3 } },
          { type: 'llm', input: 'b', metrics: { num_input_tokens: 4 } },
        ],
      });
      const template = await app.client.call<{ id: string }>(
        'POST',
        root('/annotation/templates'),
        { body: { name: 'stars', constraints: { annotation_type: 'star' } } },
      );
      const rating = { annotation_type: 'star', value: 4 };
      await app.client.call(
        'PUT',
        root(`/annotation/templates/${template.body.id}/traces/${rated}/rating`),
        {
          body: { rating },
        },
      );
      const shown = await get(run);
      expect(shown.aggregate_metrics).to.include({
        average_num_input_tokens: 7,
        sum_num_input_tokens: 14,
        total_responses: 2,
      });
      const stars = { feedback_type: 'star', average: 4, counts: { '4': 1 }, unrated_count: 1 };
      expect(shown.rating_aggregates).to.deep.equal({ [template.body.id]: { trace: stars } });
      expect(shown.aggregate_feedback).to.deep.equal({ [template.body.id]: { aggregate: stars } });
      expect((await get(await make('empty'))).rating_aggregates).to.deep.equal({});
    });

    it('know how far an experiment is', async () => {
      const run = await make('half way');
      await log(run, [{}]);
      await app.client.call('POST', root('/traces'), {
        body: { experiment_id: run, is_complete: false, traces: [{ input: 'a' }, { input: 'b' }] },
      });
      expect((await get(run)).status).to.deep.equal({ log_generation: { progress_percent: 33 } });
    });
  });

  describe('criteria', () => {
    it('are by default the metrics with a threshold and a value in the project', async () => {
      const [run, other] = [await make('first'), await make('second')];
      expect((await getCriteria()).body).to.deep.equal({ criteria: [], default: true });
      await log(run, [{ toxicity: 0.5 }]);
      await log(other, [{ toxicity: 0.25 }]);
      expect((await getCriteria()).body).to.deep.equal({
        criteria: [{ metric: 'toxicity', weight: 1, direction: 'lower' }],
        default: true,
      });
      expect(await get(other)).to.include({ ranking_score: 1, rank: 1, winner: true });
      expect(await get(run)).to.include({ ranking_score: 0, rank: 2, winner: false });
    });

    it('are by default those of code scorers with a threshold too', async () => {
      const metric = `scored ${randomUUID()}`;
      const threshold = { buckets: [0.5], display_value_levels: ['low', 'high'] };
      const scorer = await app.client.call<{ id: string }>('POST', '/v2/scorers', {
        body: { name: metric, scorer_type: 'code', threshold },
      });
      const run = await make('scored');
      await log(run, [{ [metric]: 0.5 }]);
      expect((await getCriteria()).body).to.deep.equal({
        criteria: [{ metric, weight: 1, direction: 'higher' }],
        default: true,
      });
      expect(await get(run)).to.include({ rank: 1, ranking_score: 1 });
      await app.client.call('DELETE', `/v2/scorers/${scorer.body.id}`);
      expect((await getCriteria()).body.criteria).to.deep.equal([]);
    });

    it('are what was set, until an empty list brings the default back', async () => {
      const [run, other] = [await make('first'), await make('second')];
      await log(run, [{ toxicity: 0.5, reward: 1 }]);
      await log(other, [{ toxicity: 0.25, reward: 0 }]);
      const set = await setCriteria([{ ...byReward, metric: 'metrics/reward', weight: 2.5 }]);
      const expected = { criteria: [{ ...byReward, weight: 2.5 }], default: false };
      expect(set.body).to.deep.equal(expected);
      expect((await getCriteria()).body).to.deep.equal(expected);
      expect(await get(run)).to.include({ ranking_score: 1, rank: 1 });
      const again = await setCriteria([{ ...byReward, weight: 2.5 }]);
      expect(again.position).to.equal(set.position);
      const reset = await setCriteria([]);
      expect(reset.body).to.include({ default: true });
      expect(await get(run)).to.include({ ranking_score: 0, rank: 2 });
    });

    it('answers 422 for a text, a repeat, a weight and a member out of bounds', async () => {
      await log(await make('texts'), [{ verdict: 'good' }]);
      const at = (index: string, ...rest: string[]) => ['body', 'criteria', index, ...rest];
      const text = { metric: 'verdict', weight: 1, direction: 'higher' };
      const metric = at('1', 'metric');
      expectInvalid(await setCriteria([byReward, text]), metric, 'value_error');
      const prefixed = { ...byReward, metric: 'metrics/reward' };
      expectInvalid(await setCriteria([byReward, prefixed]), metric, 'value_error');
      const weight = at('0', 'weight');
      expectInvalid(await setCriteria([{ ...byReward, weight: 0 }]), weight, 'greater_than');
      expectInvalid(
        await setCriteria([{ ...byReward, weight: 1_000_001 }]),
        weight,
        'less_than_equal',
      );
      expectInvalid(
        await setCriteria([{ ...byReward, direction: 'up' }]),
        at('0', 'direction'),
        'enum',
      );
      const other = await app.client.send('PUT', path('/ranking_criteria'), {
        body: { criteria: [], more: 1 },
      });
      expectInvalid(other, ['body', 'more'], 'extra_forbidden');
      const many = Array.from({ length: 51 }, (_, one) => ({ ...byReward, metric: `m${one}` }));
      expectInvalid(await setCriteria(many), ['body', 'criteria'], 'too_long');
      expect((await getCriteria()).body.default).to.equal(true);
    });

    it('answers 403 to a viewer who sets them, 404 out of sight', async () => {
      const as = await viewer();
      expectRefused(await setCriteria([], as), 403, 'forbidden');
      expect((await as.send('GET', path('/ranking_criteria'))).status).to.equal(200);
      const nowhere = `/v2/projects/${randomUUID()}/experiments/ranking_criteria`;
      expectRefused(await app.client.send('GET', nowhere), 404, 'not_found');
      const body = { criteria: [] };
      expectRefused(await app.client.send('PUT', nowhere, { body }), 404, 'not_found');
    });
  });

  describe('winners', () => {
    it('are chosen among experiments of one scope, one at a time, and withdrawn', async () => {
      await setCriteria([byReward]);
      const [best, other] = [await make('best'), await make('other')];
      const apart = await make('apart', { experiment_group_name: 'group' });
      for (const [run, reward] of [
        [best, 1],
        [other, 0],
        [apart, 0],
      ] as const) {
        await log(run, [{ reward }]);
      }
      expect(await get(best)).to.include({ winner: true, winner_source: 'rank' });
      const chosen = await winner('POST', other);
      expect(chosen.body).to.include({
        id: other,
        winner: true,
        winner_source: 'chosen',
        rank: 2,
      });
      expect(await get(best)).to.include({ winner: false, winner_source: null });
      expect(await get(apart)).to.include({ winner: true, rank: 1 });
      const again = await winner('POST', other);
      expect(again.body.updated_at).to.equal(chosen.body.updated_at);
      await winner('DELETE', best);
      expect(await get(other)).to.include({ winner: true });
      const withdrawn = await winner('DELETE', other);
      expect(withdrawn.body).to.include({ winner: false });
      expect(await get(best)).to.include({ winner: true });
    });

    it('leads the experiments when they are sorted by rank, by score or by a metric', async () => {
      await setCriteria([byReward]);
      const runs = [await make('one'), await make('two'), await make('three'), await make('bare')];
      for (const [at, reward] of [0.5, 1, 0].entries()) await log(runs[at] ?? '', [{ reward }]);
      const [one, two, three, bare] = runs;
      const sorted = async (sort: object, page: object = {}) => {
        const reply = await app.client.call<{ experiments: { id: string }[] }>(
          'POST',
          path('/search'),
          {
            body: { sort, ...page },
          },
        );
        return reply.body.experiments.map(({ id }) => id).filter((id) => runs.includes(id));
      };
      const best = [two, one, three, bare];
      expect(await sorted({ name: 'rank' })).to.deep.equal(best);
      expect(await sorted({ name: 'ranking_score', ascending: false })).to.deep.equal(best);
      expect(await sorted({ name: 'metrics/reward', ascending: false })).to.deep.equal(best);
      expect(await sorted({ name: 'metrics/average_reward' })).to.deep.equal([
        three,
        one,
        two,
        bare,
      ]);
      expect(await sorted({ name: 'rank' }, { limit: 2, starting_token: 1 })).to.deep.equal([
        one,
        three,
      ]);
    });

    it('may be without a score, and stop being one when they leave or are deleted', async () => {
      await setCriteria([byReward]);
      const [best, bare] = [await make('best'), await make('bare')];
      await log(best, [{ reward: 1 }]);
      expect((await winner('POST', bare)).body).to.include({ winner: true, rank: null });
      expect(await get(best)).to.include({ winner: false });
      const body = { name: 'bare', experiment_group_name: 'away' };
      await app.client.call('PUT', path(`/${bare}`), { body });
      expect(await get(bare)).to.include({ winner: null });
      expect(await get(best)).to.include({ winner: true });
      const gone = await make('gone');
      await winner('POST', gone);
      expect(await get(best)).to.include({ winner: false });
      await app.client.call('DELETE', path(`/${gone}`));
      expect(await get(best)).to.include({ winner: true });
    });

    it('answers 404 without a winner, 403 to a viewer', async () => {
      const run = await make('seen');
      for (const method of ['POST', 'DELETE'] as const) {
        expectRefused(await winner(method, randomUUID()), 404, 'not_found');
        expectRefused(await winner(method, run, await viewer()), 403, 'forbidden');
      }
    });
  });

  it('agrees with the rules read one by one, as experiments and traces come and go', async () => {
    const seed = drawSeed();
    const random = seededRandom(seed).next;
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    const criteria: Criterion[] = [
      { metric: 'reward', weight: 2, direction: 'higher' },
      { metric: 'cost', weight: 1, direction: 'lower' },
      { metric: 'solved', weight: 0.5, direction: 'higher' },
      { metric: 'never', weight: 3, direction: 'higher' },
    ];
    await setCriteria(criteria);
    const candidates = new Map<string, Candidate>();
    const chosen = new Map<string, string>();
    const values = (): Record<string, number | boolean> => ({
      ...(random() < 0.8 && { reward: pick([0, 0.5, 1]) }),
      ...(random() < 0.5 && { cost: pick([1, 2, 3.5]) }),
      ...(random() < 0.5 && { solved: random() < 0.5 }),
    });
    const steps: readonly (() => Promise<void>)[] = [
      async () => {
        const group = pick([null, 'a', 'b']);
        const id = await make(randomUUID(), { experiment_group_name: group });
        candidates.set(id, { id, scope: group ?? '', values: {} });
      },
      async () => {
        const one = pick([...candidates.values()]);
        const metrics = [values(), values()];
        await log(one.id, metrics);
        const all = Object.fromEntries(
          criteria.map(({ metric }) => [
            metric,
            [
              ...(one.values[metric] ?? []),
              ...metrics.flatMap((sent) => (metric in sent ? [Number(sent[metric])] : [])),
            ],
          ]),
        );
        candidates.set(one.id, { ...one, values: all });
      },
      async () => {
        const one = pick([...candidates.values()]);
        const scope = pick(['a', 'b']);
        const { name } = await get(one.id);
        const body = { name, experiment_group_name: scope };
        await app.client.call('PUT', path(`/${one.id}`), { body });
        candidates.set(one.id, { ...one, scope });
      },
      async () => {
        const one = pick([...candidates.values()]);
        await winner('POST', one.id);
        chosen.set(one.scope, one.id);
      },
      async () => {
        if (candidates.size < 4) return;
        const one = pick([...candidates.values()]);
        await app.client.call('DELETE', path(`/${one.id}`));
        candidates.delete(one.id);
      },
    ];
    for (let at = 0; at < 25; at += 1) {
      const step = at < 4 ? steps[0] : pick([...steps, ...steps.slice(0, 2), ...steps.slice(1, 2)]);
      await step?.();
      const expected = referenceRanking([...candidates.values()], criteria, chosen);
      const found = await standings();
      expect(Object.fromEntries(found), `ASSAY_TEST_SEED=${seed}, step ${at}`).to.deep.equal(
        Object.fromEntries(expected),
      );
    }
  }).timeout(30_000);
});

const nothing = (members: readonly string[]): object =>
  Object.fromEntries(members.map((member) => [member, null]));
const ranks = (p50: number, above: number): object => ({ p50, p90: above, p95: above, p99: above });
