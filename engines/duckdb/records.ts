import { mkdir } from 'node:fs/promises';
import { openErasureBacklog, type ErasureBacklog } from '../node/erasure-backlog.js';
import type { ShadowOptions, Shadow } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type {
  Incident,
  RecordFolding,
  Records,
  RecordWrites,
} from '../../kernel/records/records.js';
import { aggregate } from './aggregate.js';
import { columnFacts } from './column-facts.js';
import { dump } from './dump.js';
import { metricTypes } from './metric-types.js';
import type { RecordsModel } from './model.js';
import { openShadowCopies } from './shadow-copies.js';
import {
  openInstanceSupervisor,
  type InstanceSupervisor,
  type RunOnModel,
} from './instance-supervisor.js';
import { recordsWithEntry } from './metadata-entries.js';
import {
  firstRows,
  rowsByOrdinal,
  sessionsWithTraces,
  spanOutlines,
  traceOutlines,
  tracesOfSessions,
} from './outlines.js';
import { ratingCounts } from './rating-counts.js';
import { runCounts } from './run-counts.js';
import { runRows } from './run-rows.js';
import { runAverages, runMeasures } from './run-measures.js';
import type { ModelFlush } from './flush.js';
import { readDurableGeneration, readLiveGeneration } from './generation-files.js';
import { openIdleSchedule, type IdleSchedule } from './idle-schedule.js';
import { deletesRows, pendingPurge } from './file-compaction/plan.js';
import { openFileCompaction } from './file-compaction/run.js';
import { groupRows, rowsByGroup, findGroup, groupBytes } from './record-groups.js';
import { count, cursorOf, search, sessionPage } from './search.js';
import { prefetchBatch } from './batch-prefetch.js';
import { applyWrites } from './apply-writes.js';

// Leaves room for the rest of a service that stays under 1 GB.
const defaultMemoryMb = 300;

type RecordsOptions = {
  readonly dir: string;
  readonly memoryMb?: number;
  /** Idle time without writes before deleted data leaves the file. */
  readonly purgeIdleMs?: number;
  /** Longest time that deleted data stays in the file while batches arrive. */
  readonly purgeLaterMs?: number;
  /** Idle time without writes before the last ones are flushed. */
  readonly flushIdleMs?: number;
  readonly onIncident?: (incident: Incident) => void;
};

/**
 * Records on DuckDB in files under `dir`, created when missing; one process at a time. The live
 * model is the file that the pointer names; a shadow built beside it becomes live when the pointer
 * is replaced. All share `memoryMb`. An invalidated engine is reopened at its last flush, and an
 * unreadable file is dropped: `checkpoint` then tells from where the log has to be folded again.
 */
export const openRecords = async ({
  dir,
  memoryMb = defaultMemoryMb,
  purgeIdleMs = defaultPurgeIdleMs,
  purgeLaterMs = defaultPurgeLaterMs,
  flushIdleMs = defaultFlushIdleMs,
  onIncident = () => undefined,
}: RecordsOptions): Promise<Records> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const supervisor = await openInstanceSupervisor({ dir, memoryMb, onIncident });
  const { run } = supervisor;
  let newest = Math.max(await readLiveGeneration(dir), (await readDurableGeneration(dir)) ?? 1);

  const next = (): number => (newest += 1);
  const purging = openFileCompaction(dir, supervisor, next, onIncident);
  const erasing = openErasureBacklog();
  const timer = openIdleSchedule(() => erasing.runCleaning(purging.run));
  const flushing = openFlushing(supervisor, flushIdleMs);
  const purgeWhenWanted = async (laterMs: number): Promise<void> => {
    const wanted = await run(pendingPurge);
    if (wanted === null) return;
    erasing.recordDeletion();
    if (wanted === 'soon') timer.runAfter(purgeAfterMs);
    else timer.runWhenIdle(purgeIdleMs, laterMs);
  };
  await purgeWhenWanted(Math.min(purgeLaterMs, purgeOpenedMs));

  const become: typeof supervisor.promote = async (copy, generation) => {
    await purging.cancel();
    await supervisor.promote(copy, generation);
  };
  const copies = openShadowCopies(
    dir,
    { ...supervisor, promote: become },
    {
      over: (askCopy, close) => recordsOf(askCopy, noCopies, close),
      promoted: async () => {
        try {
          await supervisor.removeReplacedFiles();
          await purgeWhenWanted(purgeLaterMs);
        } catch {
          // A purge does both.
          timer.runAfter(purgeAfterMs);
        }
      },
    },
  );
  const shadow = ({ durable = false }: ShadowOptions = {}): Promise<Shadow<Records>> =>
    copies.begin(next(), durable);
  const records = recordsOf(run, { shadow, resume: copies.resume }, async () => {
    timer.stop();
    flushing.stop();
    await purging.close();
    await supervisor.close();
  });
  const noteWrites = scheduleAfterWrites(erasing, timer, { purgeIdleMs, purgeLaterMs });
  return {
    ...records,
    flush: flushing.run,
    erasingSince: erasing.since,
    apply: async (writes, checkpoint) => {
      await supervisor.write(async (live) => {
        await applyWrites(live, writes, checkpoint);
        await purging.recordBatch({ writes, checkpoint });
        noteWrites(writes, live.flush);
      });
      flushing.recordWrite();
    },
  };
};

