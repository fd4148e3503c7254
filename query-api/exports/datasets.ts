import { exportDatasetContent, exportMedia, type ExportFormat } from '../../contract/exports.js';
import { readRoute, type Route } from '../../contract/operation.js';
import type { Documents } from '../../kernel/documents.js';
import { encodeCsvRow } from '../../kernel/csv.js';
import {
  readCell,
  chunkSlices,
  type DatasetColumn,
  type ContentRow,
} from '../../kernel/dataset-content.js';
import { Fault } from '../../kernel/fault.js';
import { throwIfAborted } from '../../kernel/query-context.js';
import { datasetList, type ListedDataset } from '../../projections/dataset-list.js';
import { chunkKey, datasetRows } from '../../projections/dataset-rows.js';
import {
  datasetVersions,
  datasetVersionKey,
  type StoredDatasetVersion,
} from '../../projections/dataset-versions.js';

type DatasetExportNeeds = { readonly documents: Pick<Documents, 'get' | 'load'> };

/** Export of a dataset version as a file (contract 5.11). */
export const datasetExports = ({ documents }: DatasetExportNeeds): readonly Route[] => [
  readRoute(
    exportDatasetContent,
    [datasetList.collection, datasetVersions.collection, datasetRows.collection],
    async ({ params: { dataset_id: dataset }, query, memory, signal }) => {
      await memory.reserve(roomBytes);
      const { version_index: requested, format = 'jsonl', formulas = 'escape' } = query;
      const version = requested ?? (await currentVersion(documents, dataset));
      const content = await documents.get<StoredDatasetVersion>(
        datasetVersions.collection,
        datasetVersionKey(dataset, version),
      );
      if (content === null) throw new Fault('not-found', 'Dataset version not found');
      const shown = { format, escapes: formulas === 'escape' };
      return {
        lines: fileOf(documents, content.body, { ...shown, signal }),
        media: exportMedia[format],
      };
    },
  ),
];

/** Chunks read at a time: some 64 KiB each, and their rows become lines at once. */
const chunksAtATime = 8;
const roomBytes = 4 * 1_048_576;

const currentVersion = async (
  documents: Pick<Documents, 'get'>,
  dataset: string,
): Promise<number> => {
  const found = await documents.get<ListedDataset>(datasetList.collection, dataset);
  if (found === null) throw new Fault('not-found', 'Dataset not found');
  return found.body.facts.current_version_index;
};

type DatasetFileOptions = {
  readonly format: ExportFormat;
  readonly escapes: boolean;
  readonly signal: AbortSignal;
};

/**
 * Lines of the file. Throws Fault `not-found` when rows are gone, since a partial file would look
 * complete.
 */
async function* fileOf(
  documents: Pick<Documents, 'load'>,
  { facts, columns, parts }: StoredDatasetVersion,
  { format, escapes, signal }: DatasetFileOptions,
): AsyncGenerator<string> {
  const line = format === 'csv' ? csvRow(columns, escapes) : jsonRow(columns);
  if (format === 'csv')
    yield encodeCsvRow(
      columns.map(({ name }) => name),
      escapes,
    );
  const stretches = chunkSlices(parts, 0, facts.num_rows);
  for (let from = 0; from < stretches.length; from += chunksAtATime) {
    const some = stretches.slice(from, from + chunksAtATime);
    const keys = some.map(({ content, chunk }) => chunkKey(content, chunk));
    const chunks = await documents.load(datasetRows.collection, keys, { signal });
    throwIfAborted({ signal });
    for (const { content, chunk, from: first, to } of some) {
      const found = chunks.get(chunkKey(content, chunk));
      if (found === undefined) throw new Fault('not-found', 'Dataset not found');
      yield (found.body as readonly ContentRow[]).slice(first, to).map(line).join('');
    }
  }
}

const csvRow = (columns: readonly DatasetColumn[], escapes: boolean) => (row: ContentRow) =>
  encodeCsvRow(
    columns.map((column) => readCell(row, column)),
    escapes,
  );

/** JSON members in the order of the columns, even for columns with numeric names. */
const jsonRow = (columns: readonly DatasetColumn[]) => {
  const names = columns.map(({ name }) => JSON.stringify(name));
  return (row: ContentRow): string => {
    const cells = columns.map(
      (column, at) => `${names[at]}:${JSON.stringify(readCell(row, column))}`,
    );
    return `{${cells.join(',')}}\n`;
  };
};
