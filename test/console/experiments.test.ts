import { expect } from 'chai';
import * as fc from 'fast-check';
import type {
  AgainstBaseline,
  ComparedExperiment,
  ComparedMetric,
} from '../../clients/typescript/src/generated/experiments-types.js';
import type { Experiment } from '../../clients/typescript/src/generated/experiments-types-2.js';
import {
  cautions,
  comparedIds,
  comparedName,
  comparedRowKey,
  intervalText,
  isClear,
  coverageSentence,
  coverageText,
  judgingMetric,
  outputText,
  printDifference,
  rowCounts,
  unchangedSentence,
  verdictOf,
  type Comparison,
} from '../../console/experiments/comparison.js';
import {
  criteriaText,
  datasetText,
  groupsOf,
  isUnderWay,
  leaderboardQuestion,
  metricFigure,
  newestVersions,
  numericMetrics,
  ratingSummaries,
  shownMetrics,
  unrankedText,
  versionWarning,
  winnerMark,
} from '../../console/experiments/model.js';
import { metricLabel, printMetric } from '../../console/parts/metrics.js';
import { runs } from '../support/runs.js';

const against = (change: Partial<AgainstBaseline> = {}): AgainstBaseline => ({
  num_rows: 10,
  mean_difference: 0.1,
  confidence_interval: { lower: 0.02, upper: 0.12, resamples: 1_000 },
  wins: 5,
  losses: 2,
  ties: 3,
  ...change,
});
const metricWith = (
  others: readonly AgainstBaseline[],
  change: Partial<ComparedMetric> = {},
): ComparedMetric => ({
  metric: 'reward',
  type: 'floating_point',
  direction: 'higher',
  experiments: [null, ...others].map(
    (against_baseline) => ({ against_baseline }) as ComparedMetric['experiments'][number],
  ),
  ...change,
});
const comparedWith = (change: Partial<ComparedExperiment> = {}): ComparedExperiment => ({
  experiment_id: '60c67a87-024d-48e3-9dcf-ae5652800741',
  name: 'prompt-b',
  dataset: { dataset_id: 'd', version_index: 2 },
  num_traces: 10,
  traces_without_row: 0,
  num_rows: 10,
  missing_rows: 0,
  failed_rows: 0,
  ...change,
});
const comparison = (change: Partial<Comparison>): Comparison =>
  ({ total_rows: 12, rows_in_all: 10, experiments: [], metrics: [], ...change }) as Comparison;

