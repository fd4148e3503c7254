import type { Document } from 'mongodb';
import { registryType } from '../../kernel/records/column-value.js';
import { categoriesMax } from '../../kernel/records/query-plans.js';
import type { MetricType } from '../../kernel/records/record.js';
import type { RunMeasures, RunMetric, TypedMetric } from '../../kernel/records/measures.js';
import { encodeMember, decodeMember } from './member-names.js';
import { measuredMember } from './record-match.js';
import { collectAll, type RecordQuery, type RecordPipeline } from './record-scan.js';
import { metricTypes, queryTimeoutMs, runCounts } from './record-search.js';
import { openEnd } from './model-state.js';
import type { Snapshot } from './snapshot.js';
import { comparedPrefix } from './text-match.js';

type RunMetricKey = { readonly run: string; readonly metric: string };

/** Pipelines over the traces of these runs, null = of all of the project. */
export const tracePipeline = (
  { rows, visible }: Snapshot,
  project: string,
  runs: readonly string[] | null,
): RecordPipeline => {
  const ofRuns = runs === null ? {} : { run: { $in: [...runs] } };
  const traces = { project: { $eq: project }, ...ofRuns, population: 'trace' };
  return (stages) =>
    rows.aggregate([{ $match: { $and: [traces, visible] } }, ...stages], {
      hint: runs === null ? 'window' : 'run',
      maxTimeMS: queryTimeoutMs,
      allowDiskUse: true,
    });
};

