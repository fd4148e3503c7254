import { randomUUID } from 'node:crypto';
import type { Collection, Db, IndexDescription } from 'mongodb';
import type { Checkpoint } from '../../kernel/documents.js';
import type { Position } from '../../kernel/ports.js';
import { openBatchLoader } from '../../kernel/concurrency.js';
import { isMissingCollection } from './connect.js';

/** A read model's one document; see mvcc-model.ts. */
export type ModelDocument = {
  readonly _id: string;
  /** Names the collection that has the rows: `records_v4_8c2f5a1e90b7`. */
  readonly generation: string;
  /** What of: a copy says whose it is. */
  readonly model: string;
  readonly position: Position;
  /** Of the projector that wrote last, or began to. */
  readonly fence: number;
  /** Of the projector that `position` is from. */
  readonly applied: number;
  /** The last stamp that is committed. */
  readonly seq: number;
  /** The last stamp that was given out. */
  readonly reserved: number;
  readonly dead: readonly { readonly stamp: number; readonly at: Date }[];
  /** When a stamp was last given out, by the server's clock. */
  readonly at: Date;
};

/** `until` of a row that nothing has replaced. */
export const openEnd = Number.MAX_SAFE_INTEGER;

/** How long what nobody needs any more is kept, in milliseconds. */
export type RetentionPolicy = {
  /** Rows that were replaced, and replaced generations: a reader may still look at them. */
  readonly replaced: number;
  /** Dead stamps: a write under one may still be on its way. */
  readonly dead: number;
  /** Copies that nobody goes on with. */
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
 * The one document of every read model. What is asked of many in one turn of the event loop is one
 * request: most events are nothing to most read models, and who watches them asks for all.
 */
export type ModelStates = {
  readonly db: Db;
  readonly documents: Collection<ModelDocument>;
  readonly find: (id: string) => Promise<ModelDocument | null>;
  /** How often the servers were found to be others, or to lead or follow, so far. */
  readonly topologyChanges: () => number;
  /**
   * Moves a read model to a checkpoint that changes nothing of it. True: it is there; false: it may
   * be, and whoever asked has to look.
   */
  readonly advance: (advance: CheckpointAdvance) => Promise<boolean>;
};

/** `committed`: what this process committed last, which the server must have. */
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

/** No stamp: one that was given out and never committed ends when the next is. */
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

/** Models that are stored alike. */
export type StoredModels = ModelStates & {
  /** What is in their rows, and its version: `records_v4`. */
  readonly label: string;
  readonly indexes: readonly IndexDescription[];
  readonly retention: RetentionPolicy;
};

// Names of models are JSON and begin otherwise.
export const copyPrefix = 'copy ';
export const retiredPrefix = 'retired ';

export const newGenerationName = ({ label }: Pick<StoredModels, 'label'>): string =>
  `${label}_${randomUUID().slice(-12)}`;

/** Generations from before they had a label are a uuid. */
export const rowsCollection = ({ db }: Pick<StoredModels, 'db'>, generation: string): Collection =>
  db.collection(generation.includes('_') ? generation : `rows_${generation}`);

/** Servers before 7.0 fail on what is not there. */
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
