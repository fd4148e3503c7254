import type { DuckDBInstance } from '@duckdb/node-api';
import { join } from 'node:path';
import type { Checkpoint } from '../../../kernel/documents.js';
import { Fault, redactedReason } from '../../../kernel/fault.js';
import type { Incident, RecordWrites } from '../../../kernel/records/records.js';
import { incidentKindOf } from '../engine-errors.js';
import { removeDatabaseFile } from '../instance.js';
import type { InstanceSupervisor } from '../instance-supervisor.js';
import type { RecordsModel } from '../model.js';
import { databaseFileName, readLiveGeneration } from '../generation-files.js';
import { copyLiveRows, pendingPurge } from './plan.js';
import { openSpool, type Spool } from '../spool.js';
import { applyWrites } from '../apply-writes.js';

type AppliedBatch = { readonly writes: RecordWrites; readonly checkpoint: Checkpoint };

/**
 * Compacts the live file without stopping writes: copies it without deleted rows, replays the
 * batches written meanwhile, then promotes the copy.
 */
type FileCompaction = {
  /**
   * Runs one compaction at a time. No-op if nothing was deleted; throws if the copy was cancelled
   * or a replaced file could not be removed.
   */
  readonly run: () => Promise<void>;
  /** Records a batch of the live model. Runs exclusively. */
  readonly recordBatch: (batch: AppliedBatch) => Promise<void>;
  /** Cancels the copy; resolves once it has stopped. Runs exclusively. */
  readonly cancel: () => Promise<void>;
  /** Cancels the copy and removes its file. Not exclusive. */
  readonly close: () => Promise<void>;
};

/** Batches replayed between two batches of the live model: more than arrive. */
const stepBatches = 2;

type CompactionRun = {
  readonly from: RecordsModel;
  /** Batches applied to the live model since the copy began, and their checkpoints. */
  readonly missed: Spool<AppliedBatch>;
  readonly marks: Checkpoint[];
  isCancelled: boolean;
  /** Error of a batch that was not spooled, which cancelled the copy. */
  spoolError: unknown;
  /** The copy, or the file under the name it is first opened by. */
  copy: RecordsModel | null;
  copying: Promise<unknown>;
};

type CompactionState = {
  readonly dir: string;
  readonly supervisor: InstanceSupervisor;
  /** The running compaction, for which live batches are spooled. */
  current: CompactionRun | null;
  /** True once no further copy may begin. */
  isClosing: boolean;
};

export const openFileCompaction = (
  dir: string,
  supervisor: InstanceSupervisor,
  next: () => number,
  onIncident: (incident: Incident) => void,
): FileCompaction => {
  const state: CompactionState = { dir, supervisor, current: null, isClosing: false };
  let running: Promise<void> = Promise.resolve();

  const purge = async (): Promise<void> => {
    await supervisor.removeReplacedFiles();
    if ((await supervisor.run(pendingPurge)) === null) return;
    const copying = await beginCompaction(state);
    try {
      await copying.from.flush.requireRoomForCopy();
      await replaceLiveFile(state, copying, next());
    } finally {
      if (state.current === copying) state.current = null;
      await copying.missed.close();
    }
    await supervisor.removeReplacedFiles();
  };
  const purgeReported = reportOnce(purge, onIncident);
  const cancel = async (): Promise<void> => {
    const copying = state.current;
    if (copying === null) return;
    copying.isCancelled = true;
    await copying.copy?.abandon().catch(() => undefined);
    await copying.copying.catch(() => undefined);
  };

  return {
    run: () => (running = purgeReported()),
    recordBatch: async (batch) => {
      const copying = state.current;
      if (copying === null || copying.isCancelled) return;
      try {
        await copying.missed.put(storableBatch(batch));
        copying.marks.push(batch.checkpoint);
      } catch (error) {
        // Only the copy lacks the batch; the live model has it.
        copying.isCancelled = true;
        copying.spoolError = error;
      }
    },
    cancel,
    close: async () => {
      state.isClosing = true;
      await cancel();
      await running.catch(() => undefined);
    },
  };
};

