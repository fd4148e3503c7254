// Written by npm run client:typescript from the contract: change that.
import type { ListingNameFilter, Permission, UserSummary } from './projects-types.js';

export type AppendRow = {
  readonly edit_type: 'append_row';
  readonly values: Readonly<Record<string, DatasetCell>>;
  readonly row_id?: string | null;
};

export type ChangeDataset = {
  readonly name?:
    string | { readonly value: string; readonly append_suffix_if_duplicate?: boolean } | null;
  readonly column_mapping?: DatasetColumnMappingInput | null;
  readonly draft?: false | null;
};

export type CreateDataset = {
  readonly file?: Blob;
  readonly name?: string | null;
  readonly draft?: boolean | null;
  readonly append_suffix_if_duplicate?: boolean | null;
  readonly project_id?: string | null;
  readonly column_mapping?: DatasetColumnMappingInput | null;
  readonly copy_from_dataset_id?: string | null;
  readonly copy_from_dataset_version_index?: number | null;
};

export type Dataset = {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly project_count: number;
  readonly num_rows: number;
  readonly column_names: readonly string[];
  readonly created_by_user: UserSummary | null;
  readonly current_version_index: number;
  readonly draft: boolean;
  readonly permissions: readonly Permission[];
  readonly column_mapping: DatasetColumnMapping | null;
};

export type DatasetCell = string | number | null | Readonly<Record<string, DatasetCellScalar>>;

export type DatasetCellScalar = string | number | null;

export type DatasetColumnMapping = {
  readonly input: DatasetColumnRole | null;
  readonly output: DatasetColumnRole | null;
  readonly generated_output: DatasetColumnRole | null;
  readonly metadata: DatasetColumnRole | null;
  readonly mgt: Readonly<Record<string, DatasetColumnRole | null>> | null;
};

export type DatasetColumnMappingInput = {
  readonly input?: DatasetColumnRoleInput | null;
  readonly output?: DatasetColumnRoleInput | null;
  readonly generated_output?: DatasetColumnRoleInput | null;
  readonly metadata?: DatasetColumnRoleInput | null;
  readonly mgt?: Readonly<Record<string, DatasetColumnRoleInput>> | null;
};

export type DatasetColumnRole = { readonly columns: readonly string[]; readonly flatten: boolean };

export type DatasetColumnRoleInput =
  { readonly columns: readonly string[]; readonly flatten?: boolean } | readonly string[];

export type DatasetEdit =
  PrependRow | AppendRow | UpdateRow | DeleteRow | FilterRows | RemoveColumn | RenameColumn;

export type DatasetFilter =
  | ListingNameFilter
  | { readonly name: 'draft'; readonly operator?: 'eq' | 'ne'; readonly value: boolean }
  | ListingIdFilter
  | { readonly name: 'used_in_project' | 'not_in_project'; readonly value: string };

export type DatasetPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly datasets: readonly Dataset[];
};

export type DatasetRow = {
  readonly row_id: string;
  readonly index: number;
  readonly values: readonly DatasetCell[];
  readonly values_dict: Readonly<Record<string, DatasetCell>>;
  readonly metadata: DatasetRowMetadata;
};

export type DatasetRowMetadata = {
  readonly created_in_version: number;
  readonly created_at: string;
  readonly created_by_user: UserSummary | null;
  readonly updated_in_version: number;
  readonly updated_at: string;
  readonly updated_by_user: UserSummary | null;
};

export type DatasetRowPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly rows: readonly DatasetRow[];
  readonly column_names: readonly string[];
  readonly warning_message: string | null;
};

export type DatasetSort = {
  readonly name: 'name' | 'created_at' | 'updated_at' | 'num_rows' | 'project_count';
  readonly ascending?: boolean;
  readonly sort_type?: 'column' | null;
};

export type DatasetVersion = {
  readonly version_index: number;
  readonly name: string;
  readonly created_at: string;
  readonly created_by_user: UserSummary | null;
  readonly num_rows: number;
  readonly column_names: readonly string[];
  readonly rows_added: number;
  readonly rows_removed: number;
  readonly rows_edited: number;
  readonly columns_added: number;
  readonly columns_removed: number;
  readonly columns_renamed: number;
};

export type DatasetVersionPage = {
  readonly starting_token: number;
  readonly limit: number;
  readonly paginated: boolean;
  readonly next_starting_token: number | null;
  readonly versions: readonly DatasetVersion[];
};

export type DeleteRow = { readonly edit_type: 'delete_row'; readonly row_id: string };

export type EditDatasetContent = { readonly edits: readonly DatasetEdit[] };

export type FilterRows = { readonly edit_type: 'filter_rows'; readonly row_ids: readonly string[] };

export type ListingIdFilter = {
  readonly name: 'id';
  readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
  readonly value: string | readonly string[];
};

export type PrependRow = {
  readonly edit_type: 'prepend_row';
  readonly values: Readonly<Record<string, DatasetCell>>;
  readonly row_id?: string | null;
};

export type QueryDatasetVersions = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
};

export type QueryDatasets = {
  readonly starting_token?: number | null;
  readonly limit?: number | null;
  readonly filters?: readonly DatasetFilter[] | null;
  readonly sort?: DatasetSort | null;
};

export type RemoveColumn = { readonly edit_type: 'remove_column'; readonly column_name: string };

export type RenameColumn = {
  readonly edit_type: 'rename_column';
  readonly column_name: string;
  readonly new_column_name: string;
};

export type ReplaceDatasetContent = {
  readonly rollback_version?: number | null;
  readonly dataset_id?: string | null;
  readonly version_index?: number | null;
};

export type UpdateRow = {
  readonly edit_type: 'update_row';
  readonly row_id: string;
  readonly values: Readonly<Record<string, DatasetCell>>;
};