/** `runMeasures` of kernel/records/reference/run-measures.ts as pipelines, per run. */
export const runMeasures = async (
  snapshot: Snapshot,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, RunMeasures>> => {
  const query = collectAll(tracePipeline(snapshot, project, runs));
  const [counted, ended, names] = await Promise.all([
    runCounts(snapshot, project, runs),
    query([
      { $match: { 'values.is_complete': true } },
      { $group: { _id: '$run', traces: { $sum: 1 } } },
    ]),
    query([...metricStages, { $group: { _id: '$metrics.k' } }]),
  ]);
  const metrics = names.map(({ _id }) => decodeMember(String(_id)));
  const judged = await metricTypes(snapshot, project, metrics);
  const of = (type: MetricType): readonly string[] =>
    metrics.filter((name) => (registryType(name) ?? judged.get(name)) === type).map(encodeMember);
  const found = await Promise.all([
    measureNumbers(query, 'integer', of('integer')),
    measureNumbers(query, 'floating_point', of('floating_point')),
    measureBooleans(query, of('boolean')),
    measureTexts(query, of('text')),
  ]);
  const complete = new Map(ended.map(({ _id, traces }) => [String(_id), Number(traces)]));
  const present = [...counted].filter(([, { traces, sessions }]) => traces + sessions > 0);
  const byRun = new Map(
    present.map(([run, counts]) => {
      // No prototype: a metric may be called `__proto__`.
      const empty = Object.create(null) as Record<string, RunMetric>;
      return [run, { ...counts, complete: complete.get(run) ?? 0, metrics: empty }] as const;
    }),
  );
  for (const [{ run, metric }, measured] of found.flat()) {
    const known = byRun.get(run);
    if (known !== undefined) known.metrics[metric] = measured;
  }
  return byRun;
};

type MeasuredMetrics = readonly (readonly [RunMetricKey, RunMetric])[];

/** One document per metric of a trace: `metrics.k` its member, `metrics.v` its visible values. */
const metricStages: readonly Document[] = [
  { $project: { _id: 0, run: 1, metrics: { $objectToArray: '$metrics' } } },
  { $unwind: '$metrics' },
];

/** Counts of each value of these metrics per run: `_id` is a run, a member and a value. */
const valueStages = (type: MetricType, members: readonly string[]): readonly Document[] => [
  ...metricStages,
  {
    $match: { 'metrics.k': { $in: [...members] }, [`metrics.v.${type}`]: { $exists: true } },
  },
  {
    $group: {
      _id: { run: '$run', member: '$metrics.k', value: comparedPrefix(`metrics.v.${type}`) },
      times: { $sum: 1 },
    },
  },
];

const ofMetric = { run: '$_id.run', member: '$_id.member' };

const runMetricKey = ({ _id }: Document): RunMetricKey => {
  const { run, member } = _id as { readonly run: string; readonly member: string };
  return { run, metric: decodeMember(member) };
};

/** Measures numbers; percentiles by nearest rank, as in record-measures.ts. */
const measureNumbers = async (
  query: RecordQuery,
  type: MetricType,
  members: readonly string[],
): Promise<MeasuredMetrics> => {
  if (members.length === 0) return [];
  const upTo = (end: 'current' | 'unbounded') => ({
    $sum: '$times',
    window: { documents: ['unbounded', end] },
  });
  const reached = (percent: number) => {
    const rank = { $ceil: { $divide: [{ $multiply: [percent, '$all'] }, 100] } };
    return { $min: { $cond: [{ $gte: ['$upToHere', rank] }, '$_id.value', null] } };
  };
  const found = await query([
    ...valueStages(type, members),
    {
      $setWindowFields: {
        partitionBy: ofMetric,
        sortBy: { '_id.value': 1 },
        output: { upToHere: upTo('current'), all: upTo('unbounded') },
      },
    },
    {
      $group: {
        _id: ofMetric,
        count: { $sum: '$times' },
        sum: { $sum: { $multiply: ['$times', '$_id.value'] } },
        min: { $min: '$_id.value' },
        max: { $max: '$_id.value' },
        p50: reached(50),
        p90: reached(90),
        p95: reached(95),
        p99: reached(99),
      },
    },
  ]);
  return found.map((one) => {
    const { count, sum, min, max, p50, p90, p95, p99 } = one as Record<string, number>;
    const total = Number.isFinite(Number(sum)) ? Number(sum) : null;
    const ranks = [min, max, p50, p90, p95, p99].map(Number);
    const [least = 0, most = 0, half = 0, nine = 0, upper = 0, last = 0] = ranks;
    return [
      runMetricKey(one),
      {
        kind: 'number',
        count: Number(count),
        sum: total,
        min: least,
        max: most,
        p50: half,
        p90: nine,
        p95: upper,
        p99: last,
      },
    ] as const;
  });
};

const measureBooleans = async (
  query: RecordQuery,
  members: readonly string[],
): Promise<MeasuredMetrics> => {
  if (members.length === 0) return [];
  const found = await query([
    ...valueStages('boolean', members),
    {
      $group: {
        _id: ofMetric,
        count: { $sum: '$times' },
        trues: { $sum: { $cond: [{ $eq: ['$_id.value', true] }, '$times', 0] } },
      },
    },
  ]);
  return found.map((one) => {
    const { count, trues } = one;
    return [
      runMetricKey(one),
      { kind: 'boolean', count: Number(count), trues: Number(trues) },
    ] as const;
  });
};

const measureTexts = async (
  query: RecordQuery,
  members: readonly string[],
): Promise<MeasuredMetrics> => {
  if (members.length === 0) return [];
  const values = valueStages('text', members);
  const whole = { documents: ['unbounded', 'unbounded'] };
  const [sizes, shown] = await Promise.all([
    query([...values, { $group: { _id: ofMetric, count: { $sum: '$times' } } }]),
    query([
      ...values,
      {
        $setWindowFields: {
          partitionBy: ofMetric,
          output: { categories: { $sum: 1, window: whole } },
        },
      },
      { $match: { categories: { $lte: categoriesMax } } },
    ]),
  ]);
  const counts = new Map<string, Record<string, number>>();
  const keyOf = ({ run, metric }: RunMetricKey): string => `${run} ${metric}`;
  for (const one of shown) {
    const key = keyOf(runMetricKey(one));
    const of = counts.get(key) ?? (Object.create(null) as Record<string, number>);
    of[(one['_id'] as { readonly value: string }).value] = Number(one['times']);
    counts.set(key, of);
  }
  return sizes.map((one) => {
    const place = runMetricKey(one);
    const shownCounts = counts.get(keyOf(place)) ?? null;
    return [place, { kind: 'text', count: Number(one['count']), counts: shownCounts }] as const;
  });
};

/** `runAverages` of kernel/records/reference/run-measures.ts as pipelines. */
export const runAverages = async (
  snapshot: Snapshot,
  project: string,
  metrics: readonly TypedMetric[],
  runs: readonly string[] | null,
): Promise<ReadonlyMap<string, readonly (number | null)[]>> => {
  const averages = Object.fromEntries(
    metrics.map((one, at) => [`a${at}`, { $avg: averageExpression(one) }]),
  );
  const query = collectAll(tracePipeline(snapshot, project, runs));
  const found = await query([{ $group: { _id: '$run', ...averages } }]);
  return new Map(
    found
      .map((one) => {
        const values = metrics.map((_, at): number | null => {
          const value: unknown = one[`a${at}`];
          return typeof value === 'number' && Number.isFinite(value) ? value : null;
        });
        return [String(one['_id']), values] as const;
      })
      .filter(([, values]) => values.some((value) => value !== null)),
  );
};

/** Expression to average, which skips values that are not numbers. */
export const averageExpression = (measured: TypedMetric): string | Document | null => {
  const { type } = measured;
  if (type === 'text') return null;
  const value = `$${measuredMember(measured)}`;
  if (type !== 'boolean') return value;
  const isFalse = { $cond: [{ $eq: [value, false] }, 0, null] };
  return { $cond: [{ $eq: [value, true] }, 1, isFalse] };
};

/**
 * Replaced rows, which show what changed, are deleted after a minute; tokens expire well before.
 */
const rememberedMs = 30_000;
/** Beyond this many changed runs, all count as changed. */
const changedMax = 20_000;

/** Implements `Records.changedRuns`. */
export const changedRuns = async (
  { rows, generation, seq }: Snapshot,
  project: string,
  token: string | null,
): Promise<{ readonly token: string; readonly runs: readonly string[] | null }> => {
  const now = Date.now();
  const answer = { token: `${generation} ${seq} ${now}` };
  const [of, since, at] = (token ?? '').split(' ');
  if (of !== generation) return { ...answer, runs: null };
  if (Number(since) === seq) return { ...answer, runs: [] };
  if (now - Number(at) > rememberedMs) return { ...answer, runs: null };
  const after = { $gt: Number(since) };
  const found = await rows
    .aggregate(
      [
        { $match: { $or: [{ from: after }, { until: { ...after, $lt: openEnd } }] } },
        { $match: { project: { $eq: project }, population: 'trace' } },
        { $group: { _id: '$run' } },
        { $limit: changedMax + 1 },
      ],
      { maxTimeMS: queryTimeoutMs },
    )
    .toArray();
  const runs = found.length > changedMax ? null : found.map(({ _id }) => String(_id));
  return { ...answer, runs };
};
