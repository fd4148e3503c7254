// Written by npm run client:typescript from the contract: change that.
import type { DatasetEdit, DatasetFilter, DatasetSort, DatasetVersion } from './datasets-types.js';

export type DatasetVersionPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Versions on this page, newest first. */
  readonly versions: readonly DatasetVersion[];
};

export type EditDatasetContent = {
  /** Edits in order, 1 to 1,000, done all or none. */
  readonly edits: readonly DatasetEdit[];
};

export type QueryDatasetVersions = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
};

export type QueryDatasets = {
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly DatasetFilter[] | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: DatasetSort | null;
};

export type ReplaceDatasetContent = {
  /** Version whose content comes back; null: another dataset is named. */
  readonly rollback_version?: number | null;
  /** Dataset whose content is taken; null: the same one is rolled back. */
  readonly dataset_id?: string | null;
  /** Version of that dataset; null: a rollback. */
  readonly version_index?: number | null;
};