/** Flushes the live file on demand, and once writes are idle. */
const openFlushing = ({ write }: Pick<InstanceSupervisor, 'write'>, idleMs: number) => {
  const run = (): Promise<void> => write((live) => live.flush.run());
  const timer = openIdleSchedule(run);
  return {
    run,
    recordWrite: (): void => {
      timer.recordWrite();
      timer.runWhenIdle(idleMs, flushLatestMs);
    },
    stop: timer.stop,
  };
};

/** Postpones the purge after a write, or schedules one. */
const scheduleAfterWrites =
  (
    erasing: ErasureBacklog,
    timer: IdleSchedule,
    { purgeIdleMs, purgeLaterMs }: { readonly purgeIdleMs: number; readonly purgeLaterMs: number },
  ) =>
  (writes: RecordWrites, { wasCutOff }: Pick<ModelFlush, 'wasCutOff'>): void => {
    timer.recordWrite();
    const isWanted = writes.purge === true || deletesRows(writes) || wasCutOff;
    if (isWanted) erasing.recordDeletion();
    if (writes.purge === true) timer.runAfter(purgeAfterMs);
    else if (isWanted) timer.runWhenIdle(purgeIdleMs, purgeLaterMs);
  };

// Several jobs that end together share one copy; contract 5.13 allows a minute.
const purgeAfterMs = 2_000;
// A copy of all rows costs the same whatever was deleted: it runs when writes are idle, and while
// batches arrive plain deletions share one per quarter of an hour (contract 5.13).
const defaultPurgeIdleMs = 10_000;
const defaultPurgeLaterMs = 900_000;
// Sooner after a start, once read models had time to catch up.
const purgeOpenedMs = 20_000;

// A flush rewrites a half-filled row group, so it waits until no write extends that; while writes
// come slowly, a crash takes back a minute of them (flush.ts bounds the rest).
const defaultFlushIdleMs = 10_000;
const flushLatestMs = 60_000;

const refuseCopy = (): Promise<never> =>
  Promise.reject(new TypeError('a shadow copy cannot be copied'));
const noCopies = { shadow: refuseCopy, resume: refuseCopy };

/** Methods as functions of the model that they run on. */
type OnModel<T> = {
  readonly [K in keyof T]-?: T[K] extends (...values: infer V) => Promise<infer R>
    ? (model: RecordsModel, ...values: V) => Promise<R>
    : never;
};

const methodsOnModel: OnModel<RecordQueries & Pick<RecordFolding, FoldingReads>> = {
  spanOutlines,
  rowsByOrdinal,
  sessionsWithTraces,
  traceOutlines,
  firstRows,
  rowsByGroup,
  groupBytes,
  tracesOfSessions,
  recordsWithEntry,
  sessionPage,
  findGroup,
  groupRows,
  search,
  cursorOf,
  count,
  aggregate,
  columns: columnFacts,
  metricTypes,
  runCounts,
  ratings: ratingCounts,
  runMeasures,
  runAverages,
  runRows,
  changedRuns: async ({ changedRuns }, project, token) => changedRuns.since(project, token),
};
type FoldingReads = 'spanOutlines' | 'rowsByOrdinal' | 'sessionsWithTraces' | 'traceOutlines';

const boundMethods = (withModel: RunOnModel) =>
  Object.fromEntries(
    Object.entries(methodsOnModel).map(([name, method]) => [
      name,
      (...values: readonly unknown[]) =>
        withModel((model) => (method as MethodOnModel)(model, ...values)),
    ]),
  ) as unknown as RecordQueries & Pick<RecordFolding, FoldingReads>;
type MethodOnModel = (model: RecordsModel, ...values: readonly unknown[]) => Promise<unknown>;

/**
 * `Records` over `withModel`, which looks the model up at each call, so that callers follow a
 * promotion.
 */
const recordsOf = (
  withModel: RunOnModel,
  { shadow, resume }: Pick<Records, 'shadow' | 'resume'>,
  close: () => Promise<void>,
): Records => ({
  ...boundMethods(withModel),
  checkpoint: () => withModel(async ({ checkpoint }) => checkpoint.position),
  // `apply` reports any error of them.
  prefetch: (writes) => withModel((model) => prefetchBatch(model, writes)).catch(() => undefined),
  apply: (writes, checkpoint) => withModel((model) => applyWrites(model, writes, checkpoint)),
  flush: () => withModel((model) => model.flush.run()),
  dump: () => dump(withModel),
  shadow,
  resume,
  close,
});
