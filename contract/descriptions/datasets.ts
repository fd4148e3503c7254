import type { Descriptions } from './descriptions.js';

/** Datasets, their versions and rows (contract 4.7, 5.11). */
export const datasetDescriptions: Descriptions = {
  members: {
    dataset_id: 'Id of the dataset.',
    version_index: 'Number of the version, from 1.',
    draft: 'True while the dataset is not published.',
    copy_from_dataset_id: 'Dataset whose content is copied; null: none.',
    copy_from_dataset_version_index: 'Version that is copied; null: the current one.',
    column_names: 'Names of the columns of the version, in order.',
    project_count: 'Number of projects that the dataset is linked to.',
    num_rows: 'Number of rows of the version.',
    current_version_index: 'Number of the current version; 1 for the first content.',
    columns: 'Names of the columns of the role, 500 at most.',
    flatten: 'True spreads cells that are objects instead of nesting them by column.',
    generated_output: 'Columns of an output under test; null: none.',
    mgt: 'Columns with the correct values by metric (ground truth); null: none.',
    datasets: 'Datasets on this page.',
    versions: 'Versions on this page, newest first.',
    rows: 'Rows of the page, in order.',
    row_id: 'Id of the row; the same in later versions.',
    row_ids: 'Ids of the rows that are kept.',
    values: 'Cells by column name; a new column is added at the end.',
    values_dict: 'Cells by column name.',
    warning_message: 'Always null.',
    created_in_version: 'Version in which the row came.',
    updated_in_version: 'Version in which the row last changed.',
    updated_by_user: 'User who last changed the row; null: removed.',
    rows_added: 'Number of rows that came with the version.',
    rows_removed: 'Number of rows that went with the version.',
    rows_edited: 'Number of rows that changed with the version.',
    columns_added: 'Number of columns that came with the version.',
    columns_removed: 'Number of columns that went with the version.',
    columns_renamed: 'Number of columns that the version renamed.',
    edits: 'Edits in order, 1 to 1,000, done all or none.',
    edit_type: 'Kind of the edit.',
    column_name: 'Name of the column.',
    new_column_name: 'Next name of the column.',
    rollback_version: 'Version whose content comes back; null: another dataset is named.',
    file: 'File with the rows (CSV, JSON or JSON Lines), at most 32 MiB.',
    metadata: 'Columns of the metadata role; null: none.',
  },
  of: [
    {
      components: 'Dataset',
      members: {
        id: 'Id of the dataset.',
        name: 'Name of the dataset, unique in the organisation.',
        column_mapping: 'Columns by their role; null: never set.',
      },
    },
    {
      components: 'ChangeDataset',
      members: {
        name: 'Name, or name with a rule for one that is taken; null: unchanged.',
        'name.value': 'Name of the dataset, 1 to 255 characters.',
        column_mapping: 'Mapping that replaces the present one; null: unchanged.',
        draft: 'False publishes the dataset; null: unchanged.',
        'name.append_suffix_if_duplicate': 'True takes the next free name: `name (1)`, …',
      },
    },
    {
      components: 'CreateDataset',
      members: {
        name: 'Name of the dataset; null: name of the file without its ending.',
        draft: 'True makes a draft; null: false.',
        project_id: 'Home project of the dataset; null: none, or that of a bound key.',
        column_mapping: 'Columns by their role, as JSON text; null: none.',
        append_suffix_if_duplicate: 'True takes the next free name; null: false.',
      },
    },
    {
      components: 'DatasetColumnMapping DatasetColumnMappingInput',
      members: {
        input: 'Columns of the input; null: none.',
        output: 'Columns of the reference output; null: none.',
      },
    },
    {
      components: 'ExperimentDataset',
      members: { name: 'Present name of the dataset; null: deleted.' },
    },
    {
      components: 'DatasetRow',
      members: {
        index: 'Place of the row in the version, from 0.',
        values: 'Cells in the order of `column_names`.',
        metadata: 'Versions, times and users of the row.',
      },
    },
    {
      components: 'AppendRow PrependRow',
      members: { row_id: 'Id that the row gets; null: the service makes one.' },
    },
    {
      components: 'DatasetVersion',
      members: { name: 'Name of the version.' },
    },
    {
      components: 'ReplaceDatasetContent',
      members: {
        dataset_id: 'Dataset whose content is taken; null: the same one is rolled back.',
        version_index: 'Version of that dataset; null: a rollback.',
      },
    },
    {
      components: 'DatasetRecords',
      members: {
        project_id: 'Project whose records are added.',
        kind: 'Records that are added; null: `traces`.',
        columns: 'Column of the record by column of the dataset; null: `input` and `output`.',
      },
    },
    {
      components: 'AddedDatasetRecords',
      members: {
        version_index: 'Current version after the call.',
        added_count: 'Number of rows that came.',
        present_count: 'Number of records that had a row already.',
        left_out: 'Ids of records whose cells are too large for a row.',
        next_starting_token: 'Offset of the next page; null after the last page.',
      },
    },
    {
      components: 'DatasetRowMetadata',
      members: {
        created_at: 'Time at which the row came.',
        updated_at: 'Time at which the row last changed.',
        created_by_user: 'User who added the row; null: removed.',
      },
    },
  ],
};
