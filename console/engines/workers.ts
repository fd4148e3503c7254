import { openScriptPolicy } from './trusted.js';

/** File names of the workers, beside the page's own; the bundler fills them in. */
declare const workerFiles: Readonly<Record<WorkerName, string>>;
type WorkerName = 'history' | 'datasets';

export type WorkerRequest = {
  readonly id: number;
  readonly method: string;
  readonly input: unknown;
};
export type WorkerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

type Methods = Readonly<Record<string, (input: never) => unknown>>;

/** A running worker. */
type WorkerLink<M extends Methods> = {
  readonly ask: <K extends keyof M & string>(
    method: K,
    input: Parameters<M[K]>[0],
  ) => Promise<Awaited<ReturnType<M[K]>>>;
  /** Ends the worker; open requests stay without an answer. */
  readonly close: () => void;
};

export type Workers = {
  /** Starts a module worker of this name, which answers by `M`. */
  readonly open: <M extends Methods>(name: WorkerName) => WorkerLink<M>;
};

export const openWorkers = (window: Window & typeof globalThis, folder: URL): Workers => {
  const policy = openScriptPolicy(window, folder);
  return {
    open: (name) => {
      const worker = new window.Worker(policy.createScriptURL(workerFiles[name]), {
        type: 'module',
        name,
      });
      return linkOf(worker);
    },
  };
};

type Waiting = {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
};

const linkOf = <M extends Methods>(worker: Worker): WorkerLink<M> => {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if ('error' in data) one?.reject(new Error(data.error));
    else one?.resolve(data.value as never);
  });
  worker.addEventListener('error', () => {
    for (const one of waiting.values()) one.reject(new Error('The worker could not be loaded'));
    waiting.clear();
  });
  return {
    ask: (method, input) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        worker.postMessage({ id: last, method, input } satisfies WorkerRequest);
      }),
    close: () => worker.terminate(),
  };
};
