// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download } from '../call.js';

/** The history in forms that others check and collect. */
export class HistoryExports {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * The history as lines of a bundle that can be checked without the service. The first line
   * is `{"begun", "cursor"}`: what the bundle is of, with the seal that it is checked by; the
   * last one `{"next_cursor"}`. Between them are entries with their data as stored, and
   * hashes in place of those that were not selected. verifier/ALGORITHM.md has the steps of
   * the check. (contract 5.14)
   */
  export(
    input: {
      readonly project_id?: string;
      readonly resource_type?:
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
      readonly resource_id?: string;
      readonly from?: string;
      readonly to?: string;
      readonly start_time?: string;
      readonly end_time?: string;
      readonly cursor?: string;
    } = {},
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      {
        method: 'GET',
        path: '/history/export',
        isRead: true,
        query: 'project_id resource_type resource_id from to start_time end_time cursor',
      },
      input,
      options,
    );
  }
  /**
   * Feed of audit events for a collector, one event per line. CloudEvents 1.0 or OCSF 1.7,
   * oldest first, at most 1,000 lines. The last line is `{"next_cursor"}`: send it with the
   * next request, also after an empty one. (contract 5.14)
   */
  feed(
    input: {
      readonly cursor?: string;
      readonly format?: 'cloudevents' | 'ocsf';
      readonly records?: boolean;
    } = {},
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      { method: 'GET', path: '/history/feed', isRead: true, query: 'cursor format records' },
      input,
      options,
    );
  }
  /**
   * Certificate of an erasure: what was erased, proofs and a signed statement. Exactly one of
   * the parameters. A line is an entry with its place in the sealed tree; the last one is
   * `{"certificate", "jws"}`, which says in words what is proven and what is only attested.
   * 409 while the content is not erased or the erasure not sealed. (contract 5.14)
   */
  certifyErasure(
    input: {
      readonly deletion_id?: string;
      readonly job_id?: string;
      readonly run_id?: string;
      readonly dataset_id?: string;
      readonly project_id?: string;
    } = {},
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      {
        method: 'GET',
        path: '/history/certificate',
        isRead: true,
        query: 'deletion_id job_id run_id dataset_id project_id',
      },
      input,
      options,
    );
  }
}
