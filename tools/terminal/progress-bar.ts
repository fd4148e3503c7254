import { SingleBar } from 'cli-progress';

type ProgressBar = {
  /** `done` of `total`, with the values that the format names. */
  readonly show: (done: number, total: number, told?: Readonly<Record<string, unknown>>) => void;
  readonly end: () => void;
};

/** Progress bar on a terminal, silent elsewhere: scripts read the lines that follow. */
export const openProgressBar = (format: string): ProgressBar => {
  if (!process.stderr.isTTY) return { show: () => undefined, end: () => undefined };
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true });
  let started = false;
  return {
    show: (done, total, told = {}) => {
      if (!started) bar.start(total, done, told);
      bar.setTotal(total);
      bar.update(done, told);
      started = true;
    },
    end: () => {
      if (started) bar.stop();
    },
  };
};
