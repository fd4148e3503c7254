import { mkdir } from 'node:fs/promises';
import { openErasingSince, type ErasingSince } from '../node/erasing-since.js';
import type { Copying, Shadow } from '../../kernel/documents.js';
import type { Incident, Records, RecordWrites } from '../../kernel/records/records.js';
import { aggregate } from './aggregate.js';
import { columns } from './column-facts.js';
import { dump } from './dump.js';
import { knownTypes, rememberedTypes } from './metric-types.js';
import { inProject } from './named-columns.js';
import { openCopies } from './copies.js';
import { keep, type Ask } from './keeper.js';
import { withEntry } from './entries.js';
import {
  heads,
  rowsAt,
  sessionsWithTraces,
  spanOutlines,
  traceOutlines,
  tracesOfSessions,
} from './outlines.js';
import { ratings } from './ratings.js';
import { runCounts } from './run-counts.js';
import { runRows } from './run-rows.js';
import { runAverages, runMeasures } from './runs.js';
import { readLasting, readPointer } from './pointer.js';
import { openPurgeTimer, type PurgeTimer } from './purge-timer.js';
import { forgets, wantsPurge } from './purge.js';
import { openPurging } from './purging.js';
import { groupOf, groups, locate, weights } from './groups.js';
import { count, search, sessionPage } from './search.js';
import { prepareWrites } from './ahead.js';
import { applyWrites } from './write.js';

// Leaves room for the rest of a service that is to stay under 1 GB.
const defaultMemoryMb = 300;

type RecordsOptions = {
  readonly dir: string;
  readonly memoryMb?: number;
  /** How long nothing is written before what was deleted leaves the file. */
  readonly purgeIdleMs?: number;
  /** How long what was deleted may stay in the file while batches come. */
  readonly purgeLaterMs?: number;
  readonly notice?: (incident: Incident) => void;
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
  notice = () => undefined,
}: RecordsOptions): Promise<Records> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const keeper = await keep({ dir, memoryMb, notice });
  const { ask } = keeper;
  let newest = Math.max(await readPointer(dir), (await readLasting(dir)) ?? 1);

  const next = (): number => (newest += 1);
  const purging = openPurging(dir, keeper, next);
  const erasing = openErasingSince();
  const timer = openPurgeTimer(() => erasing.cleaning(purging.purge));
  const purgeWhenWanted = async (laterMs: number): Promise<void> => {
    const wanted = await ask(wantsPurge);
    if (wanted === null) return;
    erasing.deleted();
    if (wanted === 'soon') timer.after(purgeAfterMs);
    else timer.whenIdle(purgeIdleMs, laterMs);
  };
  await purgeWhenWanted(Math.min(purgeLaterMs, purgeOpenedMs));

  const become: typeof keeper.become = async (copy, generation) => {
    await purging.giveUp();
    await keeper.become(copy, generation);
  };
  const copies = openCopies(
    dir,
    { ...keeper, become },
    {
      over: (askCopy, close) => recordsOf(askCopy, noCopies, close),
      promoted: async () => {
        try {
          await keeper.removeReplaced();
          await purgeWhenWanted(purgeLaterMs);
        } catch {
          // A purge does both.
          timer.after(purgeAfterMs);
        }
      },
    },
  );
  const shadow = ({ lasting = false }: Copying = {}): Promise<Shadow<Records>> =>
    copies.begin(next(), lasting);
  const records = recordsOf(ask, { shadow, resume: copies.resume }, async () => {
    timer.stop();
    await purging.close();
    await keeper.close();
  });
  const noteWrites = noting(erasing, timer, { purgeIdleMs, purgeLaterMs });
  return {
    ...records,
    erasingSince: erasing.since,
    apply: async (writes, checkpoint) => {
      await keeper.write(async (live) => {
        await applyWrites(live, writes, checkpoint);
        await purging.applied({ writes, checkpoint });
      });
      noteWrites(writes);
    },
  };
};

/** What was written puts a purge off, or asks for one. */
const noting =
  (
    erasing: ErasingSince,
    timer: PurgeTimer,
    { purgeIdleMs, purgeLaterMs }: { readonly purgeIdleMs: number; readonly purgeLaterMs: number },
  ) =>
  (writes: RecordWrites): void => {
    timer.written();
    if (writes.purge === true || forgets(writes)) erasing.deleted();
    if (writes.purge === true) timer.after(purgeAfterMs);
    else if (forgets(writes)) timer.whenIdle(purgeIdleMs, purgeLaterMs);
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
  ask: Ask,
  { shadow, resume }: Pick<Records, 'shadow' | 'resume'>,
  close: () => Promise<void>,
): Records => ({
  checkpoint: () => ask(async ({ checkpoint }) => checkpoint.position),
  // Whatever is wrong with them, `apply` says it.
  prepare: (writes) => ask((model) => prepareWrites(model, writes)).catch(() => undefined),
  apply: (writes, checkpoint) => ask((model) => applyWrites(model, writes, checkpoint)),
  heads: (names) => ask((model) => heads(model, names)),
  spanOutlines: (names) => ask((model) => spanOutlines(model, names)),
  rowsAt: (places) => ask((model) => rowsAt(model, places)),
  sessionsWithTraces: (sessions) => ask((model) => sessionsWithTraces(model, sessions)),
  traceOutlines: (session, part) => ask((model) => traceOutlines(model, session, part)),
  groups: (names, asking) => ask((model) => groups(model, names, asking)),
  weights: (names, asking) => ask((model) => weights(model, names, asking)),
  tracesOfSessions: (project, sessions, tracesMax, asking) =>
    ask((model) => tracesOfSessions(model, { project, sessions, tracesMax }, asking)),
  withEntry: (plan, asking) => ask((model) => withEntry(model, plan, asking)),
  sessionPage: (plan, asking) => ask((model) => sessionPage(model, plan, asking)),
  locate: (project, population, id, asking) =>
    ask((model) => locate(model, project, population, id, asking)),
  groupOf: (plan, asking) => ask((model) => groupOf(model, plan, asking)),
  search: (plan, asking) => ask((model) => search(model, plan, asking)),
  count: (scope, asking) => ask((model) => count(model, scope, asking)),
  aggregate: (plan, asking) => ask((model) => aggregate(model, plan, asking)),
  columns: (scope, asking) => ask((model) => columns(model, scope, asking)),
  metricTypes: (project, names, asking) =>
    ask(async (model) => {
      const { position } = model.checkpoint;
      return (
        rememberedTypes(model, project, names, position) ??
        (await model.connections.read(
          async (statements) =>
            knownTypes(
              await inProject(model, statements, project),
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
  ratings: (project, runs, asking) => ask((model) => ratings(model, project, runs, asking)),
  runMeasures: (project, runs, asking) => ask((model) => runMeasures(model, project, runs, asking)),
  runAverages: (project, metrics, runs, asking) =>
    ask((model) => runAverages(model, project, metrics, runs, asking)),
  runRows: (plan, asking) => ask((model) => runRows(model, plan, asking)),
  runsChanged: (project, token) =>
    ask(async ({ changedRuns }) => changedRuns.since(project, token)),
  dump: () => dump(ask),
  shadow,
  resume,
  close,
});
