import type { MetricType } from './record.js';

/** One metric over the traces of a run: values of its type, own or rolled up. */
export type RunMetric =
  | {
      readonly kind: 'number';
      readonly count: number;
      /** Null when it is beyond the doubles. */
      readonly sum: number | null;
      readonly min: number;
      readonly max: number;
      /** At the nearest rank. */
      readonly p50: number;
      readonly p90: number;
      readonly p95: number;
      readonly p99: number;
    }
  | { readonly kind: 'boolean'; readonly count: number; readonly trues: number }
  | {
      readonly kind: 'text';
      readonly count: number;
      /** Count by category; null when there are more categories than anybody looks at. */
      readonly counts: Readonly<Record<string, number>> | null;
    };
/** What a run has: traces, the spans of each by its `spanCount`, and sessions. */
export type RunCounts = {
  readonly traces: number;
  readonly spans: number;
  readonly sessions: number;
};
export type RunMeasures = RunCounts & {
  /** Of the traces, those that have ended. */
  readonly complete: number;
  /** By name, only metrics with a value. */
  readonly metrics: Readonly<Record<string, RunMetric>>;
};
/** A metric, or the ratings by the template of that id (see `MeasureTarget`). */
export type TypedMetric = {
  readonly metric: string;
  readonly type: MetricType;
  readonly source?: 'annotations';
};