describe('the comparison of experiments', () => {
  it('asks for the baseline first, and for each experiment once', () => {
    expect(comparedIds({ base: 'a', with: ['b', 'a', 'c', 'b'] })).to.deep.equal(['a', 'b', 'c']);
    expect(comparedIds({ base: '', with: null })).to.deep.equal([]);
  });

  it('judges by the wanted metric, else by the first that ranks, else by quality', () => {
    const metrics = ['cost', 'reward', 'tone'].map((metric) => metricWith([], { metric }));
    const criteria = ['unknown', 'metrics/tone', 'cost'].map((metric) => ({
      metric,
      weight: 1,
      direction: 'higher' as const,
    }));
    expect(judgingMetric(metrics, 'reward', criteria)?.metric).to.equal('reward');
    expect(judgingMetric(metrics, 'unknown', criteria)?.metric).to.equal('tone');
    expect(judgingMetric(metrics, '', [])?.metric).to.equal('reward');
    const valued = (metric: string, rows: number) => {
      const of = { num_rows: rows } as ComparedMetric['experiments'][number];
      return metricWith([], { metric, experiments: [of] });
    };
    const others = [valued('bleu', 9), valued('cost', 9), valued('calm', 2), valued('solved', 9)];
    expect(judgingMetric(others, '', [])?.metric).to.equal('solved');
    expect(judgingMetric(others.slice(0, 2), '', [])?.metric).to.equal('cost');
    expect(judgingMetric([], 'reward', criteria)).to.equal(null);
  });

  it('calls a difference good or bad only where its interval leaves out 0', () => {
    const number = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(number, number, fc.boolean(), (one, other, isHigher) => {
        const [lower, upper] = [Math.min(one, other), Math.max(one, other)];
        const mean = (lower + upper) / 2;
        const found = against({
          mean_difference: mean,
          confidence_interval: { lower, upper, resamples: 1_000 },
        });
        const has0 = lower <= 0 && upper >= 0;
        expect(isClear(found)).to.equal(!has0);
        const verdict = verdictOf(found, isHigher ? 'higher' : 'lower');
        expect(verdict).to.equal(has0 ? null : mean > 0 === isHigher ? 'good' : 'bad');
      }),
      { numRuns: runs(200) },
    );
    expect(isClear(against({ confidence_interval: null }))).to.equal(false);
  });

  it('prints differences with their sign and unit, and why an interval is missing', () => {
    const reward = metricWith([]);
    const cost = metricWith([], { metric: 'cost' });
    const solved = metricWith([], { metric: 'solved', type: 'boolean' });
    expect(printDifference(reward, 0.07)).to.equal('+0.07');
    expect(printDifference(reward, 0)).to.equal('±0');
    expect(printDifference(cost, -0.003)).to.equal('-$0.003');
    expect(printDifference(solved, 0.125)).to.equal('+12.5 pp');
    expect(printDifference(solved, -0.02)).to.equal('-2 pp');
    expect(printDifference(solved, 0.0001)).to.equal('< 0.1 pp');
    expect(intervalText(reward, against())).to.equal('0.02 … 0.12');
    expect(intervalText(solved, against())).to.equal('2 pp … 12 pp');
    expect(intervalText(reward, against({ confidence_interval: null }))).to.equal('too few rows');
  });

  it('says over how many rows a difference is, and why not over all', () => {
    const [whole, partial] = [against({ num_rows: 50 }), against({ num_rows: 43 })];
    expect([whole, partial].map((one) => coverageText(one, 50))).to.deep.equal(['50', '43 of 50']);
    const rouge = metricWith([partial], { metric: 'rouge' });
    expect(coverageSentence([metricWith([whole])], 50)).to.equal(null);
    expect(coverageSentence([metricWith([partial])], 50)).to.equal(
      '“of 50”: on the other rows one of the two has no value.',
    );
    expect(coverageSentence([metricWith([whole]), rouge], 50)).to.equal(
      '“of 50”: on the other rows one of the two has no value. ' +
        'ROUGE-L (deprecated): a value needs an output and a reference.',
    );
  });

  it('says that no row changed, of all metrics or of the one that judges', () => {
    const same = against({ wins: 0, losses: 0, ties: 10 });
    const unchanged = metricWith([same]);
    const changed = metricWith([against()], { metric: 'cost' });
    expect(unchangedSentence(comparison({ metrics: [unchanged] }), unchanged)).to.equal(
      'No row changed: on 10 rows every metric is the same.',
    );
    const both = comparison({ metrics: [unchanged, changed], rows_in_all: 1 });
    expect(unchangedSentence(both, unchanged)).to.equal('No row changed in reward.');
    expect(unchangedSentence(both, changed)).to.equal(null);
    expect(unchangedSentence(comparison({ rows_in_all: 0 }), unchanged)).to.equal(null);
    expect(unchangedSentence(both, null)).to.equal(null);
  });

  it('counts rows of each group with one other, and none with several', () => {
    expect(rowCounts(comparison({}), metricWith([against()]))).to.deep.equal({
      losses: 2,
      wins: 5,
      ties: 3,
      missing: 2,
      all: 12,
    });
    const none = { losses: null, wins: null, ties: null, missing: null, all: 12 };
    expect(rowCounts(comparison({}), metricWith([against(), against()]))).to.deep.equal(none);
    expect(rowCounts(comparison({}), metricWith([]))).to.deep.equal(none);
  });

  it('says what is left out, and that datasets or versions differ', () => {
    const experiments = [
      comparedWith(),
      comparedWith({ name: '', missing_rows: 2, failed_rows: 1, traces_without_row: 1_200 }),
    ];
    expect(cautions(comparison({ experiments }))).to.deep.equal([
      {
        text: '60c67a87 lacks 2 rows, failed on 1 row, has 1,200 traces about no row.',
        failedOf: '60c67a87-024d-48e3-9dcf-ae5652800741',
      },
    ]);
    const withDataset = (dataset: ComparedExperiment['dataset']) =>
      cautions(comparison({ experiments: [comparedWith(), comparedWith({ dataset })] })).map(
        ({ text }) => text,
      );
    expect(withDataset({ dataset_id: 'd', version_index: 3 })).to.deep.equal([
      'They are about different versions of the dataset.',
    ]);
    expect(withDataset({ dataset_id: 'e', version_index: 2 })).to.deep.equal([
      'They are about different datasets.',
    ]);
    expect(withDataset(null)).to.deep.equal(['They are about different datasets.']);
  });

  it('names experiments, rows and outputs that have no name of their own', () => {
    expect(comparedName(comparedWith())).to.equal('prompt-b');
    const row = { experiments: [{ trace_id: null }, { trace_id: 'second' }, { trace_id: 'x' }] };
    expect(comparedRowKey(row as unknown as Parameters<typeof comparedRowKey>[0])).to.equal(
      'second',
    );
    expect(outputText(null)).to.equal('');
    expect(outputText('booked')).to.equal('booked');
    expect(outputText({ ok: true })).to.equal('{\n  "ok": true\n}');
  });
});

