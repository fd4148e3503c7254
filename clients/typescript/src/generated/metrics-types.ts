// Written by npm run generate from the contract: change that.
import type { FilterNode } from './traces-types.js';
import type { StructuredError } from './traces-types-3.js';

export type CustomSearch = {
  /** Earliest `created_at`, included. */
  readonly start_time: string;
  /** Latest `created_at`, included; not before `start_time`. */
  readonly end_time: string;
  /** Widgets: what is aggregated, 100 at most; empty: the counts alone. */
  readonly metric_details: readonly MetricDetail[];
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Node of conditions, which must hold beside `filters`; null: no condition. */
  readonly filter_tree?: FilterNode | null;
  /** Length of a bucket in minutes; null: one bucket, the whole window. Default: 5. */
  readonly interval_minutes?: number | null;
  /** Column id, or 1 to 3 of them; null: no groups. */
  readonly group_by?: string | readonly string[] | null;
  /**
   * Minutes east of UTC of the local time in which buckets begin: 330 for +05:30. Default: 0.
   */
  readonly utc_offset_minutes?: number | null;
  /** Records that are counted; null: spans where a column is of spans only. */
  readonly population?: 'traces' | 'spans' | null;
};

export type CustomSearchResponse = {
  /** Columns that the result is grouped by, in their order; empty: none. */
  readonly group_by_columns: readonly string[];
  /** Value of each widget and the counts, over the whole window. */
  readonly aggregate_metrics: MetricTotals;
  /** Group value as text (`all` without groups) to buckets by time. */
  readonly bucketed_metrics: Readonly<Record<string, readonly MetricBucket[]>>;
  /** True when a considered record has an evaluation error. */
  readonly ems_captured_error: boolean;
  /** Errors by code; empty without errors. */
  readonly standard_errors: Readonly<Record<string, StructuredError>>;
  /** Records that were counted: traces or spans. */
  readonly population: 'traces' | 'spans';
};

export type Histogram = {
  /** Ascending edges of the bins, one more than `counts`; the same in every bucket. */
  readonly edges: readonly number[];
  /** Number of values in each bin; the last bin includes its upper edge. */
  readonly counts: readonly number[];
};

export type MetricBucket = {
  /** Begin of the bucket, included; not clipped by the window. */
  readonly start_bucket_time: string;
  /** End of the bucket, excluded; not clipped by the window. */
  readonly end_bucket_time: string;
  /** Group value in its own type; null where the value is missing. */
  readonly group_by?:
    string | number | boolean | null | readonly (string | number | boolean | null)[];
  /** Number of traces. */
  readonly requests_count: number;
  /** Number of sessions of these traces; lone traces are not counted. */
  readonly session_count: number;
  /** Number of spans. */
  readonly span_count: number;
} & Readonly<Record<string, WidgetValue>>;

export type MetricDetail = {
  /** Widget id, unique in the request, 1 to 128 characters. */
  readonly id: string;
  /** Metric, under any of its names: `toxicity` or `metrics/toxicity`. */
  readonly metric_name: string;
  /** Function over the values; one that does not fit the type is 422. */
  readonly aggregation:
    | 'Count'
    | 'Sum'
    | 'Average'
    | 'Min'
    | 'Max'
    | 'P50'
    | 'P90'
    | 'P95'
    | 'P99'
    | 'PercentageTrue'
    | 'PercentageFalse'
    | 'Histogram';
};

export type MetricTotals = {
  /** Number of traces. */
  readonly requests_count: number;
  /** Number of sessions of these traces; lone traces are not counted. */
  readonly session_count: number;
  /** Number of spans. */
  readonly span_count: number;
} & Readonly<Record<string, WidgetValue>>;

export type MetricsTestingColumns = {
  /** Label of the metric under test, 1 to 255 characters. */
  readonly name: string;
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** True adds the column `metrics/<metric_key>_explanation`. Default: false. */
  readonly cot_enabled?: boolean;
  /**
   * Name of the metric under test without `metrics/`, 1 to 128 characters. Default:
   * "generated_scorer_validation".
   */
  readonly metric_key?: string;
  /** Scorers whose metric columns are added, 100 at most. */
  readonly required_scorers?: readonly string[] | null;
  /** Data type of the metric under test; null: `float`. */
  readonly score_type?: 'bool' | 'int' | 'float' | 'str' | null;
};

export type WidgetValue = number | null | Histogram | Readonly<Record<string, number>>;
