// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download, Paged } from '../call.js';
import type {
  LogSpans,
  LogSpansResponse,
  SpanFieldsPage,
  SpanPage,
  UpdateSpan,
  UpdateSpanResponse,
} from './spans-types.js';
import type { ColumnList, ColumnQuery } from './traces-types.js';
import type { RecordCount, RecordExport, RecordQuery } from './traces-types-3.js';
import type { SpanTree } from './traces-types-4.js';

/** The steps of a trace: calls of models, retrievers and tools, workflows, agents. */
export class Spans {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Log more spans of a trace. For a trace that exists; a `parent_id` that is not there yet
   * is waited for, and meanwhile the trace stands in. A malformed span is rejected alone.
   * (contract 5.6)
   */
  log(
    input: { readonly project_id?: string } & LogSpans,
    options?: CallOptions,
  ): Promise<LogSpansResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/spans', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Change a span. Members that are given overwrite; tags are added, metrics merged by name.
   * (contract 5.6)
   */
  update(
    input: { readonly project_id?: string; readonly span_id: string } & UpdateSpan,
    options?: CallOptions,
  ): Promise<UpdateSpanResponse> {
    return this.#call.answer(
      { method: 'PATCH', path: '/projects/{project_id}/spans/{span_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Search spans. Flat, without the tree of spans; newest first unless `sort` says otherwise.
   * Without a run, the whole project is searched. (contract 5.7)
   */
  search(
    input?: { readonly project_id?: string } & RecordQuery & { readonly fields?: null },
    options?: CallOptions,
  ): Paged<SpanPage, SpanPage['records'][number]>;
  /**
   * Search spans. Flat, without the tree of spans; newest first unless `sort` says otherwise.
   * Without a run, the whole project is searched. (contract 5.7)
   */
  search(
    input: { readonly project_id?: string } & RecordQuery,
    options?: CallOptions,
  ): Paged<SpanFieldsPage, SpanFieldsPage['records'][number]>;
  search(
    input: { readonly project_id?: string } & RecordQuery = {},
    options?: CallOptions,
  ): Paged<SpanPage | SpanFieldsPage, (SpanPage | SpanFieldsPage)['records'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/projects/{project_id}/spans/search', isRead: true },
      input,
      options,
      'records',
    );
  }
  /**
   * Count spans. All that the same search would find; its page is ignored. (contract 5.7)
   */
  count(
    input: { readonly project_id?: string } & RecordQuery = {},
    options?: CallOptions,
  ): Promise<RecordCount> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/spans/count', isRead: true },
      input,
      options,
    );
  }
  /**
   * All spans of a search, as a file. JSON Lines, or CSV with `format: csv`; sent while it is
   * made, so it is whole only when its transfer ended as HTTP says. In CSV a text that a
   * spreadsheet would run begins with `'`, unless `formulas` is `keep`. (contract 5.7)
   */
  export(
    input: { readonly project_id?: string } & RecordExport = {},
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      { method: 'POST', path: '/projects/{project_id}/spans/export', isRead: true },
      input,
      options,
    );
  }
  /**
   * Read a span with the tree below it. Siblings are in the order of `step_number`,
   * `created_at` and `id`. With `tree=false` the spans below it are neither read nor
   * answered. (contract 5.7)
   */
  get(
    input: {
      readonly project_id?: string;
      readonly span_id: string;
      readonly tree?: boolean;
      readonly otel?: boolean;
    },
    options?: CallOptions,
  ): Promise<SpanTree> {
    return this.#call.answer(
      {
        method: 'GET',
        path: '/projects/{project_id}/spans/{span_id}',
        isRead: true,
        query: 'tree otel',
      },
      input,
      options,
    );
  }
  /**
   * List the columns that spans can be filtered, sorted and shown by. Standard columns, and
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
        path: '/projects/{project_id}/spans/available_columns',
        isRead: true,
        schemes: 'KB',
      },
      input,
      options,
    );
  }
}
