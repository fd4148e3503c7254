import type {
  CustomSearch,
  CustomSearchResponse,
  MetricBucket,
} from '../../clients/typescript/src/generated/metrics-types.js';

/** The question of a project's last 24 hours, by hour: traces, errors and cost. */
export const activityQuestion = (now: number): CustomSearch => ({
  start_time: new Date(now - dayMs).toISOString(),
  end_time: new Date(now).toISOString(),
  metric_details: [{ id: 'cost', metric_name: 'metrics/cost', aggregation: 'Sum' }],
  interval_minutes: 60,
  population: 'traces',
});
const dayMs = 86_400_000;

export type Activity = {
  readonly traces: number;
  /** In dollars; null where no trace has a cost. */
  readonly cost: number | null;
  /** Traces of each hour, oldest first, hours without any included. */
  readonly hours: readonly number[];
};

/** Folds the answer to `activityQuestion`, asked at `now`. */
export const activityOf = (answer: CustomSearchResponse, now: number): Activity => {
  const totals = answer.aggregate_metrics;
  const { cost } = totals as { readonly cost?: unknown };
  return {
    traces: totals.requests_count,
    cost: typeof cost === 'number' ? cost : null,
    hours: hoursOf(answer.bucketed_metrics['all'] ?? [], now),
  };
};

/** Empty buckets are absent from the answer (contract 4.5, rule 5). */
const hoursOf = (buckets: readonly MetricBucket[], now: number): readonly number[] => {
  const byHour = new Map(
    buckets.map((bucket) => [Date.parse(bucket.start_bucket_time), bucket.requests_count]),
  );
  const last = Math.floor(now / hourMs) * hourMs;
  return Array.from(
    { length: 25 },
    (_hour, index) => byHour.get(last - (24 - index) * hourMs) ?? 0,
  );
};
const hourMs = 3_600_000;
