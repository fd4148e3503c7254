import type { Dataset } from '../../clients/typescript/src/generated/datasets-types.js';
import type { UserSummary } from '../../clients/typescript/src/generated/projects-types.js';
import type {
  DatasetSort,
  DatasetVersion,
} from '../../clients/typescript/src/generated/datasets-types-2.js';
import {
  datasetPermit,
  organizationPermit,
  permitUnless,
  type Caller,
  type Permit,
} from '../parts/permits.js';
import { personName } from '../people/model.js';
import { countedText } from './changes.js';

/** Columns that the list can be sorted by. */
export const datasetSorts: readonly DatasetSort['name'][] = [
  'name',
  'created_at',
  'updated_at',
  'num_rows',
  'project_count',
];

/** Whether the caller may make datasets (contract 2.6, `creator`), or the reason if not. */
export const datasetCreationPermit = (caller: Caller | undefined): Permit<'creator'> => {
  const { project_id: project = null, project_role: limit } = caller?.credential ?? {};
  const isEditorOfOne = project !== null && (limit === 'editor' || limit === 'owner');
  return isEditorOfOne ? permitUnless('creator', null) : organizationPermit(caller, 'creator');
};

/**
 * Whether the caller may upload rows to the dataset, which the service reads as a dataset of their
 * own first.
 */
export const uploadPermit = (
  dataset: Pick<Dataset, 'permissions'>,
  caller: Caller | undefined,
): Permit<'creator'> => {
  const change = datasetPermit(dataset);
  return change.isAllowed ? datasetCreationPermit(caller) : { ...change, requires: 'creator' };
};

/** Name of an author; a removed one has none. */
export const authorName = (author: UserSummary | null): string =>
  author === null ? 'a removed user' : personName(author);

/** Changes of a version, in words: `1 row added, 2 rows edited, 1 column added`. */
export const versionText = (
  version: Pick<
    DatasetVersion,
    | 'rows_added'
    | 'rows_removed'
    | 'rows_edited'
    | 'columns_added'
    | 'columns_removed'
    | 'columns_renamed'
  >,
): string => {
  const parts = [
    [version.rows_added, 'row', 'added'],
    [version.rows_removed, 'row', 'removed'],
    [version.rows_edited, 'row', 'edited'],
    [version.columns_added, 'column', 'added'],
    [version.columns_removed, 'column', 'removed'],
    [version.columns_renamed, 'column', 'renamed'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, noun, what]) => `${countedText(count, noun)} ${what}`)
      .join(', ') || 'no change'
  );
};
