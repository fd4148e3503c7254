import type { Instant } from '../schema-types.js';
import type { TypedMetric } from './measures.js';

/** Runs of a project that are compared row by row of their dataset (contract 5.5). */
export type RunRowsPlan = {
  readonly project: string;
  readonly runs: readonly string[];
  /** Numbers and booleans. */
  readonly metrics: readonly TypedMetric[];
};

/** What the traces of one run have on one row. */
export type RunRow = {
  readonly run: string;
  /** The same text for the same row, as an engine likes; null: traces that are about no row. */
  readonly row: string | null;
  readonly traces: number;
  /** The earliest `created_at`. */
  readonly first: Instant;
  /** The trace with the latest `created_at`, of several the one with the greatest id. */
  readonly newest: string;
  /** That trace has a status code of `failedStatusFrom` or more. */
  readonly failed: boolean;
  /** Of each metric of the plan the mean of its values, a boolean's as 0 and 1; null: none. */
  readonly means: readonly (number | null)[];
};

/** The entry of user metadata by which a trace names its row; `''` names none. */
export const datasetRowKey = 'dataset_row_id';

/** Contract 5.5: the least status code of a trace whose row counts as failed. */
export const failedStatusFrom = 400;

/** Contract 5.5: with 20 metrics some 50 MB while an answer is made. */
export const runRowsMax = 100_000;
