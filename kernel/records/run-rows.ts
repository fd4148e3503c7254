import type { Instant } from '../schema-types.js';
import type { TypedMetric } from './measures.js';

/** Plan that compares runs of a project row by row of their dataset (contract 5.5). */
export type RunRowsPlan = {
  readonly project: string;
  readonly runs: readonly string[];
  /** Numeric and boolean metrics. */
  readonly metrics: readonly TypedMetric[];
};

/** Measurements of one run on one dataset row. */
export type RunRow = {
  readonly run: string;
  /** Row name, the same text for the same row, otherwise opaque; null: traces without a row. */
  readonly row: string | null;
  readonly traces: number;
  /** Earliest `created_at`. */
  readonly first: Instant;
  /** Trace with the latest `created_at`; ties by the greatest id. */
  readonly newest: string;
  /** True if that trace has a status code of `failedStatusFrom` or more. */
  readonly failed: boolean;
  /** Mean per metric of the plan, a boolean's values as 0 and 1; null without values. */
  readonly means: readonly (number | null)[];
};

/** User metadata key that names a trace's row; `''` names none. */
export const datasetRowKey = 'dataset_row_id';

/** Least status code of a trace whose row counts as failed (contract 5.5). */
export const failedStatusFrom = 400;

/** Row limit (contract 5.5): with 20 metrics some 50 MB while a response is built. */
export const runRowsMax = 100_000;
