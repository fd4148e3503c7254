import type { Collection, Document, Filter as Match, IndexDescription } from 'mongodb';
import { openMutex } from '../../kernel/concurrency.js';
import { Fault } from '../../kernel/fault.js';
import { logStart } from '../../kernel/ports.js';
import { checkBasePosition, type Checkpoint, type Shadow } from '../../kernel/documents.js';
import { openSpeculativeRead, type SpeculativeRead } from './speculative-read.js';
import { isDuplicateKey } from './connect.js';
import {
  copyPrefix,
  newGenerationName,
  openEnd,
  retiredPrefix,
  rowsCollection,
  defaultRetention,
  type RetentionPolicy,
  type ModelDocument,
  type StoredModels,
  type ModelStates,
} from './model-state.js';
import type { Snapshot } from './snapshot.js';
import {
  dropStaleGenerations,
  dropGeneration,
  openGarbageCollector,
} from './garbage-collection.js';

// Multi-version concurrency control: a read model without transactions. A row is never changed in
// place: a batch inserts its rows with `from` = its stamp and closes the ones they replace with
// `until` = its stamp. The batch becomes visible at once when the model's state document has `seq`
// = the stamp, together with position and fence. An unfinished batch leaves a dead stamp, and its
// rows are never visible.
//
// A stamp is used once, so a projector that lost its lease and still writes does so under a stamp
// that is dead already. Dead stamps stay listed for an hour, longer than any operation in flight.

export type StampedBatch = {
  readonly stamp: number;
  readonly rows: Collection;
  /** Rows visible before the batch. */
  readonly visible: Match<Document>;
  /**
   * Visible rows that no later batch has closed: a superseded projector must not close the others.
   */
  readonly closable: Match<Document>;
};

export type SnapshotModel = {
  /** The current snapshot; null before the first write. */
  snapshot(): Promise<Snapshot | null>;
  /** Speculative read, for queries that may run twice: saves the wait for the state document. */
  readonly read: SpeculativeRead;
  /** Creates the indexes of the existing rows; throws on different ones of the same name. */
  checkIndexes(): Promise<void>;
  /** Snapshot for queries whose result on no rows is not empty. */
  snapshotOrEmpty(): Promise<Snapshot>;
  /**
   * Runs `work` under a new stamp and commits it with the checkpoint; no-op if the checkpoint was
   * passed. `work` null: only the checkpoint moves. Fault `conflict` under an older fence, or when
   * another projector took over meanwhile.
   */
  apply(
    checkpoint: Checkpoint,
    work: ((batch: StampedBatch) => Promise<void>) | null,
  ): Promise<void>;
  /** Begins an empty shadow copy. */
  copy(): Promise<Shadow<SnapshotModel>>;
  /** The shadow copy with this id, begun by any process; null if dropped. */
  resume(id: string): Promise<Shadow<SnapshotModel> | null>;
};

/** Opens the live model of that name; the label names its collections. */
export const snapshotModel = (
  states: ModelStates,
  { name, label }: { readonly name: string; readonly label: string },
  indexes: readonly IndexDescription[],
  keeping: RetentionPolicy = defaultRetention,
): SnapshotModel => openModel({ ...states, label, indexes, retention: keeping }, name, name);

