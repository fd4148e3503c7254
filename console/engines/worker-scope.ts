import type { WorkerAnswer, WorkerRequest } from './workers.js';

type Methods = Readonly<Record<string, (input: never) => unknown>>;
type Scope = {
  onmessage: ((event: MessageEvent<WorkerRequest>) => void) | null;
  readonly postMessage: (answer: WorkerAnswer) => void;
};

/** Answers the requests of the page, one after the other, within a worker. */
export const serveMethods = (methods: Methods): void => {
  const scope = globalThis as unknown as Scope;
  scope.onmessage = ({ data: { id, method, input } }) => {
    const work = async (): Promise<unknown> => methods[method]?.(input as never);
    void work().then(
      (value) => scope.postMessage({ id, value }),
      (error: unknown) => scope.postMessage({ id, error: String(error) }),
    );
  };
};
