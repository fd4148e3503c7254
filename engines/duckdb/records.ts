import { mkdir } from 'node:fs/promises';
import { openErasureBacklog, type ErasureBacklog } from '../node/erasure-backlog.js';
import type { ShadowOptions, Shadow } from '../../kernel/documents.js';
import type { Incident, Records, RecordWrites } from '../../kernel/records/records.js';
import { aggregate } from './aggregate.js';
import { columnFacts } from './column-facts.js';
import { dump } from './dump.js';
import { loadMetricTypes, cachedMetricTypes } from './metric-types.js';
import { projectModelOf } from './project-columns.js';
import { openShadowCopies } from './shadow-copies.js';
import { openInstanceSupervisor, type RunOnModel } from './instance-supervisor.js';
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
import { readDurableGeneration, readLiveGeneration } from './generation-files.js';
import { openCompactionSchedule, type CompactionSchedule } from './file-compaction/schedule.js';
import { deletesRows, pendingPurge } from './file-compaction/plan.js';
import { openFileCompaction } from './file-compaction/run.js';
import { groupRows, rowsByGroup, findGroup, groupBytes } from './record-groups.js';
import { count, search, sessionPage } from './search.js';
import { prefetchBatch } from './batch-prefetch.js';
import { applyWrites } from './apply-writes.js';

// Leaves room for the rest of a service that is to stay under 1 GB.
const defaultMemoryMb = 300;

type RecordsOptions = {
  readonly dir: string;
  readonly memoryMb?: number;
  /** How long nothing is written before what was deleted leaves the file. */
  readonly purgeIdleMs?: number;
  /** How long what was deleted may stay in the file while batches come. */
  readonly purgeLaterMs?: number;
  readonly onIncident?: (incident: Incident) => void;
};

/**
 * Records on DuckDB in files under `dir`, made when missing. One process at a time. The live model
 * is the file that the pointer names; one that is built beside it becomes live when the pointer is
 * replaced. All of them share `memoryMb`. An engine that gave up is opened again, and a file that
 * cannot be read is dropped: `checkpoint` says then from where the log has to fill another.
 */
