import { execFileSync } from 'node:child_process';

/** No file takes this long, also beside a busy neighbour: it hangs. */
const patienceMs = 600_000;
const lookMs = 5_000;

/**
 * Watches over `files`, tests that run side by side. A file that does not end is named, with the
 * processes below its worker, and these are killed: mocha then ends with a failure.
 */
export const openFileWatch = (files: readonly string[]) => {
  const running = new Map<number, { readonly file: string; readonly since: number }>();
  const took = new Map<string, number>();

  const look = (): void => {
    for (const [worker, { file, since }] of running) {
      if (Date.now() - since < patienceMs) continue;
      running.delete(worker);
      const family = familyOf(worker);
      process.stdout.write(`\n${file} did not end in ${patienceMs / 60_000} minutes; it runs:\n`);
      for (const { pid, command } of family) process.stdout.write(`  ${pid} ${command}\n`);
      for (const { pid } of family.toReversed()) kill(pid);
    }
  };
  const timer = setInterval(look, lookMs);

  return {
    begun(worker: number, file: string): void {
      running.set(worker, { file, since: Date.now() });
    },
    ended(worker: number): void {
      const file = running.get(worker);
      if (file !== undefined) took.set(file.file, Date.now() - file.since);
      running.delete(worker);
    },
    /** The files that took longest are said; answers those that never ended, or never began. */
    close(): readonly string[] {
      clearInterval(timer);
      const slowest = [...took].sort(([, one], [, other]) => other - one).slice(0, 15);
      process.stdout.write('\nslowest files, in seconds:\n');
      for (const [file, ms] of slowest)
        process.stdout.write(`${String(Math.round(ms / 1_000)).padStart(6)}  ${file}\n`);
      return files.filter((file) => !took.has(file));
    },
  };
};

type Running = { readonly pid: number; readonly parent: number; readonly command: string };

/** The process and all below it, each before those that it started. */
const familyOf = (pid: number): readonly Running[] => {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const all = [...lines.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(
    ([, own, parent, command = '']): Running => ({
      pid: Number(own),
      parent: Number(parent),
      command: command.slice(0, 200),
    }),
  );
  const family = all.filter((one) => one.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
};

/** It may be gone by now. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
