// Written by npm run generate from the contract: change that.
import type { ListingFilter, ListingSort, UserSummary } from './projects-types.js';

export type ChangeInsightsSettings = {
  /** Insights configuration of the run. */
  readonly insights: InsightsInput;
};

export type CreateLogStream = {
  /** Name of the log stream, unique in the project, 1 to 255 characters. */
  readonly name: string;
};

export type Insights = {
  /** Insights of the log stream; absent in a request: unchanged. */
  readonly logstream: LogStreamInsights;
};

export type InsightsInput = {
  /** Insights of the log stream; absent in a request: unchanged. */
  readonly logstream?: LogStreamInsightsInput;
};

export type InsightsSettings = {
  /** Id of the log stream, experiment or metrics-testing run. */
  readonly run_id: string;
  /** Insights configuration of the run. */
  readonly insights: Insights;
};

export type LogStream = {
  /** Id of the run. */
  readonly id: string;
  /** Name of the run, unique by project and kind. */
  readonly name: string;
  /** Id of the project. */
  readonly project_id: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Id of the user who created it. */
  readonly created_by: string;
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
  /** Number of spans; null unless `include_counts`. */
  readonly num_spans: number | null;
  /** Number of traces; null unless `include_counts`. */
  readonly num_traces: number | null;
  /** True when the log stream has sessions; null: not counted. */
  readonly has_user_created_sessions: boolean | null;
};

export type LogStreamInsights = {
  /** True when insights are switched on. */
  readonly enabled: boolean;
  /** Time when insights were last switched on; null: never. */
  readonly start_time: string | null;
};

export type LogStreamInsightsInput = {
  /** True when insights are switched on. */
  readonly enabled: boolean;
};

export type LogStreamPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Log streams on this page. */
  readonly log_streams: readonly LogStream[];
};

export type RenameLogStream = {
  /** Name of the log stream, unique in the project, 1 to 255 characters. */
  readonly name: string;
};

export type SearchLogStreams = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly ListingFilter[] | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: ListingSort | null;
  /** True fills the counts (`num_spans`, `num_traces`), which are null otherwise. */
  readonly include_counts?: boolean | null;
};
