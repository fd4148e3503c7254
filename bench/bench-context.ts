import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { clientOf, type Client } from '../test/support/client.js';
import type { ServiceProcess } from '../test/support/service-process.js';
import type { LoadPlan, LoadResult } from './load.js';
import { sendLoad } from './load.js';

/** Context of a group of rows. */
export type BenchContext = {
  /** An empty folder on the disk that is measured. */
  readonly dir: string;
  readonly smoke: boolean;
  /** Number of spans that the queries cover. */
  readonly spans: number;
  /** The same of the service on several machines. */
  readonly spreadSpans: number;
  /** Number of traces that the console lists and charts. */
  readonly traces: number;
  /** Bytes of texts that text queries search. */
  readonly textBytes: number;
  readonly isWanted: (row: string) => boolean;
  readonly say: (line: string) => void;
};

export type BenchTarget = { readonly root: string; readonly run: string };
type Made = { readonly id: string };

export const newProject = async (client: Client, name: string): Promise<string> =>
  `/v2/projects/${(await client.call<Made>('POST', '/v2/projects', { body: { name } })).body.id}`;
export const newRun = async (client: Client, root: string, name: string): Promise<string> =>
  (await client.call<Made>('POST', `${root}/log_streams`, { body: { name } })).body.id;

/** A whole load, or an error: a bench that counts refusals as work would lie. */
export const runLoad = async (
  service: ServiceProcess,
  place: BenchTarget,
  load: Pick<
    LoadPlan,
    'shape' | 'seed' | 'from' | 'requests' | 'connections' | 'requestsPerSecond'
  >,
  progress?: (answered: number) => void,
): Promise<LoadResult> => {
  const { url, apiKey } = service;
  const done = await sendLoad({ url, apiKey, ...place, ...load }, progress);
  if (done.failures.length > 0)
    throw new Error(`The load was refused: ${done.failures.join('\n')}\n${service.output()}`);
  return done;
};

const patienceMs = 900_000;

/** Resolves once reads answer from the state at this position or after it. */
export const waitForPosition = async (
  service: ServiceProcess,
  { root, run }: BenchTarget,
  position: string,
  selector: 'log_stream_id' | 'experiment_id' = 'log_stream_id',
): Promise<void> => {
  const until = performance.now() + patienceMs;
  const headers = { 'X-Min-Position': position };
  for (;;) {
    const body = { [selector]: run };
    const reply = await service.client.send('POST', `${root}/traces/count`, { body, headers });
    if (reply.status === 200) return;
    if (reply.status !== 503 || performance.now() > until)
      throw new Error(`Not projected: ${reply.status} ${JSON.stringify(reply.body)}`);
  }
};

type Ready = { readonly projections: readonly { readonly lag_seconds: number }[] };

/**
 * Looks at `/readyz` every 50 ms until `stop`, which answers the greatest lag of any projection at
 * each look.
 */
export const watchLag = (opsUrl: string): { readonly stop: () => Promise<readonly number[]> } => {
  const seen: number[] = [];
  const ops = clientOf({ url: opsUrl, apiKey: null });
  const state = { over: false };
  const watching = (async () => {
    while (!state.over) {
      // A look that fails is left out: what the load itself runs into is reported by `runLoad`.
      const looked = await ops.send<Ready>('GET', '/readyz').catch(() => null);
      if (looked !== null)
        seen.push(Math.max(0, ...looked.body.projections.map(({ lag_seconds }) => lag_seconds)));
      await pause(50);
    }
  })();
  return {
    stop: async () => {
      state.over = true;
      await watching;
      ops.close();
      return seen;
    },
  };
};

/** Resident memory of a process in MB, now and at its highest; Linux only. */
export const memoryOf = (pid: number): { readonly now: number; readonly highest: number } => {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  const kb = (name: string): number =>
    Number.parseInt(lines.find((line) => line.startsWith(name))?.split(':')[1] ?? '', 10);
  return { now: kb('VmRSS') / 1_024, highest: kb('VmHWM') / 1_024 };
};

/** Milliseconds of each of `times` runs, one after the other. */
export const timeRuns = async (times: number, work: () => Promise<unknown>): Promise<number[]> => {
  const taken: number[] = [];
  for (let at = 0; at < times; at += 1) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  return taken;
};

/**
 * Begins so many works a second, evenly, without waiting for the one before, for so long or until
 * the signal; resolves when all are over. What is late is begun at once, so that a slow service is
 * not spared.
 */
export const runAtRate = async (
  perSecond: number,
  seconds: number,
  work: (n: number) => Promise<void>,
  until?: AbortSignal,
): Promise<void> => {
  const began = performance.now();
  const all: Promise<void>[] = [];
  for (let n = 0; n < seconds * perSecond; n += 1) {
    if (until?.aborted === true) break;
    const due = began + (n * 1_000) / perSecond;
    if (due > performance.now()) await pause(due - performance.now());
    all.push(work(n));
  }
  await Promise.all(all);
};
