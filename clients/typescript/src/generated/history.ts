// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Paged } from '../call.js';
import type { HistoryPage, HistoryVerdict, ResourceHistoryPage } from './history-types.js';

/** Audit log: what happened, who did it, and a hash chain that proves it unchanged. */
export class History {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * History of a project, newest first. A filter that is repeated means any of its values. A
   * page may hold fewer entries than `limit` although `next_cursor` is not null. (contract
   * 5.14)
   */
  listOfProject(
    input: {
      readonly project_id?: string;
      readonly actor?: readonly string[];
      readonly event_type?: readonly string[];
      readonly resource_type?: readonly (
        | 'organization'
        | 'user'
        | 'api_key'
        | 'group'
        | 'project'
        | 'log_stream'
        | 'experiment'
        | 'session'
        | 'trace'
        | 'dataset'
        | 'annotation_template'
        | 'prompt_template'
        | 'scorer'
        | 'scorer_task'
        | 'integration'
        | 'org_job'
      )[];
      readonly resource_id?: readonly string[];
      readonly start_time?: string;
      readonly end_time?: string;
      readonly technical?: boolean;
      readonly order?: 'asc' | 'desc';
      readonly cursor?: string;
      readonly limit?: number;
    } = {},
    options?: CallOptions,
  ): Paged<HistoryPage, HistoryPage['entries'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/projects/{project_id}/history',
        isRead: true,
        query:
          'actor event_type resource_type resource_id start_time end_time technical order c' +
          'ursor limit',
      },
      input,
      options,
      'entries',
    );
  }
  /**
   * History of the organisation, newest first. With `technical` it lists all that the hashes
   * go over. Deleted projects stay here. (contract 5.14)
   */
  list(
    input: {
      readonly actor?: readonly string[];
      readonly event_type?: readonly string[];
      readonly resource_type?: readonly (
        | 'organization'
        | 'user'
        | 'api_key'
        | 'group'
        | 'project'
        | 'log_stream'
        | 'experiment'
        | 'session'
        | 'trace'
        | 'dataset'
        | 'annotation_template'
        | 'prompt_template'
        | 'scorer'
        | 'scorer_task'
        | 'integration'
        | 'org_job'
      )[];
      readonly resource_id?: readonly string[];
      readonly start_time?: string;
      readonly end_time?: string;
      readonly technical?: boolean;
      readonly order?: 'asc' | 'desc';
      readonly cursor?: string;
      readonly limit?: number;
      readonly project_id?: readonly string[];
    } = {},
    options?: CallOptions,
  ): Paged<HistoryPage, HistoryPage['entries'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/history',
        isRead: true,
        query:
          'actor event_type resource_type resource_id start_time end_time technical order c' +
          'ursor limit project_id',
      },
      input,
      options,
      'entries',
    );
  }
  /**
   * Recompute the history from the log. Compares every entry with its event, and digests with
   * the data that still exist. A call ends after 10 s or 1,000,000 events: `next_seq` is
   * where to go on. (contract 5.14)
   */
  verify(
    input: { readonly from_seq?: number; readonly to_seq?: number } = {},
    options?: CallOptions,
  ): Promise<HistoryVerdict> {
    return this.#call.answer(
      { method: 'GET', path: '/history/verify', isRead: true, query: 'from_seq to_seq' },
      input,
      options,
    );
  }
  /**
   * History of one resource, oldest first. With `at` also `state`: the resource as its events
   * up to there made it, null where it did not exist. (contract 5.14)
   */
  listOfResource(
    input: {
      readonly resource:
        | 'organization'
        | 'user'
        | 'api_key'
        | 'group'
        | 'project'
        | 'log_stream'
        | 'experiment'
        | 'session'
        | 'trace'
        | 'dataset'
        | 'annotation_template'
        | 'prompt_template'
        | 'scorer'
        | 'scorer_task'
        | 'integration'
        | 'org_job';
      readonly id: string;
      readonly project_id?: string;
      readonly at?: string;
      readonly order?: 'asc' | 'desc';
      readonly cursor?: string;
      readonly limit?: number;
    },
    options?: CallOptions,
  ): Paged<ResourceHistoryPage, ResourceHistoryPage['entries'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/history/{resource}/{id}',
        isRead: true,
        query: 'project_id at order cursor limit',
      },
      input,
      options,
      'entries',
    );
  }
}