type Summary = Experiment['structured_aggregate_metrics'][string];
const summary = (avg: number | null, pct: number | null = null) => ({ avg, pct }) as Summary;
const experiment = (change: Partial<Experiment> = {}): Experiment =>
  ({
    id: 'e',
    name: 'prompt-a',
    dataset: null,
    winner: null,
    winner_source: null,
    experiment_group_id: null,
    experiment_group_name: null,
    structured_aggregate_metrics: {},
    rating_aggregates: {},
    status: { log_generation: { progress_percent: 100 } },
    ...change,
  }) as unknown as Experiment;

describe('the leaderboard of experiments', () => {
  it('asks by group and name in any case, newest first without an order', () => {
    expect(leaderboardQuestion({ group: '', find: '', sort: null })).to.include({ sort: null });
    const asked = leaderboardQuestion({
      group: 'none',
      find: 'prompt',
      sort: { column: 'rank', ascending: true },
    });
    expect(asked.filters).to.deep.equal([
      { name: 'experiment_group_name', operator: 'is_null', value: true },
      { name: 'name', operator: 'contains', value: 'prompt', case_sensitive: false },
    ]);
    expect(asked.sort).to.deep.equal({ name: 'rank', ascending: true });
    expect(leaderboardQuestion({ group: 'g', find: '', sort: null }).filters).to.deep.equal([
      { name: 'experiment_group_id', value: 'g' },
    ]);
  });

  it('lists each group once, by name', () => {
    const inGroup = (id: string, name: string | null) =>
      experiment({ experiment_group_id: id, experiment_group_name: name });
    const all = [inGroup('2', 'tone'), experiment(), inGroup('1', 'prompts'), inGroup('2', 'tone')];
    expect(groupsOf(all)).to.deep.equal([
      { id: '1', name: 'prompts' },
      { id: '2', name: 'tone' },
    ]);
    expect(groupsOf([inGroup('3', null)])).to.deep.equal([{ id: '3', name: '3' }]);
  });

  it('shows metrics that rank first, then four of the others, then cost and time', () => {
    const metrics = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'reward', 'cost', 'duration_ns', 'num_tokens'].map((name) => [
        name,
        summary(1),
      ]),
    );
    const all = [experiment({ structured_aggregate_metrics: { ...metrics, text: summary(null) } })];
    expect(numericMetrics(all)).to.not.include('text');
    const criteria = ['metrics/average_reward', 'annotations/1'].map((metric) => ({
      metric,
      weight: 1,
      direction: 'higher' as const,
    }));
    expect(shownMetrics(all, criteria)).to.deep.equal([
      'reward',
      'a',
      'b',
      'c',
      'd',
      'cost',
      'duration_ns',
    ]);
    expect(shownMetrics([], [])).to.deep.equal([]);
  });

  it('prints a metric by its unit, of a boolean the share, and why it is missing', () => {
    expect(printMetric('output_cost', 0.5, false)).to.match(/^\$/);
    expect(printMetric('duration_ns', 2e9, false)).to.match(/s$/);
    expect(printMetric('num_input_tokens', 306.4, false)).to.equal('306.4');
    const names = ['metrics/duration_ns', 'num_input_tokens', 'reward'].map(metricLabel);
    expect(names).to.deep.equal(['Duration', 'Input Tokens', 'reward']);
    const some = experiment({ structured_aggregate_metrics: { solved: summary(null, 0.807) } });
    expect(metricFigure(some, 'solved').text).to.equal('80.7 %');
    expect(metricFigure(some, 'other')).to.deep.equal({
      text: '–',
      reason: 'No trace of it has this metric',
    });
  });

  it('marks the winner, chosen or by rank, and results of another version', () => {
    expect(winnerMark(experiment())).to.equal(null);
    expect(winnerMark(experiment({ winner: true, winner_source: 'chosen' }))?.star).to.equal('★');
    expect(winnerMark(experiment({ winner: true, winner_source: 'rank' }))?.star).to.equal('☆');
    const about = (version_index: number) =>
      experiment({
        dataset: { dataset_id: 'd', version_index, name: 'airline' },
      });
    const newest = newestVersions([about(1), about(3), experiment(), about(2)]);
    expect([...newest]).to.deep.equal([['d', 3]]);
    expect(versionWarning(about(1), newest)).to.equal('Another version: others here are about v3');
    expect(versionWarning(about(3), newest)).to.equal(null);
    expect(versionWarning(experiment(), newest)).to.equal(null);
    expect(datasetText(about(3))).to.equal('airline v3');
    expect(datasetText(experiment())).to.equal(null);
  });

  it('says why criteria rank nothing, and nothing of an empty list', () => {
    const criteria = [{ metric: 'toxicity', weight: 1, direction: 'lower' as const }];
    const unranked = experiment({ rank: null });
    expect(unrankedText([unranked], criteria)).to.equal(
      'Not ranked: no experiment has values of Output Toxicity',
    );
    expect(unrankedText([unranked, experiment({ rank: 1 })], criteria)).to.equal(null);
    expect(unrankedText([], criteria)).to.equal(null);
    expect(unrankedText([unranked], [])).to.equal(null);
  });

  it('is under way until all traces came', () => {
    const going = experiment({
      status: { log_generation: { progress_percent: 62 } },
    });
    expect(isUnderWay([experiment(), going])).to.equal(true);
    expect(isUnderWay([experiment()])).to.equal(false);
  });

  it('sums up ratings and criteria in a few words', () => {
    const rated = experiment({
      rating_aggregates: {
        1: { trace: { feedback_type: 'star', average: 4.2, counts: { 4: 20, 5: 11 } } },
        2: { trace: { feedback_type: 'like_dislike', like_count: 3, dislike_count: 1 } },
        3: { trace: { feedback_type: 'text', count: 2 } },
        4: {},
      },
    });
    expect(ratingSummaries(rated, new Map([['1', 'Helpful']]))).to.deep.equal([
      { text: '★4.2 (31)', title: 'Helpful' },
      { text: '+3 of 4', title: 'Rating' },
    ]);
    expect(
      criteriaText([
        { metric: 'reward', weight: 2, direction: 'higher' },
        { metric: 'cost', weight: 1, direction: 'lower' },
      ]),
    ).to.equal('reward ↑ ×2, Cost ↓');
  });
});
