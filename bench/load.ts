import { fork } from 'node:child_process';
import type { Summary } from './statistics.js';

/** Plan of the load generator. It runs in a process of its own, so that it shares no event loop. */
export type LoadPlan = {
  readonly url: string;
  readonly apiKey: string;
  readonly root: string;
  readonly run: string;
  readonly shape: 'wide' | 'varied' | 'bare' | 'long' | 'otlp-json' | 'otlp-proto';
  readonly seed: number;
  /** Bodies `from` … `from + requests - 1`. */
  readonly from: number;
  readonly requests: number;
  readonly connections: number;
  /** Null: as fast as the service answers. */
  readonly requestsPerSecond: number | null;
};
export type LoadResult = {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from sending to the whole answer. */
  readonly latency: Summary;
  /** Processor time of the generator itself. */
  readonly processorMs: number;
  /** The greatest position that was answered. */
  readonly position: string;
  readonly failures: readonly string[];
};

/** Sends it all; `progress` hears now and then how many requests were answered. */
export const sendLoad = (
  load: LoadPlan,
  progress: (answered: number) => void = () => undefined,
): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL('./load-generator.js', import.meta.url));
    const takeAlong = (): void => void child.kill('SIGKILL');
    process.once('exit', takeAlong);
    child.on('message', (said: { readonly answered: number } | LoadResult) => {
      if ('answered' in said) progress(said.answered);
      else resolve(said);
    });
    child.once('exit', (code) => {
      process.off('exit', takeAlong);
      reject(new Error(`the load generator ended with ${code}`));
    });
    child.send(load);
  });
