// Written by npm run client:typescript from the contract: change that.
import type { FilterNode } from './traces-types.js';
import type { StructuredError } from './traces-types-2.js';

export type CustomSearch = {
  readonly start_time: string;
  readonly end_time: string;
  readonly metric_details: readonly MetricDetail[];
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly filter_tree?: FilterNode | null;

  /** null: one bucket, the whole window. */
  readonly interval_minutes?: number | null;
  readonly group_by?: string | readonly string[] | null;

  /** Minutes east of UTC of the local time in which buckets begin: 330 for +05:30. */
  readonly utc_offset_minutes?: number | null;
  readonly population?: 'traces' | 'spans' | null;
};

export type CustomSearchResponse = {
  readonly group_by_columns: readonly string[];
  readonly aggregate_metrics: MetricTotals;
  readonly bucketed_metrics: Readonly<Record<string, readonly MetricBucket[]>>;
  readonly ems_captured_error: boolean;
  readonly standard_errors: Readonly<Record<string, StructuredError>>;
  readonly population: 'traces' | 'spans';
};

export type MetricBucket = {
  readonly start_bucket_time: string;
  readonly end_bucket_time: string;
  readonly group_by?:
    string | number | boolean | null | readonly (string | number | boolean | null)[];
  readonly requests_count: number;
  readonly session_count: number;
  readonly span_count: number;
} & Readonly<Record<string, WidgetValue>>;

export type MetricDetail = {
  readonly id: string;
  readonly metric_name: string;
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
    | 'PercentageFalse';
};

export type MetricTotals = {
  readonly requests_count: number;
  readonly session_count: number;
  readonly span_count: number;
} & Readonly<Record<string, WidgetValue>>;

export type MetricsTestingColumns = {
  readonly name: string;
  readonly log_stream_id?: string | null;
  readonly experiment_id?: string | null;
  readonly metrics_testing_id?: string | null;
  readonly cot_enabled?: boolean;
  readonly metric_key?: string;
  readonly required_scorers?: readonly string[] | null;
  readonly score_type?: 'bool' | 'int' | 'float' | 'str' | null;
};

export type WidgetValue = number | null | Readonly<Record<string, number>>;
