import { randomUUID } from 'node:crypto';
import type { Collection, Db, IndexDescription } from 'mongodb';
import type { Checkpoint } from '../../kernel/documents.js';
import type { Position } from '../../kernel/ports.js';
import { openBatchLoader } from '../../kernel/concurrency.js';
import { isMissingCollection } from './connect.js';

/** State document of a read model; see mvcc-model.ts. */
export type ModelDocument = {
  readonly _id: string;
  /** Name of the collection with the rows: `records_v4_8c2f5a1e90b7`. */
  readonly generation: string;
  /** Name of the model; a copy has its original's. */
  readonly model: string;
  readonly position: Position;
  /** Fencing token of the last projector that wrote or began to. */
  readonly fence: number;
  /** Fencing token of the projector that set `position`. */
  readonly applied: number;
  /** Last committed stamp. */
  readonly seq: number;
  /** Last reserved stamp. */
  readonly reserved: number;
  readonly dead: readonly { readonly stamp: number; readonly at: Date }[];
  /** Time of the last reservation, by the server's clock. */
  readonly at: Date;
};

/** `until` of a current row, not yet replaced. */
export const openEnd = Number.MAX_SAFE_INTEGER;

/** Retention of garbage, in milliseconds. */
export type RetentionPolicy = {
  /** Replaced rows and generations: a reader may still use them. */
  readonly replaced: number;
  /** Dead stamps: a write under one may still be in flight. */
  readonly dead: number;
  /** Idle copies. */
  readonly copies: number;
  readonly sweepEvery: number;
};
export const defaultRetention: RetentionPolicy = {
  replaced: 60_000,
  dead: 3_600_000,
  copies: 86_400_000,
  sweepEvery: 15_000,
};

/**
 * State documents of all read models. A batch loader: look-ups of one event-loop tick share one
 * request, since most events concern few read models, and a watcher reads all.
 */
export type ModelStates = {
  readonly db: Db;
  readonly documents: Collection<ModelDocument>;
  readonly find: (id: string) => Promise<ModelDocument | null>;
  /** Number of changes seen in the servers and their roles. */
  readonly topologyChanges: () => number;
  /**
   * Moves a read model's checkpoint without changing rows. Returns false if it may have failed: the
   * caller has to check.
   */
  readonly advance: (advance: CheckpointAdvance) => Promise<boolean>;
};

/** `committed`: the last commit of this process, which the server must have. */
type CheckpointAdvance = {
  readonly id: string;
  readonly committed: Pick<ModelDocument, 'generation' | 'reserved'>;
  readonly checkpoint: Checkpoint;
};

export const openModelStates = (db: Db): ModelStates => {
  const documents = db.collection<ModelDocument>('models');
  let changes = 0;
  db.client.on('topologyDescriptionChanged', () => (changes += 1));
  return {
    db,
    documents,
    topologyChanges: () => changes,
    find: openBatchLoader(async (ids) => {
      const found = await documents.find({ _id: { $in: [...ids] } }).toArray();
      return ids.map((id) => found.find(({ _id }) => _id === id) ?? null);
    }),
    advance: openBatchLoader(async (advances) => {
      const { matchedCount } = await documents.bulkWrite(advances.map(advanceUpdate), {
        ordered: false,
      });
      return advances.map(() => matchedCount === advances.length);
    }),
  };
};

/** Update without a stamp: a reserved, uncommitted one ends with the next reservation. */
const advanceUpdate = ({
  id,
  committed,
  checkpoint: { position, fence, after },
}: CheckpointAdvance) => ({
  updateOne: {
    filter: {
      _id: id,
      generation: committed.generation,
      seq: { $gte: committed.reserved },
      fence: { $lte: fence },
      position: { $lt: position, ...(after !== undefined && { $eq: after }) },
    },
    update: { $set: { position, fence, applied: fence } },
  },
});

/** Models with the same storage format. */
export type StoredModels = ModelStates & {
  /** Content of the rows and their version: `records_v4`. */
  readonly label: string;
  readonly indexes: readonly IndexDescription[];
  readonly retention: RetentionPolicy;
};

// Model names are JSON, so they never begin like this.
export const copyPrefix = 'copy ';
export const retiredPrefix = 'retired ';

export const newGenerationName = ({ label }: Pick<StoredModels, 'label'>): string =>
  `${label}_${randomUUID().slice(-12)}`;

/** Collection of a generation; one from before labels is a uuid. */
export const rowsCollection = ({ db }: Pick<StoredModels, 'db'>, generation: string): Collection =>
  db.collection(generation.includes('_') ? generation : `rows_${generation}`);

/** Drops the collection; servers before 7.0 fail if it does not exist. */
export const dropRowsCollection = async (
  models: StoredModels,
  generation: string,
): Promise<void> => {
  await rowsCollection(models, generation)
    .drop()
    .catch((error: unknown) => {
      if (!isMissingCollection(error)) throw error;
    });
};