export const openRecords = async ({
  dir,
  memoryMb = defaultMemoryMb,
  purgeIdleMs = defaultPurgeIdleMs,
  purgeLaterMs = defaultPurgeLaterMs,
  onIncident = () => undefined,
}: RecordsOptions): Promise<Records> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const keeper = await openInstanceSupervisor({ dir, memoryMb, onIncident });
  const { run } = keeper;
  let newest = Math.max(await readLiveGeneration(dir), (await readDurableGeneration(dir)) ?? 1);

  const next = (): number => (newest += 1);
  const purging = openFileCompaction(dir, keeper, next);
  const erasing = openErasureBacklog();
  const timer = openCompactionSchedule(() => erasing.runCleaning(purging.run));
  const purgeWhenWanted = async (laterMs: number): Promise<void> => {
    const wanted = await run(pendingPurge);
    if (wanted === null) return;
    erasing.recordDeletion();
    if (wanted === 'soon') timer.runAfter(purgeAfterMs);
    else timer.runWhenIdle(purgeIdleMs, laterMs);
  };
  await purgeWhenWanted(Math.min(purgeLaterMs, purgeOpenedMs));

  const become: typeof keeper.promote = async (copy, generation) => {
    await purging.cancel();
    await keeper.promote(copy, generation);
  };
  const copies = openShadowCopies(
    dir,
    { ...keeper, promote: become },
    {
      over: (askCopy, close) => recordsOf(askCopy, noCopies, close),
      promoted: async () => {
        try {
          await keeper.removeReplacedFiles();
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
    await purging.close();
    await keeper.close();
  });
  const noteWrites = scheduleAfterWrites(erasing, timer, { purgeIdleMs, purgeLaterMs });
  return {
    ...records,
    erasingSince: erasing.since,
    apply: async (writes, checkpoint) => {
      await keeper.write(async (live) => {
        await applyWrites(live, writes, checkpoint);
        await purging.recordBatch({ writes, checkpoint });
      });
      noteWrites(writes);
    },
  };
};

/** What was written puts a purge off, or asks for one. */
const scheduleAfterWrites =
  (
    erasing: ErasureBacklog,
    timer: CompactionSchedule,
    { purgeIdleMs, purgeLaterMs }: { readonly purgeIdleMs: number; readonly purgeLaterMs: number },
  ) =>
  (writes: RecordWrites): void => {
    timer.recordWrite();
    if (writes.purge === true || deletesRows(writes)) erasing.recordDeletion();
    if (writes.purge === true) timer.runAfter(purgeAfterMs);
    else if (deletesRows(writes)) timer.runWhenIdle(purgeIdleMs, purgeLaterMs);
  };

// Several jobs that end together are worth one copy; contract 5.13 leaves a minute.
const purgeAfterMs = 2_000;
// A copy of all rows costs as much whatever was deleted: it is made when nothing else is written,
// and while batches come plain deletions share one in a quarter of an hour (contract 5.13).
const defaultPurgeIdleMs = 10_000;
const defaultPurgeLaterMs = 900_000;
// After a start it comes sooner, once read models had time to catch up.
const purgeOpenedMs = 20_000;

const refuseCopy = (): Promise<never> =>
  Promise.reject(new TypeError('a copy is not copied again'));
const noCopies = { shadow: refuseCopy, resume: refuseCopy };

/** `ask` finds the model at each call, so that callers follow a switch without knowing. */
const recordsOf = (
  ask: RunOnModel,
  { shadow, resume }: Pick<Records, 'shadow' | 'resume'>,
  close: () => Promise<void>,
): Records => ({
  checkpoint: () => ask(async ({ checkpoint }) => checkpoint.position),
  // Whatever is wrong with them, `apply` says it.
  prefetch: (writes) => ask((model) => prefetchBatch(model, writes)).catch(() => undefined),
  apply: (writes, checkpoint) => ask((model) => applyWrites(model, writes, checkpoint)),
  firstRows: (names) => ask((model) => firstRows(model, names)),
  spanOutlines: (names) => ask((model) => spanOutlines(model, names)),
  rowsByOrdinal: (places) => ask((model) => rowsByOrdinal(model, places)),
  sessionsWithTraces: (sessions) => ask((model) => sessionsWithTraces(model, sessions)),
  traceOutlines: (session, part) => ask((model) => traceOutlines(model, session, part)),
  rowsByGroup: (names, asking) => ask((model) => rowsByGroup(model, names, asking)),
  groupBytes: (names, asking) => ask((model) => groupBytes(model, names, asking)),
  tracesOfSessions: (project, sessions, tracesMax, asking) =>
    ask((model) => tracesOfSessions(model, { project, sessions, tracesMax }, asking)),
  recordsWithEntry: (plan, asking) => ask((model) => recordsWithEntry(model, plan, asking)),
  sessionPage: (plan, asking) => ask((model) => sessionPage(model, plan, asking)),
  findGroup: (project, population, id, asking) =>
    ask((model) => findGroup(model, project, population, id, asking)),
  groupRows: (plan, asking) => ask((model) => groupRows(model, plan, asking)),
  search: (plan, asking) => ask((model) => search(model, plan, asking)),
  count: (scope, asking) => ask((model) => count(model, scope, asking)),
  aggregate: (plan, asking) => ask((model) => aggregate(model, plan, asking)),
  columns: (scope, asking) => ask((model) => columnFacts(model, scope, asking)),
  metricTypes: (project, names, asking) =>
    ask(async (model) => {
      const { position } = model.checkpoint;
      return (
        cachedMetricTypes(model, project, names, position) ??
        (await model.connections.read(
          async (statements) =>
            loadMetricTypes(
              await projectModelOf(model, statements, project),
              statements,
              project,
              names,
              position,
            ),
          asking,
        ))
      );
    }),
  runCounts: (project, runs, asking) => ask((model) => runCounts(model, project, runs, asking)),
  ratings: (project, runs, asking) => ask((model) => ratingCounts(model, project, runs, asking)),
  runMeasures: (project, runs, asking) => ask((model) => runMeasures(model, project, runs, asking)),
  runAverages: (project, metrics, runs, asking) =>
    ask((model) => runAverages(model, project, metrics, runs, asking)),
  runRows: (plan, asking) => ask((model) => runRows(model, plan, asking)),
  changedRuns: (project, token) =>
    ask(async ({ changedRuns }) => changedRuns.since(project, token)),
  dump: () => dump(ask),
  shadow,
  resume,
  close,
});
