import type { Document } from 'mongodb';
import type { StreamName } from '../../kernel/ports.js';
import type { Copies, GroupWrite, RecordWrites } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { admitNames, isRow, onlyColumns } from './record-names.js';
import { bulkMs } from './record-search.js';
import { documentsOf, type StoredRow } from './record-rows.js';
import { shapeOf } from './record-shapes.js';
import { open } from './model-state.js';
import type { StampedBatch } from './snapshots.js';

/** A run or project that was deleted: its rows are dropped also when they come later. */
type Gone = { readonly gone: string };
const goneRun = (run: string): string => `run ${run}`;
const goneProject = (project: string): string => `project ${project}`;

export const isNothing = ({ groups, deletedRuns, deletedProjects }: RecordWrites): boolean =>
  groups.length + deletedRuns.length + deletedProjects.length === 0;

/**
 * The rows of a batch as documents; throws, before anything is written, on what has no JSON form.
 */
export const wordsOf = ({ groups }: RecordWrites): readonly Words[] =>
  groups.flatMap(({ rows }) =>
    rows.map((row) => ({
      ...placeOf(row),
      row,
      documents: documentsOf(row) as readonly Document[],
    })),
  );
type Words = {
  readonly run: string;
  readonly project: string;
  readonly row: RecordRow;
  readonly documents: readonly Document[];
};

const placeOf = ({ values }: RecordRow): { readonly run: string; readonly project: string } => ({
  run: String(values['run_id']),
  project: String(values['project_id']),
});

/** Rows out, rows in, deletions: all under the batch's stamp, so that they show together. */
export const writeBatch = async (
  batch: StampedBatch,
  writes: RecordWrites,
  words: readonly Words[],
): Promise<void> => {
  const { stamp, rows } = batch;
  const { deletedRuns, deletedProjects } = writes;
  const deleted = [...deletedRuns.map(goneRun), ...deletedProjects.map(goneProject)];
  const gone = new Set([...deleted, ...(await goneBefore(batch, words))]);
  const kept = words.filter(
    ({ run, project }) => !gone.has(goneRun(run)) && !gone.has(goneProject(project)),
  );
  const names = await admitNames(
    batch,
    kept.map(({ row }) => row),
  );
  const documents: readonly Document[] = [
    ...kept.flatMap(({ project, row, documents: all }) => {
      const admitted = names.get(project);
      return admitted === undefined ? all : onlyColumns(row, all, admitted);
    }),
    ...[...names.values()].flatMap(({ added }) => added),
    ...deleted.map((one): Gone => ({ gone: one })),
  ];
  const replaced = writes.groups.filter(({ fresh, kept }) => !fresh && kept === undefined);
  if (replaced.length > 0) {
    await close(batch, { group: { $in: replaced.map(({ group }) => group) } });
  }
  for (const changed of writes.groups) await keepOthers(batch, changed);
  if (deletedRuns.length > 0) await close(batch, { run: { $in: [...deletedRuns] } });
  if (deletedProjects.length > 0) await close(batch, { project: { $in: [...deletedProjects] } });
  if (documents.length === 0) return;
  await rows.insertMany(
    documents.map((one) => ({ ...one, ...shapeIn(one), from: stamp, until: open })),
    { ordered: false },
  );
};

const shapeIn = (document: Document): Pick<StoredRow, 'shape'> =>
  isRow(document) ? { shape: shapeOf(document) } : {};

const close = async ({ rows, closable, stamp }: StampedBatch, which: Document): Promise<void> => {
  await rows.updateMany({ $and: [which, closable] }, { $set: { until: stamp } });
};

/**
 * Takes the group's rows out that others come for. A change of what spans have of their trace makes
 * new versions of the rest of them, in the server: a stored row never changes.
 */
const keepOthers = async (
  batch: StampedBatch,
  { group, rows, kept }: GroupWrite,
): Promise<void> => {
  if (kept === undefined) return;
  const ordinals = rows.map(({ ordinal }) => ordinal);
  const own = { group: { $eq: group }, ordinal: { $in: ordinals } };
  const alike = [
    own,
    { group: { $eq: group }, partOf: { $in: ordinals } },
    { group: { $eq: group }, of: { $in: ordinals } },
  ];
  if (kept.copies !== null) await copyOthers(batch, { group, ordinals, copies: kept.copies });
  await close(batch, { $or: kept.copies === null ? alike : [...alike, othersOf(group, ordinals)] });
};

type Others = {
  readonly group: StreamName;
  readonly ordinals: readonly number[];
  readonly copies: Copies;
};

const othersOf = (group: StreamName, ordinals: readonly number[]): Document => ({
  group: { $eq: group },
  ordinal: { $gt: 0, $nin: [...ordinals] },
});

const copyOthers = async (
  { rows, visible, stamp }: StampedBatch,
  { group, ordinals, copies: { isComplete, annotators } }: Others,
): Promise<void> => {
  const changed = {
    'values.is_complete': isComplete,
    annotators: { $literal: [...annotators] },
    from: stamp,
    until: open,
  };
  await rows
    .aggregate(
      [
        { $match: { $and: [othersOf(group, ordinals), visible] } },
        { $unset: '_id' },
        { $set: changed },
        { $merge: { into: rows.collectionName, whenMatched: 'fail' } },
      ],
      { hint: 'group', maxTimeMS: bulkMs },
    )
    .toArray();
};

const goneBefore = async (
  { rows, visible }: StampedBatch,
  words: readonly Words[],
): Promise<readonly string[]> => {
  const asked = new Set(words.flatMap(({ run, project }) => [goneRun(run), goneProject(project)]));
  if (asked.size === 0) return [];
  const found = await rows
    .find({ gone: { $in: [...asked] }, ...visible })
    .maxTimeMS(bulkMs)
    .toArray();
  return found.map(({ gone }) => String(gone));
};
