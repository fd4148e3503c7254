import type { ContentChanged, DatasetEvent, StoredMapping } from '../../events/datasets.js';
import {
  readCell,
  compactCells,
  countRows,
  type StoredCells,
  type DatasetColumn,
  type ContentId,
  type ContentRow,
} from '../../kernel/dataset-content.js';
import { reject, type Decision } from '../../kernel/decision.js';
import type { EventLog, Ids, Position } from '../../kernel/ports.js';
import { isIfMatchMet, type IfMatch } from '../../kernel/if-match.js';
import type { DatasetId, UserId } from '../../kernel/schema-types.js';
import {
  conflictFault,
  conflictRetriesMax,
  transact,
  type Authorship,
} from '../../kernel/transact.js';
import { contentTag } from '../../contract/datasets.js';
import { currentVersion, datasets, datasetStream, type Dataset } from '../facts/datasets.js';
import { changeContent, hasChange } from './datasets.js';
import type { Chunk, Counts } from './edits.js';
import { mappingAfterChanges } from './column-mapping.js';
import { contentsFrom, layOutRows, storeRows, type RowLayout } from './row-storage.js';

/** A new version, prepared from the current one. */
export type PreparedVersion = {
  readonly source: ContentChanged['source'];
  readonly columns: readonly DatasetColumn[];
  /** Unchanged chunks, and rows to store. */
  readonly stretches: readonly (Chunk | readonly ContentRow[])[];
  readonly counts: Counts;
  /** Old column name to new one; null: removed. */
  readonly renamedColumns: ReadonlyMap<string, string | null>;
};
/** Prepares a version; null when nothing changes. `content`: id of the content for its new rows. */
export type PrepareVersion = (
  dataset: Dataset,
  content: ContentId,
) => Promise<PreparedVersion | null>;

export type VersionChange = {
  readonly id: DatasetId;
  readonly userId: UserId;
  readonly ifMatch: IfMatch | null;
  readonly cause: Authorship;
  readonly mint: (name: 'ContentId') => ContentId;
};

/**
 * Makes a new version: prepares it from the current one, stores its rows, and appends it, one at a
 * time per dataset. After a conflict with a version of another process it is prepared again, at
 * most `conflictRetriesMax` times. Idempotent under one Idempotency-Key: a repeat finds the version
 * that it made before. Rows of a failed try are in no version and are erased with the dataset.
 */
export const createVersion = async (
  { log, ids }: StorageNeeds,
  changing: VersionChange,
  prepare: PrepareVersion,
): Promise<{ readonly version: number; readonly position: Position }> => {
  const { id, ifMatch, cause, mint } = changing;
  const contents = Array.from({ length: conflictRetriesMax + 1 }, () => mint('ContentId'));
  const unused = [...contents];
  let stored: { readonly base: number; readonly version: StoredVersion | null } | null = null;
  const decide = async (dataset: Dataset | null): Promise<Decision<DatasetEvent>> => {
    if (dataset?.live !== true) return reject('not-found', 'Dataset not found');
    if (hasChange(dataset, contents)) return [];
    const base = dataset.versions.length;
    if (!isIfMatchMet(ifMatch, contentTag(base))) {
      return reject('precondition-failed', 'The content was changed meanwhile');
    }
    if (stored?.base !== base) {
      stored = { base, version: await storeVersion({ log, ids }, dataset, prepare, unused, cause) };
    }
    const { version } = stored;
    if (version === null) return [];
    const content = contentChangedData(dataset, version, changing);
    return changeContent(content, mappingWith(dataset, version))(dataset);
  };
  const { state, position } = await transact(log, datasetStream(id), datasets, decide, cause);
  return { version: state?.versions.length ?? 0, position };
};

type StorageNeeds = { readonly log: EventLog; readonly ids: Pick<Ids, 'derive'> };
type StoredVersion = PreparedVersion & RowLayout & { readonly content: ContentId };

/** Prepares a version and stores its rows under the first of these ids that has no rows yet. */
const storeVersion = async (
  { log, ids }: StorageNeeds,
  dataset: Dataset,
  prepare: PrepareVersion,
  unused: ContentId[],
  cause: Authorship,
): Promise<StoredVersion | null> => {
  for (;;) {
    const content = unused.shift();
    if (content === undefined) throw conflictFault();
    const prepared = await prepare(dataset, content);
    if (prepared === null) return null;
    const layout = await layOutRows(prepared.stretches, contentsFrom(ids, content));
    if (await storeRows(log, dataset.id, layout.chunks, cause)) {
      return { ...prepared, ...layout, content };
    }
  }
};

