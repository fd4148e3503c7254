// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, WaitOptions } from '../call.js';
import type { DeleteByMetadata, DeleteByMetadataResponse, Job, OrgJob } from './jobs-types.js';

/** Work in the background: of a run, or of the whole organisation. */
export class Jobs {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Work in the background. The id of a validation's job is that of its task. (contract 5.13)
   */
  get(input: { readonly job_id: string }, options?: CallOptions): Promise<Job> {
    return this.#call.answer(
      { method: 'GET', path: '/jobs/{job_id}', isRead: true },
      input,
      options,
    );
  }
  /** Asks get until it is over and resolves with the last answer, however it ended. */
  wait(input: { readonly job_id: string }, options?: WaitOptions<Job>): Promise<Job> {
    return this.#call.wait({ method: 'GET', path: '/jobs/{job_id}', isRead: true }, input, options);
  }
  /** Work in the background for a run, newest first. At most 100. (contract 5.13) */
  listOfRun(
    input: { readonly project_id?: string; readonly run_id: string },
    options?: CallOptions,
  ): Promise<readonly Job[]> {
    return this.#call.answer(
      { method: 'GET', path: '/projects/{project_id}/runs/{run_id}/jobs', isRead: true },
      input,
      options,
    );
  }
  /**
   * Delete all sessions and traces of the organisation that have a metadata entry. Runs in
   * the background: poll the job. Its texts cannot be restored. With `dry_run` no job is
   * made: `matched` says what it would delete, `ids` are the first 1,000. (contract 5.13)
   */
  deleteByMetadata(
    input: { readonly immediate?: boolean } & DeleteByMetadata,
    options?: CallOptions,
  ): Promise<DeleteByMetadataResponse> {
    return this.#call.answer(
      { method: 'POST', path: '/org-jobs/delete-by-metadata', isKeyed: true, query: 'immediate' },
      input,
      options,
    );
  }
  /**
   * Read an organisation job. `metadata_value` is shown to admins only. (contract 4.14)
   */
  ofOrganization(input: { readonly job_id: string }, options?: CallOptions): Promise<OrgJob> {
    return this.#call.answer(
      { method: 'GET', path: '/org-jobs/{job_id}', isRead: true, schemes: 'KB' },
      input,
      options,
    );
  }
  /** Asks ofOrganization until it is over and resolves with the last answer, however it ended. */
  waitOfOrganization(
    input: { readonly job_id: string },
    options?: WaitOptions<OrgJob>,
  ): Promise<OrgJob> {
    return this.#call.wait(
      { method: 'GET', path: '/org-jobs/{job_id}', isRead: true, schemes: 'KB' },
      input,
      options,
    );
  }
}
