// Written by npm run client:typescript from the contract: change that.
import type { ListingFilter, ListingSort, UserSummary } from './projects-types.js';

export type ChangeInsightsSettings = { readonly insights: InsightsInput };

export type CreateLogStream = { readonly name: string };

export type Insights = { readonly logstream: LogStreamInsights };

export type InsightsInput = { readonly logstream?: LogStreamInsightsInput };

export type InsightsSettings = { readonly run_id: string; readonly insights: Insights };

export type LogStream = {
  readonly id: string;
  readonly name: string;
  readonly project_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly created_by_user: UserSummary | null;
  readonly num_spans: number | null;
  readonly num_traces: number | null;
  readonly has_user_created_sessions: boolean | null;
};

export type LogStreamInsights = { readonly enabled: boolean; readonly start_time: string | null };

export type LogStreamInsightsInput = { readonly enabled: boolean };

export type LogStreamPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly log_streams: readonly LogStream[];
};

export type RenameLogStream = { readonly name: string };

export type SearchLogStreams = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
  readonly filters?: readonly ListingFilter[] | null;
  readonly sort?: ListingSort | null;
  readonly include_counts?: boolean | null;
};