const openModel = (models: StoredModels, model: string, id: string): SnapshotModel => {
  const { documents } = models;
  const prepared = new Set<string>();
  const sweep = openGarbageCollector(models, id);
  const inSequence = openMutex();
  let committed: ModelDocument | null = null;
  let committedAt = -Infinity;
  /** Only for a while: a commit also triggers garbage collection. */
  const isAdvanced = async (checkpoint: Checkpoint): Promise<boolean> =>
    committed !== null &&
    performance.now() - committedAt < models.retention.sweepEvery &&
    models.advance({ id, committed, checkpoint });
  const apply: SnapshotModel['apply'] = async (checkpoint, work) => {
    if (work === null && (await isAdvanced(checkpoint))) return;
    const state = await reserveStamp(models, { model, id }, checkpoint);
    if (state === null) return;
    if (!prepared.has(state.generation)) {
      await createIndexes(models, state.generation);
      prepared.add(state.generation);
    }
    const stamp = state.reserved;
    checkCommittedKept(state, committed);
    await work?.({ ...snapshotOf(models, state), closable: closableOf(state), stamp });
    const { matchedCount } = await documents.updateOne(
      { _id: id, generation: state.generation, fence: checkpoint.fence, reserved: stamp },
      { $set: { seq: stamp, position: checkpoint.position, applied: checkpoint.fence } },
    );
    if (matchedCount === 0) throw new Fault('conflict', `another projector writes ${model} now`);
    committed = state;
    committedAt = performance.now();
    // Remaining garbage is collected later.
    await sweep(state).catch(() => null);
  };
  const snapshot: SnapshotModel['snapshot'] = async () => {
    const expected = committed;
    const state = await models.find(id);
    checkCommittedVisible(state, expected);
    // Before the first commit even the indexes may be missing.
    return state === null || state.seq === 0 ? null : snapshotOf(models, state);
  };
  return {
    snapshot,
    read: openSpeculativeRead(snapshot, models.topologyChanges),
    checkIndexes: async () => {
      const state = await documents.findOne({ _id: { $eq: id } });
      if (state !== null) await createIndexes(models, state.generation);
    },
    snapshotOrEmpty: async () => (await snapshot()) ?? snapshotOf(models, emptyState(model)),
    // One at a time: reserving a stamp ends the batch before it.
    apply: (checkpoint, work) => inSequence(() => apply(checkpoint, work)),
    copy: async () => {
      const generation = newGenerationName(models);
      const copy = `${copyPrefix}${generation}`;
      await dropStaleGenerations(models);
      await documents.insertOne({ ...initialState(model, generation), _id: copy, at: new Date() });
      await createIndexes(models, generation);
      return shadowOf(models, model, { _id: copy, generation });
    },
    resume: async (copy) => {
      if (!copy.startsWith(copyPrefix)) return null;
      const [found, live] = await Promise.all([
        documents.findOne({ _id: { $eq: copy }, model: { $eq: model } }),
        documents.findOne({ _id: { $eq: model } }),
      ]);
      // A crash during promotion may have left its name, but these are the live rows now.
      if (found === null || found.generation === live?.generation) return null;
      return shadowOf(models, model, found);
    },
  };
};

const shadowOf = (
  models: StoredModels,
  model: string,
  { _id, generation }: Pick<ModelDocument, '_id' | 'generation'>,
): Shadow<SnapshotModel> => ({
  id: _id,
  model: openModel(models, model, _id),
  promote: () => promote(models, model, _id),
  discard: () => dropGeneration(models, { _id, generation }),
  detach: async () => undefined,
});

const initialState = (model: string, generation: string): Omit<ModelDocument, '_id' | 'at'> => ({
  generation,
  model,
  position: logStart,
  fence: 0,
  applied: 0,
  seq: 0,
  reserved: 0,
  dead: [],
});

/** State without rows: its collection is never created. */
const emptyState = (model: string): ModelDocument => ({
  ...initialState(model, 'none'),
  _id: model,
  at: new Date(0),
});

const snapshotOf = (models: StoredModels, state: ModelDocument): Snapshot => {
  const { seq, position } = state;
  const dead = state.dead.map(({ stamp }) => stamp);
  const visible =
    dead.length === 0
      ? { from: { $lte: seq }, until: { $gt: seq } }
      : {
          from: { $lte: seq, $nin: dead },
          $or: [{ until: { $gt: seq } }, { until: { $in: dead } }],
        };
  const { generation } = state;
  return { rows: rowsCollection(models, generation), visible, position, generation, seq };
};

const closableOf = ({ seq, dead }: ModelDocument): Match<Document> => {
  const stamps = dead.map(({ stamp }) => stamp);
  return { from: { $lte: seq, $nin: stamps }, until: { $in: [openEnd, ...stamps] } };
};

/**
 * Throws if the server lost a commit of this process, onto which its next batch was folded. A
 * restart continues from the server's state.
 */
const checkCommittedKept = (state: ModelDocument, committed: ModelDocument | null): void => {
  if (!lacksCommitted(state, committed)) return;
  throw new Fault('conflict', `MongoDB lost batches of ${state.model}: restart the projector`);
};

/**
 * Throws if a new primary does not show a commit of the old one yet: nothing may be folded onto
 * that. `committed` is the commit known when the read began: a later one may be missing from the
 * reply.
 */
