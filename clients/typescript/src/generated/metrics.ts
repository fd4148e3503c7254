// Written by npm run generate from the contract: change that.
import type { Call, CallOptions } from '../call.js';
import type { CustomSearch, CustomSearchResponse, MetricsTestingColumns } from './metrics-types.js';
import type { ColumnList } from './traces-types.js';

/** Measurements, over time and by group. */
export class Metrics {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Aggregate metrics over time buckets, filtered and grouped. Each widget has a value over
   * the whole window and one for each bucket and group. Traces are counted, unless `group_by`
   * or the filter names a column that only spans have; `population` settles it, and the
   * answer says it. `any_span.model` groups traces by a column of their spans, and a list
   * groups by up to three columns. (contract 4.5)
   */
  search(
    input: { readonly project_id?: string } & CustomSearch,
    options?: CallOptions,
  ): Promise<CustomSearchResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/projects/{project_id}/metrics/custom_search', isRead: true },
      input,
      options,
    );
  }
  /**
   * List the columns of traces with those of a metric under test. The metric under test is
   * listed although no record has a value of it yet. (contract 4.12)
   */
  testingColumns(
    input: { readonly project_id?: string } & MetricsTestingColumns,
    options?: CallOptions,
  ): Promise<ColumnList> {
    return this.#call.answer(
      {
        method: 'POST',
        path: '/projects/{project_id}/metrics-testing/available_columns',
        isRead: true,
      },
      input,
      options,
    );
  }
}
