import type { MetricType } from './record.js';

/** Statistics of one metric over the traces of a run: values of its type, own or rolled up. */
export type RunMetric =
  | {
      readonly kind: 'number';
      readonly count: number;
      /** Null when it is beyond the range of doubles. */
      readonly sum: number | null;
      readonly min: number;
      readonly max: number;
      /** Percentiles by nearest rank. */
      readonly p50: number;
      readonly p90: number;
      readonly p95: number;
      readonly p99: number;
    }
  | { readonly kind: 'boolean'; readonly count: number; readonly trues: number }
  | {
      readonly kind: 'text';
      readonly count: number;
      /** Count by category; null when there are too many categories. */
      readonly counts: Readonly<Record<string, number>> | null;
    };
/** Counts of a run: traces, their spans by `spanCount`, and sessions. */
export type RunCounts = {
  readonly traces: number;
  readonly spans: number;
  readonly sessions: number;
};
export type RunMeasures = RunCounts & {
  /** Traces that have ended. */
  readonly complete: number;
  /** Metrics with a value, by name. */
  readonly metrics: Readonly<Record<string, RunMetric>>;
};
/** A metric, or the ratings by the template of that id (see `MeasureTarget`). */
export type TypedMetric = {
  readonly metric: string;
  readonly type: MetricType;
  readonly source?: 'annotations';
};
