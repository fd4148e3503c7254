// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Paged } from '../call.js';
import type {
  ChangeInsightsSettings,
  CreateLogStream,
  InsightsSettings,
  LogStream,
  LogStreamPage,
  RenameLogStream,
  SearchLogStreams,
} from './log-streams-types.js';

/** Runs that a live application logs into. */
export class LogStreams {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create a log stream. Names are unique among the log streams of the project. (contract
   * 5.5)
   */
  create(
    input: { readonly project_id?: string } & CreateLogStream,
    options?: CallOptions,
  ): Promise<LogStream> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/log_streams', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Log streams of a project. At most 1,000; counts are null unless requested. (contract 5.5)
   */
  list(
    input: { readonly project_id?: string; readonly include_counts?: boolean } = {},
    options?: CallOptions,
  ): Promise<readonly LogStream[]> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/log_streams',
        isRead: true,
        query: 'include_counts',
      },
      input,
      options,
    );
  }
  /**
   * Log streams of a project, paged. Counts are null unless requested. (contract 5.5)
   */
  page(
    input: {
      readonly project_id?: string;
      readonly starting_token?: number;
      readonly limit?: number;
      readonly include_counts?: boolean;
    } = {},
    options?: CallOptions,
  ): Paged<LogStreamPage, LogStreamPage['log_streams'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/projects/{project_id}/log_streams/paginated',
        isRead: true,
        query: 'starting_token limit include_counts',
      },
      input,
      options,
      'log_streams',
    );
  }
  /**
   * Log streams of a project, filtered, sorted and paged. Counts are null unless requested.
   * (contract 5.5)
   */
  search(
    input: { readonly project_id?: string } & SearchLogStreams = {},
    options?: CallOptions,
  ): Paged<LogStreamPage, LogStreamPage['log_streams'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/projects/{project_id}/log_streams/search', isRead: true },
      input,
      options,
      'log_streams',
    );
  }
  /** One log stream. Counts of its records are null here. (contract 5.5) */
  get(
    input: { readonly project_id?: string; readonly log_stream_id: string },
    options?: CallOptions,
  ): Promise<LogStream> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/log_streams/{log_stream_id}', isRead: true },
      input,
      options,
    );
  }
  /** Rename a log stream. Its records stay where they are. (contract 5.5) */
  rename(
    input: { readonly project_id?: string; readonly log_stream_id: string } & RenameLogStream,
    options?: CallOptions,
  ): Promise<LogStream> {
    return this.#call.answer(
      { method: 'PUT', path: '/projects/{project_id}/log_streams/{log_stream_id}' },
      input,
      options,
    );
  }
  /**
   * Delete a log stream with its records. Its records are not found at once and are erased.
   * (contract 5.5)
   */
  delete(
    input: { readonly project_id?: string; readonly log_stream_id: string },
    options?: CallOptions,
  ): Promise<void> {
    return this.#call.answer(
      { method: 'DELETE', path: '/projects/{project_id}/log_streams/{log_stream_id}' },
      input,
      options,
    );
  }
  /**
   * Switch the insights of a run on or off. `start_time` is that of the last switch from off
   * to on. (contract 4.10)
   */
  changeInsightsSettings(
    input: { readonly project_id?: string; readonly run_id: string } & ChangeInsightsSettings,
    options?: CallOptions,
  ): Promise<InsightsSettings> {
    return this.#call.answer(
      {
        method: 'PATCH',
        path: '/projects/{project_id}/runs/{run_id}/insights-settings',
        isKeyed: true,
      },
      input,
      options,
    );
  }
  /** Insights settings of a run. Off by default. (contract 4.10) */
  insightsSettings(
    input: { readonly project_id?: string; readonly run_id: string },
    options?: CallOptions,
  ): Promise<InsightsSettings> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/runs/{run_id}/insights-settings',
        isRead: true,
      },
      input,
      options,
    );
  }
}
