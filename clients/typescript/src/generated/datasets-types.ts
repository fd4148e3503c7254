// Written by npm run generate from the contract: change that.
import type { ListingNameFilter, Permission, UserSummary } from './projects-types.js';
import type { FilterLeaf, FilterNode } from './traces-types.js';
import type { RecordSort } from './traces-types-3.js';

export type AddedDatasetRecords = {
  /** Id of the dataset. */
  readonly dataset_id: string;
  /** Current version after the call. */
  readonly version_index: number;
  /** Number of rows that came. */
  readonly added_count: number;
  /** Number of records that had a row already. */
  readonly present_count: number;
  /** Ids of records whose cells are too large for a row. */
  readonly left_out: readonly string[];
  /** Offset of the next page; null after the last page. */
  readonly next_starting_token: number | null;
};

export type AppendRow = {
  /** Kind of the edit. */
  readonly edit_type: 'append_row';
  /** Cells by column name; a new column is added at the end. */
  readonly values: Readonly<Record<string, DatasetCell>>;
  /** Id that the row gets; null: the service makes one. */
  readonly row_id?: string | null;
};

export type ChangeDataset = {
  /** Name, or name with a rule for one that is taken; null: unchanged. */
  readonly name?:
    | string
    | {
        /** Name of the dataset, 1 to 255 characters. */
        readonly value: string;
        /** True takes the next free name: `name (1)`, … Default: false. */
        readonly append_suffix_if_duplicate?: boolean;
      }
    | null;
  /** Mapping that replaces the present one; null: unchanged. */
  readonly column_mapping?: DatasetColumnMappingInput | null;
  /** False publishes the dataset; null: unchanged. */
  readonly draft?: false | null;
};

export type CreateDataset = {
  /** File with the rows (CSV, JSON or JSON Lines), at most 32 MiB. */
  readonly file?: Blob;
  /** Name of the dataset; null: name of the file without its ending. */
  readonly name?: string | null;
  /** True makes a draft; null: false. */
  readonly draft?: boolean | null;
  /** True takes the next free name; null: false. */
  readonly append_suffix_if_duplicate?: boolean | null;
  /** Home project of the dataset; null: none, or that of a bound key. */
  readonly project_id?: string | null;
  /** Columns by their role, as JSON text; null: none. */
  readonly column_mapping?: DatasetColumnMappingInput | null;
  /** Dataset whose content is copied; null: none. */
  readonly copy_from_dataset_id?: string | null;
  /** Version that is copied; null: the current one. */
  readonly copy_from_dataset_version_index?: number | null;
};

export type Dataset = {
  /** Id of the dataset. */
  readonly id: string;
  /** Name of the dataset, unique in the organisation. */
  readonly name: string;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Number of projects that the dataset is linked to. */
  readonly project_count: number;
  /** Number of rows of the version. */
  readonly num_rows: number;
  /** Names of the columns of the version, in order. */
  readonly column_names: readonly string[];
  /** User who created it; null: removed, or the service itself. */
  readonly created_by_user: UserSummary | null;
  /** Number of the current version; 1 for the first content. */
  readonly current_version_index: number;
  /** True while the dataset is not published. */
  readonly draft: boolean;
  /** Actions that the caller may and may not do with the object, in fixed order. */
  readonly permissions: readonly Permission[];
  /** Columns by their role; null: never set. */
  readonly column_mapping: DatasetColumnMapping | null;
};

export type DatasetCell = string | number | null | Readonly<Record<string, DatasetCellScalar>>;

export type DatasetCellScalar = string | number | null;

export type DatasetColumnMapping = {
  /** Columns of the input; null: none. */
  readonly input: DatasetColumnRole | null;
  /** Columns of the reference output; null: none. */
  readonly output: DatasetColumnRole | null;
  /** Columns of an output under test; null: none. */
  readonly generated_output: DatasetColumnRole | null;
  /** Columns of the metadata role; null: none. */
  readonly metadata: DatasetColumnRole | null;
  /** Columns with the correct values by metric (ground truth); null: none. */
  readonly mgt: Readonly<Record<string, DatasetColumnRole | null>> | null;
};

export type DatasetColumnMappingInput = {
  /** Columns of the input; null: none. */
  readonly input?: DatasetColumnRoleInput | null;
  /** Columns of the reference output; null: none. */
  readonly output?: DatasetColumnRoleInput | null;
  /** Columns of an output under test; null: none. */
  readonly generated_output?: DatasetColumnRoleInput | null;
  /** Columns of the metadata role; null: none. */
  readonly metadata?: DatasetColumnRoleInput | null;
  /** Columns with the correct values by metric (ground truth); null: none. */
  readonly mgt?: Readonly<Record<string, DatasetColumnRoleInput>> | null;
};

export type DatasetColumnRole = {
  /** Names of the columns of the role, 500 at most. */
  readonly columns: readonly string[];
  /** True spreads cells that are objects instead of nesting them by column. */
  readonly flatten: boolean;
};

export type DatasetColumnRoleInput =
  | {
      /** Names of the columns of the role, 500 at most. */
      readonly columns: readonly string[];
      /**
       * True spreads cells that are objects instead of nesting them by column. Default: false.
       */
      readonly flatten?: boolean;
    }
  | readonly string[];

export type DatasetEdit =
  PrependRow | AppendRow | UpdateRow | DeleteRow | FilterRows | RemoveColumn | RenameColumn;