const beginCompaction = (state: CompactionState): Promise<CompactionRun> =>
  state.supervisor.runExclusive(async () => {
    const from = state.supervisor.live();
    const missed = await openSpool<AppliedBatch>(join(state.dir, 'records-missed'));
    if (state.isClosing) {
      await missed.close();
      throw compactionCancelled();
    }
    const begun = { isCancelled: false, spoolError: undefined, copy: null };
    state.current = { from, missed, marks: [], ...begun, copying: Promise.resolve() };
    return state.current;
  });

/** Replaces the live model by its copy; a failed copy is removed. */
const replaceLiveFile = async (
  state: CompactionState,
  copying: CompactionRun,
  generation: number,
): Promise<void> => {
  const { dir, supervisor } = state;
  const path = join(dir, databaseFileName(generation));
  const catalog = `records_${generation}`;
  const instance = supervisor.instance();
  const opened = (model: RecordsModel): void => {
    if (copying.copy !== null) supervisor.untrack(copying.copy);
    supervisor.runOn(model);
    copying.copy = model;
    if (copying.isCancelled) throw compactionCancelled(copying.spoolError);
  };
  try {
    const made = removeDatabaseFile(path).then(() =>
      copyLiveRows(instance, copying.from, { catalog, path }, opened),
    );
    // Set before the first await: cancellation waits for all of it.
    copying.copying = made;
    const copy = await made;
    await supervisor.runExclusive(() => skipCopiedBatches(copying, copy.checkpoint));
    while (!(await supervisor.runExclusive(() => catchUp(state, copying, copy, generation))));
  } catch (error) {
    // Once the pointer names the copy, it is live, whatever else failed.
    if ((await readLiveGeneration(dir)) !== generation) {
      await discardCopy(supervisor, copying, instance, catalog);
      await removeDatabaseFile(path);
    }
    throw error;
  }
};

/** Replays some spooled batches. Returns true once the copy is live. Runs exclusively. */
const catchUp = async (
  state: CompactionState,
  copying: CompactionRun,
  copy: RecordsModel,
  generation: number,
): Promise<boolean> => {
  if (copying.isCancelled || state.supervisor.live() !== copying.from)
    throw compactionCancelled(copying.spoolError);
  for (let count = 0; count < stepBatches; count += 1) {
    const batch = await copying.missed.take();
    if (batch === null) {
      state.current = null;
      await state.supervisor.promote(copy, generation);
      return true;
    }
    await applyWrites(copy, batch.writes, batch.checkpoint);
  }
  return false;
};

/** Closes and drops the copy. The engine may be gone, and then holds no file. */
const discardCopy = async (
  supervisor: InstanceSupervisor,
  { copy }: CompactionRun,
  instance: DuckDBInstance,
  catalog: string,
): Promise<void> => {
  if (copy === null) return;
  await copy.abandon().catch(() => undefined);
  supervisor.untrack(copy);
  const control = await instance.connect().catch(() => null);
  await control?.run(`DETACH DATABASE IF EXISTS ${catalog}`).catch(() => undefined);
  control?.closeSync();
};

/** The batch with rows of its fresh traces: columns are functions, which no file can hold. */
const storableBatch = ({ writes, checkpoint }: AppliedBatch): AppliedBatch => {
  const groups = writes.groups.map((write) => {
    const { columns: _, ...rows } = write;
    return rows;
  });
  return { writes: { ...writes, groups }, checkpoint };
};

const compactionCancelled = (cause?: unknown): Fault =>
  new Fault('unavailable', 'The compaction was cancelled', { cause });

/** Reports a failure once, until a run succeeds. A cancelled copy is not reported. */
const reportOnce = (
  run: () => Promise<void>,
  onIncident: (incident: Incident) => void,
): (() => Promise<void>) => {
  let isReported = false;
  return async () => {
    try {
      await run();
      isReported = false;
    } catch (error) {
      const isCancelled = error instanceof Fault && error.cause === undefined;
      if (!isCancelled && !isReported) {
        isReported = true;
        const [kind, cause] = [incidentKindOf(error), redactedReason(error)];
        onIncident({ kind, did: 'uncompacted', cause });
      }
      throw error;
    }
  };
};

/** Drops spooled batches that the copy's snapshot contains. Runs exclusively. */
const skipCopiedBatches = async (
  { marks, missed }: CompactionRun,
  at: Checkpoint,
): Promise<void> => {
  const last = marks.findLastIndex(
    ({ position, fence }) => position === at.position && fence === at.fence,
  );
  for (let count = 0; count <= last; count += 1) await missed.take();
};
