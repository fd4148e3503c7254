import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { opsCaller } from '../../cli/ops-client.js';
import { seededRandom, type SeededRandom } from '../../kernel/seeded-random.js';
import type { Client } from '../support/client.js';
import { repository } from '../support/test-environment.js';
import {
  runAssay,
  spawnService,
  startService,
  type ProcessExit,
} from '../support/service-process.js';
import { sealCommand, type SealResult } from '../../ledger/sealing.js';
import { brokenPromises, openLedger, type Ledger } from './ledger.js';
import { runLoad, type UnexpectedAnswer, type Target } from './load.js';
import { observeSeals, type SealObservation } from './observed-seals.js';
import {
  observeLog,
  observeOverHttp,
  type HttpObservation,
  type LogObservation,
} from './observed-state.js';

export type KillReport = {
  readonly seed: number;
  readonly kills: number;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly surprises: readonly UnexpectedAnswer[];
  readonly log: LogObservation;
  readonly http: HttpObservation;
  /** Promises broken, as the log and as the read model show it. */
  readonly brokenInLog: readonly string[];
  readonly brokenOverHttp: readonly string[];
  readonly stopped: ProcessExit;
  readonly seals: SealObservation;
  /** Result of sealing at the end, as the service reports it. */
  readonly sealedLast: SealResult;
  readonly verified: { readonly code: number | null; readonly output: string };
  /** Each history against its events in the log, as `assay audit verify` finds it. */
  readonly histories: readonly { readonly status: string; readonly erased: number }[];
};

/**
 * The most acknowledgements before the kill, and a while more: a busy machine has as many. Some
 * kills count from the first request or from the spawn, so that the first moments are hit too.
 */
const acknowledgedMost = 60;
const acknowledgedLeast = 5;
const killAfterMsMax = 50;
const startMsMax = 1_500;
const firstMomentsShare = 0.2;
const workers = 32;

/**
 * SIGKILLs a service on one folder again and again at random moments: `underLoad` times while 32
 * clients write, another has erased what it logs and all is sealed, and `atBoot` times while it
 * starts. Then starts it a last time and looks at what is there.
 */
export const killManyTimes = async (options: {
  readonly dir: string;
  readonly seed: number;
  readonly underLoad: number;
  readonly atBoot: number;
}): Promise<KillReport> => {
  const { dir, seed } = options;
  const random = seededRandom(seed);
  const ledger = openLedger();
  const surprises: UnexpectedAnswer[] = [];
  const { target, doomed } = await prepared(dir);
  const kills = shuffled(random, [
    ...Array.from({ length: options.underLoad }, () => 'load' as const),
    ...Array.from({ length: options.atBoot }, () => 'boot' as const),
  ]);
  for (const kind of kills) {
    if (kind === 'boot') await killWhileStarting(dir, random.next() * startMsMax);
    else await killUnderLoad({ dir, random, ledger, target, doomed, surprises });
  }
  const last = await startService({ dir });
  const http = await observeOverHttp(last.client, target);
  const sealedLast = await sealNow(last.opsUrl);
  const stopped = await last.stop();
  const log = await observeLog(dir, target.project);
  const seals = await observeSeals(dir);
  const verified = await runAssay(dir, 'verify');
  const histories = await historiesIn(dir);
  const killed: KillReport = {
    seed,
    kills: kills.length,
    acknowledged: ledger.entries.length - ledger.open().length,
    unknown: ledger.open().length,
    surprises,
    log,
    http,
    brokenInLog: brokenPromises(ledger, log.traces),
    brokenOverHttp: brokenPromises(ledger, http.traces),
    stopped,
    seals,
    sealedLast,
    verified,
    histories,
  };
  await keepHistory(killed, ledger);
  return killed;
};

type Prepared = Target & { readonly project: string };