export type DatasetFilter =
  | ListingNameFilter
  | {
      /** `draft`, or the link to a project that the condition is about. */
      readonly name: 'draft';
      /** Comparison of the column with `value`. Default: "eq". */
      readonly operator?: 'eq' | 'ne';
      /** Boolean for `draft`; id of the project for the others. */
      readonly value: boolean;
    }
  | ListingIdFilter
  | {
      /** `draft`, or the link to a project that the condition is about. */
      readonly name: 'used_in_project' | 'not_in_project';
      /** Boolean for `draft`; id of the project for the others. */
      readonly value: string;
    };

export type DatasetPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Datasets on this page. */
  readonly datasets: readonly Dataset[];
};

export type DatasetRecords = {
  /** Project whose records are added. */
  readonly project_id: string;
  /** Records that are added; null: `traces`. */
  readonly kind?: 'traces' | 'spans' | null;
  /** Column of the record by column of the dataset; null: `input` and `output`. */
  readonly columns?: Readonly<Record<string, string>> | null;
  /** Log stream; at most one of the three run members may be given. */
  readonly log_stream_id?: string | null;
  /** Experiment; at most one of the three run members may be given. */
  readonly experiment_id?: string | null;
  /** Metrics-testing run; at most one of the three run members may be given. */
  readonly metrics_testing_id?: string | null;
  /** Conditions that must all hold, 100 at most; null or empty: no condition. */
  readonly filters?: readonly FilterLeaf[] | null;
  /** Node of conditions, which must hold beside `filters`; null: no condition. */
  readonly filter_tree?: FilterNode | null;
  /** Order of the rows; null: newest `created_at` first, then `id` descending. */
  readonly sort?: RecordSort | null;
  /** Earliest `created_at`, included; null: no lower end. */
  readonly start_time?: string | null;
  /** Latest `created_at`, included; null: no upper end. */
  readonly end_time?: string | null;
  /** Offset of the first row of the page, from 0. Default: 0. */
  readonly starting_token?: number | null;
  /** Rows of one page at most, 1 to 1,000. Default: 100. */
  readonly limit?: number | null;
};

export type DatasetRow = {
  /** Id of the row; the same in later versions. */
  readonly row_id: string;
  /** Place of the row in the version, from 0. */
  readonly index: number;
  /** Cells in the order of `column_names`. */
  readonly values: readonly DatasetCell[];
  /** Cells by column name. */
  readonly values_dict: Readonly<Record<string, DatasetCell>>;
  /** Versions, times and users of the row. */
  readonly metadata: DatasetRowMetadata;
};

export type DatasetRowMetadata = {
  /** Version in which the row came. */
  readonly created_in_version: number;
  /** Time at which the row came. */
  readonly created_at: string;
  /** User who added the row; null: removed. */
  readonly created_by_user: UserSummary | null;
  /** Version in which the row last changed. */
  readonly updated_in_version: number;
  /** Time at which the row last changed. */
  readonly updated_at: string;
  /** User who last changed the row; null: removed. */
  readonly updated_by_user: UserSummary | null;
};

export type DatasetRowPage = {
  /** Offset of the first row of the page, from 0. */
  readonly starting_token: number;
  /** Rows that this page may have, as requested. */
  readonly limit: number;
  /** True when this page is not the whole result. */
  readonly paginated: boolean;
  /** `starting_token` of the next page; null on the last page. */
  readonly next_starting_token: number | null;
  /** Rows of the page, in order. */
  readonly rows: readonly DatasetRow[];
  /** Names of the columns of the version, in order. */
  readonly column_names: readonly string[];
  /** Always null. */
  readonly warning_message: string | null;
};

export type DeleteRow = {
  /** Kind of the edit. */
  readonly edit_type: 'delete_row';
  /** Id of the row; the same in later versions. */
  readonly row_id: string;
};

export type FilterRows = {
  /** Kind of the edit. */
  readonly edit_type: 'filter_rows';
  /** Ids of the rows that are kept. */
  readonly row_ids: readonly string[];
};

export type ListingIdFilter = {
  /** Column that the condition is about. */
  readonly name: 'id';
  /** Comparison of the column with `value`. Default: "eq". */
  readonly operator?: 'eq' | 'ne' | 'one_of' | 'not_in' | 'contains';
  /** Id; list for `one_of`, `not_in`. */
  readonly value: string | readonly string[];
};

export type PrependRow = {
  /** Kind of the edit. */
  readonly edit_type: 'prepend_row';
  /** Cells by column name; a new column is added at the end. */
  readonly values: Readonly<Record<string, DatasetCell>>;
  /** Id that the row gets; null: the service makes one. */
  readonly row_id?: string | null;
};

export type RemoveColumn = {
  /** Kind of the edit. */
  readonly edit_type: 'remove_column';
  /** Name of the column. */
  readonly column_name: string;
};

export type RenameColumn = {
  /** Kind of the edit. */
  readonly edit_type: 'rename_column';
  /** Name of the column. */
  readonly column_name: string;
  /** Next name of the column. */
  readonly new_column_name: string;
};

export type UpdateRow = {
  /** Kind of the edit. */
  readonly edit_type: 'update_row';
  /** Id of the row; the same in later versions. */
  readonly row_id: string;
  /** Cells by column name; a new column is added at the end. */
  readonly values: Readonly<Record<string, DatasetCell>>;
};
