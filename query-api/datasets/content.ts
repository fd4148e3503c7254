import type { DatasetRow, DatasetVersion } from '../../contract/dataset-content.js';
import { defaultPageLimit, pageInfo, type PageRequest } from '../../contract/envelope.js';
import type { UserBlock } from '../../contract/people.js';
import { readCell, chunkSlices, type ContentRow } from '../../kernel/dataset-content.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import { chunkKey, datasetRows } from '../../projections/dataset-rows.js';
import {
  datasetVersions,
  datasetVersionKey,
  type StoredDatasetVersion,
} from '../../projections/dataset-versions.js';
import { readUserBlocks } from '../user-blocks.js';

type ContentQuery = {
  readonly organization: string;
  readonly dataset: string;
  readonly version: number;
  readonly page: PageRequest;
};

/**
 * Offset pagination: one page of the rows of a version (contract 5.11). Throws Fault `not-found`
 * for an unknown version.
 */
export const readContentPage = async (
  documents: Documents,
  { organization, dataset, version, page }: ContentQuery,
) => {
  const document = await documents.get<StoredDatasetVersion>(
    datasetVersions.collection,
    datasetVersionKey(dataset, version),
  );
  if (document === null) throw new Fault('not-found', 'Dataset version not found');
  const { facts, columns, parts } = document.body;
  const offset = page.starting_token ?? 0;
  const stretches = chunkSlices(parts, offset, page.limit ?? defaultPageLimit);
  const chunks = await documents.load(
    datasetRows.collection,
    stretches.map(({ content, chunk }) => chunkKey(content, chunk)),
  );
  const rows = stretches.flatMap(({ content, chunk, from, to }) =>
    ((chunks.get(chunkKey(content, chunk))?.body ?? []) as readonly ContentRow[]).slice(from, to),
  );
  const origins = await originsOf(documents, { organization, dataset, rows });
  return {
    ...pageInfo(page, rows.length, offset + rows.length < facts.num_rows),
    column_names: columns.map(({ name }) => name),
    warning_message: null,
    rows: rows.map((row, index): DatasetRow => {
      const values = columns.map((column) => readCell(row, column));
      return {
        row_id: row.id,
        index: offset + index,
        values,
        values_dict: Object.fromEntries(columns.map(({ name }, at) => [name, values[at] ?? null])),
        metadata: {
          created_in_version: row.made,
          created_at: origins(row.made).created_at,
          created_by_user: origins(row.made).user,
          updated_in_version: row.edited,
          updated_at: origins(row.edited).created_at,
          updated_by_user: origins(row.edited).user,
        },
      };
    }),
  };
};

type Origin = { readonly created_at: DatasetVersion['created_at']; readonly user: UserBlock };

/** Author and time of each version that the rows refer to. */
const originsOf = async (
  documents: Documents,
  {
    organization,
    dataset,
    rows,
  }: Pick<ContentQuery, 'organization' | 'dataset'> & {
    readonly rows: readonly ContentRow[];
  },
): Promise<(version: number) => Origin> => {
  const named = new Set(rows.flatMap(({ made, edited }) => [made, edited]));
  const found = await documents.load(
    datasetVersions.collection,
    [...named].map((one) => datasetVersionKey(dataset, one)),
  );
  const versions = [...found.values()].map(({ body }) => (body as StoredDatasetVersion).facts);
  const people = await readUserBlocks(
    documents,
    organization,
    versions.map((one) => one.created_by),
  );
  const origins = new Map(
    versions.map(({ version_index, created_at, created_by }) => [
      version_index,
      { created_at, user: people.get(created_by) ?? null },
    ]),
  );
  return (version) => {
    const origin = origins.get(version);
    if (origin === undefined) throw new Error(`a row of ${dataset} names version ${version}`);
    return origin;
  };
};
