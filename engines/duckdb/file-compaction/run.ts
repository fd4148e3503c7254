import type { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import type { Checkpoint } from '../../../kernel/documents.js';
import { Fault } from '../../../kernel/fault.js';
import type { RecordWrites } from '../../../kernel/records/records.js';
import { removeDatabaseFile } from '../instance.js';
import type { InstanceSupervisor } from '../instance-supervisor.js';
import type { RecordsModel } from '../model.js';
import { databaseFileName, readLiveGeneration } from '../generation-files.js';
import { copyLiveRows, pendingPurge } from './plan.js';
import { openSpool, type Spool } from '../spool.js';
import { applyWrites } from '../apply-writes.js';

type AppliedBatch = { readonly writes: RecordWrites; readonly checkpoint: Checkpoint };

/**
 * A file is copied without what was deleted while batches go on being written to it: the copy hears
 * of them when it is made, and takes the place of the file when it has all of them.
 */
type FileCompaction = {
  /**
   * One at a time. Does nothing where nothing was deleted; throws when the copy was given up, or
   * when a file stays that was replaced.
   */
  readonly run: () => Promise<void>;
  /** In turn: the live model has this batch. */
  readonly recordBatch: (batch: AppliedBatch) => Promise<void>;
  /** In turn. Resolves when nothing is copied any more. */
  readonly cancel: () => Promise<void>;
  /** Not in turn. The same, and nothing is left of the copy. */
  readonly close: () => Promise<void>;
};

/** Batches that a copy catches up with between two of the live model: more than come. */
const stepBatches = 2;

type CompactionRun = {
  readonly from: RecordsModel;
  /** What the live model got since the copying began, and how far that took it, one by one. */
  readonly missed: Spool<AppliedBatch>;
  readonly marks: Checkpoint[];
  isCancelled: boolean;
  /** The copy, or the file as which it is opened first. */
  copy: RecordsModel | null;
  copying: Promise<unknown>;
};

type CompactionState = {
  readonly dir: string;
  readonly supervisor: InstanceSupervisor;
  /** What the batches of the live model are kept for. */
  current: CompactionRun | null;
  /** No copy is begun any more. */
  isClosing: boolean;
};

export const openFileCompaction = (
  dir: string,
  keeper: InstanceSupervisor,
  next: () => number,
): FileCompaction => {
  const works: CompactionState = { dir, supervisor: keeper, current: null, isClosing: false };
  let running: Promise<void> = Promise.resolve();

  const purge = async (): Promise<void> => {
    await keeper.removeReplacedFiles();
    if ((await keeper.run(pendingPurge)) === null) return;
    const copying = await beginCompaction(works);
    try {
      await replaceLiveFile(works, copying, next());
    } finally {
      if (works.current === copying) works.current = null;
      await copying.missed.close();
    }
    await keeper.removeReplacedFiles();
  };
  const giveUp = async (): Promise<void> => {
    const copying = works.current;
    if (copying === null) return;
    copying.isCancelled = true;
    await copying.copy?.abandon().catch(() => undefined);
    await copying.copying.catch(() => undefined);
  };

  return {
    run: () => (running = purge()),
    recordBatch: async (batch) => {
      const copying = works.current;
      if (copying === null || copying.isCancelled) return;
      try {
        await copying.missed.put(batch);
        copying.marks.push(batch.checkpoint);
      } catch {
        // The live model has the batch all the same.
        copying.isCancelled = true;
      }
    },
    cancel: giveUp,
    close: async () => {
      works.isClosing = true;
      await giveUp();
      await running.catch(() => undefined);
    },
  };
};

const beginCompaction = (works: CompactionState): Promise<CompactionRun> =>
  works.supervisor.runExclusive(async () => {
    const from = works.supervisor.live();
    const missed = await openSpool<AppliedBatch>(join(works.dir, 'records-missed'));
    if (works.isClosing) {
      await missed.close();
      throw compactionCancelled();
    }
    const copied = Promise.resolve();
    works.current = { from, missed, marks: [], isCancelled: false, copy: null, copying: copied };
    return works.current;
  });

/** Of the live model by its copy; nothing is left of a copy that fails. */
const replaceLiveFile = async (
  works: CompactionState,
  copying: CompactionRun,
  generation: number,
): Promise<void> => {
  const { dir, supervisor } = works;
  const path = join(dir, databaseFileName(generation));
  const catalog = `records_${generation}`;
  const instance = supervisor.instance();
  const opened = (model: RecordsModel): void => {
    if (copying.copy !== null) supervisor.untrack(copying.copy);
    supervisor.runOn(model);
    copying.copy = model;
    if (copying.isCancelled) throw compactionCancelled();
  };
  try {
    const made = removeDatabaseFile(path).then(() =>
      copyLiveRows(instance, copying.from, { catalog, path }, opened),
    );
    // Before anything is waited for: whoever gives it up waits for all of it.
    copying.copying = made;
    const copy = await made;
    await supervisor.runExclusive(() => skipCopiedBatches(copying, copy.checkpoint));
    while (!(await supervisor.runExclusive(() => catchUp(works, copying, copy, generation))));
  } catch (error) {
    // Once the pointer names it, it is the live one whatever else failed.
    if ((await readLiveGeneration(dir)) !== generation) {
      await discardCopy(supervisor, copying, instance, catalog);
      await removeDatabaseFile(path);
    }
    throw error;
  }
};

/** In turn. True: the copy is the live model now. */
const catchUp = async (
  works: CompactionState,
  copying: CompactionRun,
  copy: RecordsModel,
  generation: number,
): Promise<boolean> => {
  if (copying.isCancelled || works.supervisor.live() !== copying.from) throw compactionCancelled();
  for (let count = 0; count < stepBatches; count += 1) {
    const batch = await copying.missed.take();
    if (batch === null) {
      works.current = null;
      await works.supervisor.promote(copy, generation);
      return true;
    }
    await applyWrites(copy, batch.writes, batch.checkpoint);
  }
  return false;
};

/** The engine may be gone, and then nothing holds the file. */
const discardCopy = async (
  keeper: InstanceSupervisor,
  { copy }: CompactionRun,
  instance: DuckDBInstance,
  catalog: string,
): Promise<void> => {
  if (copy === null) return;
  await copy.abandon().catch(() => undefined);
  keeper.untrack(copy);
  const control = await instance.connect().catch(() => null);
  await control?.run(`DETACH DATABASE IF EXISTS ${catalog}`).catch(() => undefined);
  control?.closeSync();
};

const compactionCancelled = (): Fault => new Fault('unavailable', 'The copy is given up');

/** In turn: the batches that came before the moment whose state the copy has. */
const skipCopiedBatches = async (
  { marks, missed }: CompactionRun,
  at: Checkpoint,
): Promise<void> => {
  const last = marks.findLastIndex(
    ({ position, fence }) => position === at.position && fence === at.fence,
  );
  for (let count = 0; count <= last; count += 1) await missed.take();
};
