// Written by npm run generate from the contract: change that.
import type { Call, CallOptions, Download, Paged } from '../call.js';
import type {
  AddedDatasetRecords,
  ChangeDataset,
  CreateDataset,
  Dataset,
  DatasetPage,
  DatasetRecords,
  DatasetRowPage,
} from './datasets-types.js';
import type {
  DatasetVersionPage,
  EditDatasetContent,
  QueryDatasetVersions,
  QueryDatasets,
  ReplaceDatasetContent,
} from './datasets-types-2.js';
import type { Message, ProjectPage } from './projects-types.js';

/** Tables of inputs and expected outputs; every change of content is a version. */
export class Datasets {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /**
   * Create a dataset from a file, from another one or empty. Columns and rows are those of
   * the file (CSV, JSON or JSON lines), of the dataset named, or none. `project_id` becomes
   * its home. (contract 5.11)
   */
  create(
    input: { readonly format?: 'csv' | 'json' | 'jsonl' } & CreateDataset = {},
    options?: CallOptions,
  ): Promise<Dataset> {
    return this.#call.answer(
      { method: 'POST', path: '/datasets', isKeyed: true, query: 'format', sends: 'form' },
      input,
      options,
    );
  }
  /**
   * Visible datasets, paged. Of the whole organisation, as far as the caller may read them.
   * (contract 5.11)
   */
  list(
    input: { readonly starting_token?: number; readonly limit?: number } = {},
    options?: CallOptions,
  ): Paged<DatasetPage, DatasetPage['datasets'][number]> {
    return this.#call.pages(
      { method: 'GET', path: '/datasets', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'datasets',
    );
  }
  /**
   * Visible datasets, filtered, sorted and paged. By name, draft, id or use in a project.
   * (contract 5.11)
   */
  query(
    input: QueryDatasets = {},
    options?: CallOptions,
  ): Paged<DatasetPage, DatasetPage['datasets'][number]> {
    return this.#call.pages(
      { method: 'POST', path: '/datasets/query', isRead: true, query: 'starting_token limit' },
      input,
      options,
      'datasets',
    );
  }
  /**
   * One dataset. The `ETag` can be sent as `If-Match`; `as_of` shows it as it was. (contract
   * 5.11)
   */
  get(
    input: { readonly dataset_id: string; readonly as_of?: string },
    options?: CallOptions,
  ): Promise<Dataset> {
    return this.#call.answer(
      { method: 'GET', path: '/datasets/{dataset_id}', isRead: true, query: 'as_of' },
      input,
      options,
    );
  }
  /**
   * Rename a dataset, map its columns or publish it. A published dataset does not become a
   * draft again. (contract 4.7)
   */
  change(
    input: { readonly dataset_id: string } & ChangeDataset,
    options?: CallOptions,
  ): Promise<Dataset> {
    return this.#call.answer(
      { method: 'PATCH', path: '/datasets/{dataset_id}', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Visible projects that a dataset is linked to. Projects that the caller cannot see are
   * left out. (contract 5.11)
   */
  listProjects(
    input: {
      readonly dataset_id: string;
      readonly starting_token?: number;
      readonly limit?: number;
    },
    options?: CallOptions,
  ): Paged<ProjectPage, ProjectPage['projects'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/datasets/{dataset_id}/projects',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'projects',
    );
  }
  /**
   * Link a dataset to a project. Viewers of the project may read it from then on. (contract
   * 5.11)
   */
  link(
    input: { readonly dataset_id: string; readonly project_id: string },
    options?: CallOptions,
  ): Promise<Dataset> {
    return this.#call.answer(
      { method: 'PUT', path: '/datasets/{dataset_id}/projects/{project_id}' },
      input,
      options,
    );
  }
  /**
   * Remove the link from a dataset to a project. The home project stays linked (409);
   * experiments that use the dataset keep their link. (contract 5.11)
   */
  unlink(
    input: { readonly dataset_id: string; readonly project_id: string },
    options?: CallOptions,
  ): Promise<Dataset> {
    return this.#call.answer(
      { method: 'DELETE', path: '/datasets/{dataset_id}/projects/{project_id}' },
      input,
      options,
    );
  }
  /** Delete a dataset; its rows are erased. Experiments keep its id. (contract 5.11) */
  delete(input: { readonly dataset_id: string }, options?: CallOptions): Promise<Message> {
    return this.#call.answer({ method: 'DELETE', path: '/datasets/{dataset_id}' }, input, options);
  }
  /**
   * Rows of a dataset. Of the current version; `as_of` shows it as it was. (contract 5.11)
   */
  content(
    input: {
      readonly dataset_id: string;
      readonly starting_token?: number;
      readonly limit?: number;
      readonly as_of?: string;
    },
    options?: CallOptions,
  ): Paged<DatasetRowPage, DatasetRowPage['rows'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/datasets/{dataset_id}/content',
        isRead: true,
        query: 'starting_token limit as_of',
      },
      input,
      options,
      'rows',
    );
  }
  /**
   * Edit rows and columns: one new version. Edits are applied in order, all or none. Edits
   * that change nothing leave no version. (contract 5.11)
   */
  editContent(
    input: { readonly dataset_id: string } & EditDatasetContent,
    options?: CallOptions,
  ): Promise<void> {
    return this.#call.answer(
      { method: 'PATCH', path: '/datasets/{dataset_id}/content', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * A new version with the content of an older one or of another dataset. Either
   * `rollback_version`, or `dataset_id` with `version_index`. (contract 5.11)
   */
  replaceContent(
    input: { readonly dataset_id: string; readonly body: ReplaceDatasetContent },
    options?: CallOptions,
  ): Promise<void> {
    return this.#call.answer(
      { method: 'PUT', path: '/datasets/{dataset_id}/content', sends: 'whole' },
      input,
      options,
    );
  }
  /**
   * Add traces or spans of a project as rows: one new version. The records that a search with
   * the same members finds, as columns `input`, `output` and `trace_id` unless `columns` says
   * otherwise. A record that has a row already is not added. (contract 5.11)
   */
  appendRecords(
    input: { readonly dataset_id: string } & DatasetRecords,
    options?: CallOptions,
  ): Promise<AddedDatasetRecords> {
    return this.#call.answer(
      { method: 'POST', path: '/datasets/{dataset_id}/content/from_records', isKeyed: true },
      input,
      options,
    );
  }
  /**
   * Versions of a dataset, the newest first. Each with what it added, removed and edited.
   * (contract 5.11)
   */
  queryVersions(
    input: { readonly dataset_id: string } & QueryDatasetVersions,
    options?: CallOptions,
  ): Paged<DatasetVersionPage, DatasetVersionPage['versions'][number]> {
    return this.#call.pages(
      {
        method: 'POST',
        path: '/datasets/{dataset_id}/versions/query',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'versions',
    );
  }
  /** Rows of a version of a dataset. Every version stays readable. (contract 5.11) */
  versionContent(
    input: {
      readonly dataset_id: string;
      readonly version_index: number;
      readonly starting_token?: number;
      readonly limit?: number;
    },
    options?: CallOptions,
  ): Paged<DatasetRowPage, DatasetRowPage['rows'][number]> {
    return this.#call.pages(
      {
        method: 'GET',
        path: '/datasets/{dataset_id}/versions/{version_index}/content',
        isRead: true,
        query: 'starting_token limit',
      },
      input,
      options,
      'rows',
    );
  }
  /**
   * All rows of a version of a dataset, as a file. Of the current version unless
   * `version_index` says otherwise; JSON Lines, or CSV with `format=csv`. Whole only when its
   * transfer ended as HTTP says. (contract 5.11)
   */
  exportContent(
    input: {
      readonly dataset_id: string;
      readonly version_index?: number;
      readonly format?: 'jsonl' | 'csv';
      readonly formulas?: 'escape' | 'keep';
    },
    options?: CallOptions,
  ): Promise<Download> {
    return this.#call.download(
      {
        method: 'GET',
        path: '/datasets/{dataset_id}/content/export',
        isRead: true,
        query: 'version_index format formulas',
      },
      input,
      options,
    );
  }
}
