import type { Document } from 'mongodb';
import type { StreamName } from '../../kernel/ports.js';
import type { InheritedMembers, GroupWrite, RecordWrites } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { admitNames, isStoredRow, withoutExtraNames } from './record-names.js';
import { bulkTimeoutMs } from './record-search.js';
import { rowDocuments, type StoredRow } from './record-encoding.js';
import { shapeHash } from './record-shapes.js';
import { openEnd } from './model-state.js';
import type { StampedBatch } from './mvcc-model.js';

/** Tombstone of a deleted run or project: late rows of it are dropped too. */
type Tombstone = { readonly gone: string };
const runTombstone = (run: string): string => `run ${run}`;
const projectTombstone = (project: string): string => `project ${project}`;

export const isEmptyWrites = ({ groups, deletedRuns, deletedProjects }: RecordWrites): boolean =>
  groups.length + deletedRuns.length + deletedProjects.length === 0;

/**
 * Encodes a batch's rows as documents; throws, before any write, on a value without a JSON form.
 */
export const encodeWrites = ({ groups }: RecordWrites): readonly EncodedRow[] =>
  groups.flatMap(({ rows }) =>
    rows.map((row) => ({
      ...runAndProject(row),
      row,
      documents: rowDocuments(row) as readonly Document[],
    })),
  );
type EncodedRow = {
  readonly run: string;
  readonly project: string;
  readonly row: RecordRow;
  readonly documents: readonly Document[];
};

const runAndProject = ({
  values,
}: RecordRow): { readonly run: string; readonly project: string } => ({
  run: String(values['run_id']),
  project: String(values['project_id']),
});

/**
 * Writes a batch under its stamp (rows out, rows in, deletions), so that all of it becomes visible
 * at once.
 */
export const writeBatch = async (
  batch: StampedBatch,
  writes: RecordWrites,
  words: readonly EncodedRow[],
): Promise<void> => {
  const { stamp, rows } = batch;
  const { deletedRuns, deletedProjects } = writes;
  const deleted = [...deletedRuns.map(runTombstone), ...deletedProjects.map(projectTombstone)];
  const gone = new Set([...deleted, ...(await readTombstones(batch, words))]);
  const kept = words.filter(
    ({ run, project }) => !gone.has(runTombstone(run)) && !gone.has(projectTombstone(project)),
  );
  const names = await admitNames(
    batch,
    kept.map(({ row }) => row),
  );
  const documents: readonly Document[] = [
    ...kept.flatMap(({ project, row, documents: all }) => {
      const admitted = names.get(project);
      return admitted === undefined ? all : withoutExtraNames(row, all, admitted);
    }),
    ...[...names.values()].flatMap(({ added }) => added),
    ...deleted.map((one): Tombstone => ({ gone: one })),
  ];
  const replaced = writes.groups.filter(({ fresh, partial }) => !fresh && partial === undefined);
  if (replaced.length > 0) {
    await closeRows(batch, { group: { $in: replaced.map(({ group }) => group) } });
  }
  for (const changed of writes.groups) await replaceChanged(batch, changed);
  if (deletedRuns.length > 0) await closeRows(batch, { run: { $in: [...deletedRuns] } });
  if (deletedProjects.length > 0)
    await closeRows(batch, { project: { $in: [...deletedProjects] } });
  if (documents.length === 0) return;
  await rows.insertMany(
    documents.map((one) => ({ ...one, ...shapeIn(one), from: stamp, until: openEnd })),
    { ordered: false },
  );
};

const shapeIn = (document: Document): Pick<StoredRow, 'shape'> =>
  isStoredRow(document) ? { shape: shapeHash(document) } : {};

const closeRows = async (
  { rows, closable, stamp }: StampedBatch,
  which: Document,
): Promise<void> => {
  await rows.updateMany({ $and: [which, closable] }, { $set: { until: stamp } });
};

/**
 * Closes the group's rows that are replaced. A change of inherited values makes the server write
 * new versions of the kept rows: a stored row never changes.
 */
const replaceChanged = async (
  batch: StampedBatch,
  { group, rows, partial }: GroupWrite,
): Promise<void> => {
  if (partial === undefined) return;
  const ordinals = rows.map(({ ordinal }) => ordinal);
  const own = { group: { $eq: group }, ordinal: { $in: ordinals } };
  const alike = [
    own,
    { group: { $eq: group }, partOf: { $in: ordinals } },
    { group: { $eq: group }, of: { $in: ordinals } },
  ];
  if (partial.inherited !== null)
    await copyUnchanged(batch, { group, ordinals, copies: partial.inherited });
  await closeRows(batch, {
    $or: partial.inherited === null ? alike : [...alike, unchangedRows(group, ordinals)],
  });
};

type UnchangedRows = {
  readonly group: StreamName;
  readonly ordinals: readonly number[];
  readonly copies: InheritedMembers;
};

const unchangedRows = (group: StreamName, ordinals: readonly number[]): Document => ({
  group: { $eq: group },
  ordinal: { $gt: 0, $nin: [...ordinals] },
});

const copyUnchanged = async (
  { rows, visible, stamp }: StampedBatch,
  { group, ordinals, copies: { isComplete, annotators } }: UnchangedRows,
): Promise<void> => {
  const changed = {
    'values.is_complete': isComplete,
    annotators: { $literal: [...annotators] },
    from: stamp,
    until: openEnd,
  };
  await rows
    .aggregate(
      [
        { $match: { $and: [unchangedRows(group, ordinals), visible] } },
        { $unset: '_id' },
        { $set: changed },
        { $merge: { into: rows.collectionName, whenMatched: 'fail' } },
      ],
      { hint: 'group', maxTimeMS: bulkTimeoutMs },
    )
    .toArray();
};

const readTombstones = async (
  { rows, visible }: StampedBatch,
  words: readonly EncodedRow[],
): Promise<readonly string[]> => {
  const ids = new Set(
    words.flatMap(({ run, project }) => [runTombstone(run), projectTombstone(project)]),
  );
  if (ids.size === 0) return [];
  const found = await rows
    .find({ gone: { $in: [...ids] }, ...visible })
    .maxTimeMS(bulkTimeoutMs)
    .toArray();
  return found.map(({ gone }) => String(gone));
};
