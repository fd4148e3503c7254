// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download, Paged } from '../call.js';
import type { ColumnList, ColumnQuery, DeletedRecords } from './traces-types.js';
import type {
  LogTraces,
  LogTracesResponse,
  RecordCount,
  RecordDeletion,
  RecordExport,
  RecordQuery,
} from './traces-types-3.js';
import type { TraceFieldsPage, TracePage, TraceTree } from './traces-types-4.js';
import type { UpdateTrace, UpdateTraceResponse } from './traces-types-5.js';

/** One run of an application each, with its spans: logged, changed, read, deleted. */
export class Traces {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Log traces with their spans. Ids that are sent are kept, so that the same request can be
   * sent again: what is there already is counted and not stored twice. Without a run, the log
   * stream `default` is used. A malformed trace is rejected alone, and named in `rejected`.
   * (contract 5.6)
   */
  log(
    input: { readonly project_id?: string } & LogTraces,
    options?: CallOptions,
  ): Promise<LogTracesResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/traces', isKeyed: true, schemes: 'KB' },
      input,
      options,
    );
  }
  /**
   * Change a trace. Members that are given overwrite; tags are added, metrics merged by name.
   * (contract 5.6)
   */
  update(
    input: { readonly project_id?: string; readonly trace_id: string } & UpdateTrace,
    options?: CallOptions,
  ): Promise<UpdateTraceResponse> {
    return this.#call.answer(
      { method: 'PATCH', path: '/projects/{project_id}/traces/{trace_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Search traces. Flat, without the tree of spans; newest first unless `sort` says
   * otherwise. Without a run, the whole project is searched. (contract 5.7)
   */
  search(
    input?: { readonly project_id?: string } & RecordQuery & { readonly fields?: null },
    options?: CallOptions,
  ): Paged<TracePage, TracePage['records'][number]>;
  /**
   * Search traces. Flat, without the tree of spans; newest first unless `sort` says
   * otherwise. Without a run, the whole project is searched. (contract 5.7)
   */
  search(
    input: { readonly project_id?: string } & RecordQuery,
    options?: CallOptions,
  ): Paged<TraceFieldsPage, TraceFieldsPage['records'][number]>;
  search(
    input: { readonly project_id?: string } & RecordQuery = {},
    options?: CallOptions,
  ): Paged<TracePage | TraceFieldsPage, (TracePage | TraceFieldsPage)['records'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/projects/{project_id}/traces/search', isRead: true },
      input,
      options,
      'records',
    );
  }
  /**
   * Count traces. All that the same search would find; its page is ignored. (contract 5.7)
   */
  count(
    input: { readonly project_id?: string } & RecordQuery = {},
    options?: CallOptions,
  ): Promise<RecordCount> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/traces/count', isRead: true },
      input,
      options,
    );
  }
  /**
   * All traces of a search, as a file. JSON Lines, or CSV with `format: csv`; sent while it
   * is made, so it is whole only when its transfer ended as HTTP says. In CSV a text that a
   * spreadsheet would run begins with `'`, unless `formulas` is `keep`. (contract 5.7)
   */
  export(
    input: { readonly project_id?: string } & RecordExport = {},
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      { method: 'POST', path: '/projects/{project_id}/traces/export', isRead: true },
      input,
      options,
    );
  }
  /**
   * Read a trace with its tree of spans. Siblings are in the order of `step_number`,
   * `created_at` and `id`. With `tree=false` the spans are neither read nor answered.
   * (contract 5.7)
   */
  get(
    input: {
      readonly project_id?: string;
      readonly trace_id: string;
      readonly tree?: boolean;
      readonly otel?: boolean;
    },
    options?: CallOptions,
  ): Promise<TraceTree> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/traces/{trace_id}',
        isRead: true,
        query: 'tree otel',
      },
      input,
      options,
    );
  }
  /**
   * Delete traces, at most 1000 per call. Those that a search with the same members finds; at
   * least one of them narrows. While `remaining` is true there are more: call again. With
   * `dry_run` nothing is deleted: `matched_count` is how many match, `ids` are the first
   * 1,000. (contract 5.7)
   */
  delete(
    input: { readonly project_id?: string } & RecordDeletion = {},
    options?: CallOptions,
  ): Promise<DeletedRecords> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/traces/delete', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * List the columns that traces can be filtered, sorted and shown by. Standard columns, and
   * those of metrics, user metadata and ratings that the records in question have. (contract
   * 4.1)
   */
  columns(
    input: { readonly project_id?: string } & ColumnQuery = {},
    options?: CallOptions,
  ): Promise<ColumnList> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/traces/available_columns',
        isRead: true,
        schemes: 'KB',
      },
      input,
      options,
    );
  }
}
