// Written by npm run generate from the contract: change that.
import type { DatasetEdit, DatasetFilter } from './datasets-types.js';
import type { UserSummary } from './projects-types.js';

export type DatasetSort = {
  /** Column that the rows are sorted by; ties by `created_at`, then `id`. */
  readonly name: 'name' | 'created_at' | 'updated_at' | 'num_rows' | 'project_count';
  /** True sorts the lowest value first, false the highest. Default: true. */
  readonly ascending?: boolean;
  /** Kind of sorting; `column` is the only one. */
  readonly sort_type?: 'column' | null;
};

export type DatasetVersion = {
  /** Number of the version, from 1. */
  readonly version_index: number;
  /** Name of the version. */
  readonly name: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
  /** Number of rows of the version. */
  readonly num_rows: number;
  /** Names of the columns of the version, in order. */
  readonly column_names: readonly string[];
  /** Number of rows that came with the version. */
  readonly rows_added: number;
  /** Number of rows that went with the version. */
  readonly rows_removed: number;
  /** Number of rows that changed with the version. */
  readonly rows_edited: number;
  /** Number of columns that came with the version. */
  readonly columns_added: number;
  /** Number of columns that went with the version. */
  readonly columns_removed: number;
  /** Number of columns that the version renamed. */
  readonly columns_renamed: number;
};

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