export const newRun = async (client: Client, name: string): Promise<Prepared> => {
  type Made = { readonly id: string };
  const made = await client.call<Made>('POST', '/v2/projects', { body: { name } });
  const project = made.body.id;
  const root = `/v2/projects/${project}`;
  const stream = await client.call<Made>('POST', `${root}/log_streams`, { body: { name } });
  return { project, root, run: stream.body.id };
};

const prepared = async (
  dir: string,
): Promise<{ readonly target: Prepared; readonly doomed: Prepared }> => {
  const service = await startService({ dir });
  const target = await newRun(service.client, 'chaos');
  const doomed = await newRun(service.client, 'doomed');
  await logDoomed(service.client, doomed);
  await service.kill();
  return { target, doomed };
};

const killWhileStarting = async (dir: string, afterMs: number): Promise<void> => {
  const { child, ready } = spawnService({ dir });
  const early = ready.then(
    (service) => service.exited,
    () => null,
  );
  await pause(afterMs);
  child.kill('SIGKILL');
  await early;
};

const killUnderLoad = async (options: {
  readonly dir: string;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  readonly target: Target;
  readonly doomed: Target;
  readonly surprises: UnexpectedAnswer[];
}): Promise<void> => {
  const service = await startService({ dir: options.dir });
  const { random } = options;
  const afterMs = random.next() * killAfterMsMax;
  let due = random.integer(acknowledgedLeast, acknowledgedMost);
  const isLater = !random.chance(firstMomentsShare);
  let over = false;
  let enough = (): void => undefined;
  const loadedEnough = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const acknowledged = (): void => {
    due -= 1;
    if (due === 0) enough();
  };
  const shared = { ...options, client: service.client, workers };
  const erasing = eraseUntil(service.client, options.doomed, () => over);
  const loaded = runLoad({ ...shared, over: () => over, acknowledged });
  const sealing = sealUntil(service.opsUrl, () => over);
  if (isLater) await Promise.race([loadedEnough, loaded]);
  await pause(afterMs);
  over = true;
  await service.kill();
  await loaded;
  await sealing;
  await erasing;
};

const sealNow = async (opsUrl: string): Promise<SealResult> =>
  (await opsCaller(opsUrl, { opsToken: null })(sealCommand, {})) as SealResult;

/** One seal after the other: the kill meets them at any moment. */
const sealUntil = async (opsUrl: string, over: () => boolean): Promise<void> => {
  while (!over()) await sealNow(opsUrl).catch(() => null);
};

const logDoomed = (client: Client, { root, run }: Target): Promise<unknown> => {
  const traces = [{ id: randomUUID(), input: 'to be erased', spans: [] }];
  return client.send('POST', `${root}/traces`, { body: { log_stream_id: run, traces } });
};

/** One erasure after the other, of what is there. */
const eraseUntil = async (client: Client, doomed: Target, over: () => boolean): Promise<void> => {
  const body = { log_stream_id: doomed.run };
  while (!over()) {
    await client.send('POST', `${doomed.root}/traces/delete`, { body }).catch(() => null);
    await logDoomed(client, doomed).catch(() => null);
  }
};

const historiesIn = async (dir: string): Promise<KillReport['histories']> => {
  const { output } = await runAssay(dir, 'audit', 'verify', '--json');
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as KillReport['histories'][number]);
};

const shuffled = <T>(random: SeededRandom, items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

/** Keeps the files of a failing run for its analysis. */
const keepHistory = async (killed: KillReport, ledger: Ledger): Promise<void> => {
  const fine =
    killed.verified.code === 0 &&
    [
      killed.seals.problems,
      killed.surprises,
      killed.log.problems,
      killed.brokenInLog,
      killed.brokenOverHttp,
    ].every((list) => list.length === 0);
  if (fine) return;
  const folder = join(repository, 'artifacts');
  await mkdir(folder, { recursive: true });
  const { log, http, ...rest } = killed;
  const told = { ...rest, problems: log.problems, counted: http.counted, ledger: ledger.entries };
  await writeFile(join(folder, `kill-${killed.seed}.json`), JSON.stringify(told, null, 1));
};
