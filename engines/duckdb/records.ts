import { DuckDBInstance } from '@duckdb/node-api';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Beside } from '../../kernel/ports.js';
import type { Records } from '../../kernel/records.js';
import { aggregate } from './aggregate.js';
import { columns } from './column-facts.js';
import { dump } from './dump.js';
import { knownTypes, rememberedTypes } from './metric-types.js';
import { inProject } from './named-columns.js';
import { openModel, type Model } from './model.js';
import { fileName, readPointer, removeOthers, writePointer } from './pointer.js';
import { ratings } from './ratings.js';
import { runCounts } from './run-counts.js';
import { runAverages, runMeasures } from './runs.js';
import { copyAlive, forgets, wantsPurge } from './purge.js';
import { count, groups, locate, search, sessionPage, tracesOfSessions } from './search.js';
import { applyWrites } from './write.js';

// Leaves room for the rest of a service that is to stay under 1 GB.
const defaultMemoryMb = 400;
// A checkpoint writes the last, half-filled row group of each table again, so it should come
// seldom; an opening after a crash reads up to this much.
const checkpointThreshold = '48MB';

/**
 * Records on DuckDB in files under `dir`, made when missing. One process at a time. The live model
 * is the file that the pointer names; one that is built beside it becomes live when the pointer is
 * replaced. All of them share `memoryMb`.
 */
export const openRecords = async ({
  dir,
  memoryMb = defaultMemoryMb,
  purgeLaterMs = defaultPurgeLaterMs,
}: {
  readonly dir: string;
  readonly memoryMb?: number;
  /** How long what a plain deletion took may stay in the file. */
  readonly purgeLaterMs?: number;
}): Promise<Records> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const spill = join(dir, 'records-spill');
  await rm(spill, { recursive: true, force: true });
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '2',
    memory_limit: `${memoryMb}MB`,
    temp_directory: spill,
    checkpoint_threshold: checkpointThreshold,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  let generation = await readPointer(dir);
  await removeOthers(dir, generation);
  let live = await open(instance, dir, generation);
  let newest = generation;

  // Writes follow each other, and a change of the file waits for them and they for it.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => null);
    return result;
  };
  let closing = false;
  let timer: NodeJS.Timeout | null = null;
  let due = Infinity;
  /** Unless it comes before that anyway. */
  const purgeAfter = (afterMs: number): void => {
    const at = performance.now() + afterMs;
    if (closing || at >= due) return;
    if (timer !== null) clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      due = Infinity;
      void inTurn(purge).catch(() => purgeAfter(Math.max(afterMs, purgeAgainMs)));
    }, afterMs);
    timer.unref();
  };
  const purgeWhenWanted = async (laterMs: number): Promise<void> => {
    const wanted = await wantsPurge(live);
    if (wanted !== null) purgeAfter(wanted === 'soon' ? purgeAfterMs : laterMs);
  };
  const purge = async (): Promise<void> => {
    if (closing || (await wantsPurge(live)) === null) return;
    newest += 1;
    const next = { catalog: `records_${newest}`, path: join(dir, fileName(newest)) };
    await removeFile(next.path);
    await become(await copyAlive(instance, live, next), newest);
  };
  /** Another file is the live one from here on, also after a crash. */
  const become = async (model: Model, number: number): Promise<void> => {
    await writePointer(dir, number);
    const old = live;
    live = model;
    generation = number;
    await old.close();
    await removeFile(old.path);
  };
  await purgeWhenWanted(Math.min(purgeLaterMs, purgeOpenedMs));

  const beside = async (): Promise<Beside<Records>> => {
    newest += 1;
    const built = newest;
    const copy = await open(instance, dir, built);
    const close = async () => {
      await copy.close();
      await removeFile(copy.path);
    };
    return {
      model: recordsOf(() => copy, refuseBeside, close),
      adopt: async () => {
        await inTurn(() => become(copy, built));
        await purgeWhenWanted(purgeLaterMs);
      },
      discard: close,
    };
  };
  const records = recordsOf(
    () => live,
    beside,
    async () => {
      closing = true;
      if (timer !== null) clearTimeout(timer);
      live.connections.interrupt();
      await last;
      await live.close();
      instance.closeSync();
    },
  );
  return {
    ...records,
    apply: async (writes, mark) => {
      await inTurn(() => applyWrites(live, writes, mark));
      if (writes.purge === true) purgeAfter(purgeAfterMs);
      else if (forgets(writes)) purgeAfter(purgeLaterMs);
    },
  };
};

// Several jobs that end together are worth one copy; contract 5.13 leaves a minute.
const purgeAfterMs = 2_000;
const purgeAgainMs = 10_000;
// A copy of all rows costs as much whatever was deleted, so plain deletions share one an hour; after
// a start it comes sooner, once read models had time to catch up.
const defaultPurgeLaterMs = 3_600_000;
const purgeOpenedMs = 60_000;

const open = (instance: DuckDBInstance, dir: string, generation: number): Promise<Model> =>
  openModel(instance, `records_${generation}`, join(dir, fileName(generation)));

const removeFile = async (path: string): Promise<void> => {
  await rm(path, { force: true });
  await rm(`${path}.wal`, { force: true });
};

const refuseBeside = (): Promise<never> =>
  Promise.reject(new TypeError('a copy is not copied again'));

/** `model` is asked at each call, so that callers follow a switch without knowing. */
const recordsOf = (
  model: () => Model,
  beside: () => Promise<Beside<Records>>,
  close: () => Promise<void>,
): Records => ({
  checkpoint: () => Promise.resolve(model().mark.position),
  apply: (writes, mark) => applyWrites(model(), writes, mark),
  groups: (names, asking) => groups(model(), names, asking),
  tracesOfSessions: (sessions, asking) => tracesOfSessions(model(), sessions, asking),
  sessionPage: (plan, asking) => sessionPage(model(), plan, asking),
  locate: (project, population, id, asking) => locate(model(), project, population, id, asking),
  search: (plan, asking) => search(model(), plan, asking),
  count: (scope, asking) => count(model(), scope, asking),
  aggregate: (plan, asking) => aggregate(model(), plan, asking),
  columns: (scope, asking) => columns(model(), scope, asking),
  metricTypes: async (project, names, asking) => {
    const now = model();
    const { position } = now.mark;
    return (
      rememberedTypes(now, project, names, position) ??
      (await now.connections.read(
        async (statements) =>
          knownTypes(
            await inProject(now, statements, project),
            statements,
            project,
            names,
            position,
          ),
        asking,
      ))
    );
  },
  runCounts: (project, runs, asking) => runCounts(model(), project, runs, asking),
  ratings: (project, runs, asking) => ratings(model(), project, runs, asking),
  runMeasures: (project, runs, asking) => runMeasures(model(), project, runs, asking),
  runAverages: (project, metrics, runs, asking) =>
    runAverages(model(), project, metrics, runs, asking),
  runsChanged: (project, token) => Promise.resolve(model().changedRuns.since(project, token)),
  dump: () => dump(model()),
  beside,
  close,
});
