import type { createDataset } from '../../contract/datasets.js';
import type { Request } from '../../contract/operation.js';
import type { ContentChanged } from '../../events/datasets.js';
import type { ContentId, ContentTable } from '../../kernel/dataset-content.js';
import { Fault, validationFault, valueFault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { DatasetId, Static } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { visibleDataset } from '../access/dataset-visibility.js';
import { homeProjectOf } from '../access/home-visibility.js';
import { currentVersion, datasets, datasetStream, type Dataset } from '../facts/datasets.js';
import { storedParts, tableOf } from './versions.js';
import { create } from './datasets.js';
import { unknownColumns } from './column-mapping.js';
import type { WantedName } from '../facts/free-names.js';
import { claimDatasetName, transactNamed, type DatasetKey } from './names.js';
import type { DatasetNeeds } from './needs.js';
import {
  loadChunks,
  contentsFrom,
  layOutRows,
  newRows,
  storeRows,
  type RowLayout,
} from './row-storage.js';
import { uploadedDatasetName } from './upload.js';

type CreateDatasetRequest = Request<
  unknown,
  Static<(typeof createDataset)['query']>,
  Static<NonNullable<(typeof createDataset)['body']>>
>;

const noTable: ContentTable = { columns: [], rows: [] };

/**
 * Creates a dataset from a file, from a version of another dataset, or empty (contract 5.11). Its
 * rows are stored first, so the dataset appears with all of them or not at all.
 */
export const createDatasetFrom = async (
  needs: DatasetNeeds,
  request: CreateDatasetRequest,
): Promise<{ readonly dataset: Dataset; readonly position: Position }> => {
  const { ids, readTable } = needs;
  const { body, files, query, principal, cause, mint } = request;
  const file = files['file'];
  if (file !== undefined && body.copy_from_dataset_id != null) {
    throw valueFault(['body', 'copy_from_dataset_id'], 'give a file or a dataset, not both');
  }
  const wanted = uploadedDatasetName(body.name, file);
  const read = file === undefined ? null : await readTable(file, query.format ?? null);
  const home = await homeProjectOf(needs, principal, body.project_id ?? null);
  const { columns, rows } = read ?? (await copiedContent(needs, request)) ?? noTable;
  const mapping = body.column_mapping ?? null;
  const unknown = mapping === null ? [] : unknownColumns(mapping, new Set(columns));
  if (unknown.length > 0) throw validationFault(unknown);

  const id: DatasetId = mint('DatasetId');
  const content: ContentId = mint('ContentId');
  const organization = principal.organizationId;
  const rowId = (index: number) => ids.derive('RowId', content, String(index));
  const { parts, chunks } = await layOutRows([newRows(rows, 1, rowId)], contentsFrom(ids, content));
  const first: Omit<ContentChanged, 'name'> = {
    dataset_id: id,
    version_index: 1,
    content_id: content,
    source: body.copy_from_dataset_id == null ? 'file' : 'copy',
    created_by: principal.userId,
    created_at: cause.at,
    columns: columns.map((column, key) => ({ key, name: column })),
    parts: storedParts(parts),
    num_rows: rows.length,
    rows_added: rows.length,
    rows_removed: 0,
    rows_edited: 0,
    columns_added: columns.length,
    columns_removed: 0,
    columns_renamed: 0,
  };
  const facts = {
    dataset_id: id,
    organization_id: organization,
    draft: body.draft === true,
    project_id: home,
    created_by: principal.userId,
    created_at: cause.at,
  };
  const createAs = (name: string) =>
    create({ facts: { ...facts, name }, content: { ...first, name }, mapping });
  const suffixed = body.append_suffix_if_duplicate === true;
  const given = { name: wanted, suffixed };
  const { state, position } =
    chunks.length === 0
      ? await transactNamed(needs, id, given, createAs, cause)
      : await createWithRows(needs, { organization, id }, given, chunks, createAs, cause);
  if (state === null) throw new Fault('not-found', 'Dataset not found');
  return { dataset: state, position };
};

/** Claims the name, stores the rows, and then creates the dataset. */
const createWithRows = async (
  needs: DatasetNeeds,
  key: DatasetKey,
  wanted: WantedName,
  chunks: RowLayout['chunks'],
  createAs: (name: string) => ReturnType<typeof create>,
  cause: Authorship,
) => {
  const { log } = needs;
  const name = await claimDatasetName(needs, key, wanted, cause);
  if (!(await storeRows(log, key.id, chunks, cause))) {
    throw new Fault('conflict', 'Another request made this dataset; try again');
  }
  return transact(log, datasetStream(key.id), datasets, createAs(name), cause);
};

const copiedContent = async (
  needs: DatasetNeeds,
  { body, principal }: CreateDatasetRequest,
): Promise<ContentTable | null> => {
  const { copy_from_dataset_id: id, copy_from_dataset_version_index: index } = body;
  if (id == null) return null;
  const seen = await visibleDataset(needs, principal, id);
  if (seen === null) throw new Fault('not-found', 'Dataset not found');
  const { versions } = seen.dataset;
  const version = index == null ? currentVersion(seen.dataset) : versions[index - 1];
  if (version === undefined) {
    const part = 'copy_from_dataset_version_index';
    throw valueFault(['body', part], 'the dataset has no such version');
  }
  return tableOf(version.columns, await loadChunks(needs.log, version));
};
