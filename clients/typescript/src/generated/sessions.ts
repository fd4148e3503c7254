// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download, Paged } from '../call.js';
import type {
  CreateSession,
  CreateSessionResponse,
  SessionFieldsPage,
  SessionPage,
  SessionTree,
} from './sessions-types.js';
import type { ColumnList, ColumnQuery, DeletedRecords } from './traces-types.js';
import type { RecordCount, RecordDeletion, RecordExport, RecordQuery } from './traces-types-3.js';

/** Traces that belong to one conversation. */
export class Sessions {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Start a session. With an `id` of the client's own it can be sent again; other content
   * under that id is a 409. (contract 5.6)
   */
  create(
    input: { readonly project_id?: string } & CreateSession = {},
    options?: CallOptions,
  ): Promise<CreateSessionResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/sessions', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Search sessions. Flat, without the tree of spans; newest first unless `sort` says
   * otherwise. Without a run, the whole project is searched. (contract 5.7)
   */
  search(
    input?: { readonly project_id?: string } & RecordQuery & { readonly fields?: null },
    options?: CallOptions,
  ): Paged<SessionPage, SessionPage['records'][number]>;
  /**
   * Search sessions. Flat, without the tree of spans; newest first unless `sort` says
   * otherwise. Without a run, the whole project is searched. (contract 5.7)
   */
  search(
    input: { readonly project_id?: string } & RecordQuery,
    options?: CallOptions,
  ): Paged<SessionFieldsPage, SessionFieldsPage['records'][number]>;
  search(
    input: { readonly project_id?: string } & RecordQuery = {},
    options?: CallOptions,
  ): Paged<SessionPage | SessionFieldsPage, (SessionPage | SessionFieldsPage)['records'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/projects/{project_id}/sessions/search', isRead: true },
      input,
      options,
      'records',
    );
  }
  /**
   * Count sessions. All that the same search would find; its page is ignored. (contract 5.7)
   */
  count(
    input: { readonly project_id?: string } & RecordQuery = {},
    options?: CallOptions,
  ): Promise<RecordCount> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/sessions/count', isRead: true },
      input,
      options,
    );
  }
  /**
   * All sessions of a search, as a file. JSON Lines, or CSV with `format: csv`; sent while it
   * is made, so it is whole only when its transfer ended as HTTP says. In CSV a text that a
   * spreadsheet would run begins with `'`, unless `formulas` is `keep`. (contract 5.7)
   */
  export(
    input: { readonly project_id?: string } & RecordExport = {},
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      { method: 'POST', path: '/projects/{project_id}/sessions/export', isRead: true },
      input,
      options,
    );
  }
  /**
   * Read a session with its traces, each with its tree. Traces come in pages, the oldest
   * first; `next_starting_token` says where to go on. (contract 5.7)
   */
  get(
    input: {
      readonly project_id?: string;
      readonly session_id: string;
      readonly starting_token?: number;
      readonly limit?: number;
    },
    options?: CallOptions,
  ): Paged<SessionTree, SessionTree['traces'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/projects/{project_id}/sessions/{session_id}',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'traces',
    );
  }
  /**
   * Delete sessions, at most 1000 per call. Those that a search with the same members finds;
   * at least one of them narrows. While `remaining` is true there are more: call again. With
   * `dry_run` nothing is deleted: `matched_count` is how many match, `ids` are the first
   * 1,000. (contract 5.7)
   */
  delete(
    input: { readonly project_id?: string } & RecordDeletion = {},
    options?: CallOptions,
  ): Promise<DeletedRecords> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/sessions/delete', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * List the columns that sessions can be filtered, sorted and shown by. Standard columns,
   * and those of metrics, user metadata and ratings that the records in question have.
   * (contract 4.1)
   */
  columns(
    input: { readonly project_id?: string } & ColumnQuery = {},
    options?: CallOptions,
  ): Promise<ColumnList> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/sessions/available_columns',
        isRead: true,
        schemes: 'KB',
      },
      input,
      options,
    );
  }
}