const checkCommittedVisible = (
  state: ModelDocument | null,
  committed: ModelDocument | null,
): void => {
  if (state === null || !lacksCommitted(state, committed)) return;
  const detail = `MongoDB does not show committed batches of ${state.model}`;
  const cause = 'if that lasts they are lost: restart the projector';
  throw new Fault('unavailable', detail, { retryAfterSeconds: 1, cause });
};

const lacksCommitted = (state: ModelDocument, committed: ModelDocument | null): boolean =>
  committed?.generation === state.generation && state.seq < committed.reserved;

/**
 * Reserves a stamp and returns the model's state with it; null if this checkpoint was applied
 * before.
 */
const reserveStamp = async (
  models: StoredModels,
  { model, id }: { readonly model: string; readonly id: string },
  checkpoint: Checkpoint,
): Promise<ModelDocument | null> => {
  const { documents } = models;
  const { fence, position, after } = checkpoint;
  const isLive = model === id;
  // A new model starts at the log's start.
  const mayBegin = isLive && (after === undefined || after === logStart);
  const first = initialState(model, newGenerationName(models));
  const or = (member: keyof typeof first): Document => ({
    $ifNull: [`$${member}`, { $literal: first[member] }],
  });
  const isUnfinished = { $gt: ['$reserved', '$seq'] };
  const unfinished = [{ stamp: '$reserved', at: '$$NOW' }];
  const reserving = {
    generation: or('generation'),
    model: or('model'),
    position: or('position'),
    applied: or('applied'),
    seq: or('seq'),
    fence: { $literal: fence },
    dead: { $cond: [isUnfinished, { $concatArrays: ['$dead', unfinished] }, or('dead')] },
    reserved: { $add: [or('reserved'), 1] },
    at: '$$NOW',
  };
  const isNew = {
    fence: { $lte: fence },
    $or: [
      { position: { $lt: position } },
      { position: { $eq: position }, applied: { $ne: fence } },
    ],
  };
  try {
    const state = await documents.findOneAndUpdate(
      { _id: { $eq: id }, $and: [isNew, after === undefined ? {} : { position: { $eq: after } }] },
      [{ $set: reserving }],
      { upsert: mayBegin, returnDocument: 'after' },
    );
    if (state !== null) return state;
  } catch (error) {
    // The document exists and did not match.
    if (!isDuplicateKey(error)) throw error;
  }
  const known = await documents.findOne({ _id: { $eq: id } });
  if (known === null) throw new Fault('conflict', `the stored model ${model} was dropped`);
  if (fence < known.fence) throw new Fault('conflict', `another projector writes ${model} now`);
  checkBasePosition(checkpoint, known.position);
  return null;
};

const createIndexes = async (models: StoredModels, generation: string): Promise<void> => {
  await rowsCollection(models, generation).createIndexes([
    ...models.indexes,
    { name: 'replaced', key: { until: 1 }, partialFilterExpression: { until: { $lt: openEnd } } },
    { name: 'from', key: { from: 1 } },
  ]);
};

/**
 * Promotes the copy: one write switches all readers; rows that they may be reading are dropped
 * later.
 */
const promote = async (models: StoredModels, model: string, copy: string): Promise<void> => {
  const { documents } = models;
  const [built, live] = await Promise.all([
    documents.findOne({ _id: { $eq: copy } }),
    documents.findOne({ _id: { $eq: model } }),
  ]);
  if (built === null) throw new Fault('conflict', `this shadow copy of ${model} was dropped`);
  const { _id, ...state } = built;
  if (live !== null) {
    const retired = `${retiredPrefix}${live.generation}`;
    await documents.updateOne(
      { _id: retired },
      [{ $set: { generation: live.generation, at: '$$NOW' } }],
      { upsert: true },
    );
  }
  if (!(await compareAndReplace(documents, { ...state, _id: model }, live))) {
    throw new Fault('conflict', `another projector writes ${model} now`);
  }
  await documents.deleteOne({ _id });
};

/** Compare-and-swap of the state document; false if it changed or was created meanwhile. */
const compareAndReplace = async (
  documents: StoredModels['documents'],
  put: ModelDocument,
  expected: ModelDocument | null,
): Promise<boolean> => {
  if (expected !== null) {
    const { _id, generation, seq, reserved } = expected;
    return (await documents.replaceOne({ _id, generation, seq, reserved }, put)).matchedCount > 0;
  }
  try {
    await documents.insertOne(put);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
};