const contentChangedData = (
  dataset: Dataset,
  { source, columns, counts, parts, content }: StoredVersion,
  { userId, cause }: VersionChange,
): ContentChanged => ({
  dataset_id: dataset.id,
  version_index: dataset.versions.length + 1,
  content_id: content,
  source,
  name: dataset.name,
  created_by: userId,
  created_at: cause.at,
  columns: [...columns],
  parts: storedParts(parts),
  num_rows: countRows(parts),
  ...counts,
});

export const storedParts = (parts: RowLayout['parts']): ContentChanged['parts'] =>
  parts.map((part) => ({ ...part, sizes: [...part.sizes] }));

const mappingWith = ({ mapping }: Dataset, prepared: PreparedVersion): StoredMapping | null =>
  mapping === null
    ? null
    : mappingAfterChanges(
        mapping,
        prepared.renamedColumns,
        new Set(prepared.columns.map(({ name }) => name)),
      );

/** Rolls back to an older version; null when the current one is equal. */
export const rollbackVersion = (
  dataset: Dataset,
  { columns, parts }: Pick<ContentChanged, 'columns' | 'parts'>,
  chunks: { readonly before: readonly Chunk[]; readonly after: readonly Chunk[] },
): PreparedVersion | null => {
  const current = currentVersion(dataset);
  if (isEqual(current.columns, columns) && isEqual(current.parts, parts)) return null;
  const names = new Map(current.columns.map(({ key, name }) => [key, name]));
  const present = new Map(columns.map(({ key, name }) => [key, name]));
  const moved = [...names].filter(([key, name]) => present.get(key) !== name);
  return {
    source: 'rollback',
    columns,
    stretches: chunks.after,
    counts: {
      ...rowCounts(chunks.before, chunks.after),
      columns_added: [...present.keys()].filter((key) => !names.has(key)).length,
      columns_removed: [...names.keys()].filter((key) => !present.has(key)).length,
      columns_renamed: moved.filter(([key]) => present.has(key)).length,
    },
    renamedColumns: new Map(moved.map(([key, name]) => [name, present.get(key) ?? null])),
  };
};

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Row counts between two versions; chunks that both share are equal and skipped. */
const rowCounts = (before: readonly Chunk[], after: readonly Chunk[]) => {
  const nameOf = ({ content, chunk }: Chunk): string => `${content} ${chunk}`;
  const apart = (some: readonly Chunk[], others: readonly Chunk[]) => {
    const known = new Set(others.map(nameOf));
    const rows = some.filter((one) => !known.has(nameOf(one))).flatMap((one) => one.rows);
    return new Map(rows.map((row) => [row.id, row]));
  };
  const [old, now] = [apart(before, after), apart(after, before)];
  const both = [...now].filter(([id]) => old.has(id));
  return {
    rows_added: now.size - both.length,
    rows_removed: old.size - both.length,
    rows_edited: both.filter(([id, row]) => !isEqual(row, old.get(id))).length,
  };
};

/** Rows of another dataset by column index, without ids and history. */
export const tableOf = (
  columns: readonly DatasetColumn[],
  chunks: readonly Chunk[],
): { readonly columns: readonly string[]; readonly rows: readonly StoredCells[] } => ({
  columns: columns.map(({ name }) => name),
  rows: chunks.flatMap(({ rows }) =>
    rows.map((row) => compactCells(columns.map((column, place) => [place, readCell(row, column)]))),
  ),
});

/**
 * Copies the content of another dataset; null when the current one has the same columns and cells.
 */
export const copyVersion = (
  dataset: Dataset,
  before: readonly Chunk[],
  { columns: names, rows }: ReturnType<typeof tableOf>,
  rowsOf: (cells: readonly StoredCells[], version: number) => readonly ContentRow[],
): PreparedVersion | null => {
  const { columns: current } = currentVersion(dataset);
  if (isEqual(tableOf(current, before), { columns: names, rows })) return null;
  const old = new Set(current.map(({ name }) => name));
  const next = new Set(names);
  const known = new Map(current.map((column) => [column.name, column]));
  const columns = names.map(
    (name, place) => known.get(name) ?? { key: dataset.nextKey + place, name },
  );
  const moved = rows.map((cells) =>
    compactCells(columns.map(({ key }, place) => [key, readCell({ cells }, { key: place })])),
  );
  return {
    source: 'copy',
    columns,
    stretches: [rowsOf(moved, dataset.versions.length + 1)],
    counts: {
      rows_added: rows.length,
      rows_removed: before.reduce((sum, chunk) => sum + chunk.rows.length, 0),
      rows_edited: 0,
      columns_added: next.difference(old).size,
      columns_removed: old.difference(next).size,
      columns_renamed: 0,
    },
    renamedColumns: new Map([...old.difference(next)].map((name) => [name, null])),
  };
};
