import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { patience } from './runs.js';

/** Limit beyond which a file hangs, even on a busy machine. */
const patienceMs = patience(600_000);
const pollMs = 5_000;

/**
 * Watchdog of test `files` that run in parallel. A file that hangs is reported with the processes
 * below its worker, and these are killed: mocha then ends with a failure.
 */
export const openFileWatchdog = (files: readonly string[]) => {
  const running = new Map<number, RunningFile>();
  const took = new Map<string, FileCost>();

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
  const timer = setInterval(look, pollMs);

  return {
    begun(worker: number, file: string): void {
      running.set(worker, { file, since: Date.now(), used: processorSeconds(worker) });
    },
    ended(worker: number): void {
      const begun = running.get(worker);
      if (begun === undefined) return;
      const seconds = (Date.now() - begun.since) / 1_000;
      took.set(begun.file, { seconds, processor: processorSeconds(worker) - begun.used });
      running.delete(worker);
    },
    /**
     * Prints the most expensive files and the sum of each folder; answers the files that never
     * ended or never began.
     */
    close(): readonly string[] {
      clearInterval(timer);
      process.stdout.write('\nprocessor and wall seconds of the most expensive files:\n');
      for (const line of linesOf(took).slice(0, filesShown)) process.stdout.write(line);
      process.stdout.write('\nprocessor and wall seconds of each folder:\n');
      for (const line of linesOf(byFolder(took))) process.stdout.write(line);
      return files.filter((file) => !took.has(file));
    },
  };
};

type RunningFile = { readonly file: string; readonly since: number; readonly used: number };
type FileCost = { readonly seconds: number; readonly processor: number };

const filesShown = 20;

const linesOf = (costs: ReadonlyMap<string, FileCost>): readonly string[] =>
  [...costs]
    .sort(([, left], [, right]) => right.processor - left.processor)
    .map(([name, cost]) => `${column(cost.processor)}${column(cost.seconds)}  ${name}\n`);

/** The sums of each folder of test/, with all that is below it, and of all files. */
const byFolder = (costs: ReadonlyMap<string, FileCost>): ReadonlyMap<string, FileCost> => {
  const sums = new Map<string, FileCost>();
  for (const [file, cost] of costs)
    for (const name of ['all files', file.includes('/') ? (file.split('/')[0] ?? '') : 'test']) {
      const { seconds, processor } = sums.get(name) ?? { seconds: 0, processor: 0 };
      sums.set(name, {
        seconds: seconds + cost.seconds,
        processor: processor + cost.processor,
      });
    }
  return sums;
};

const column = (seconds: number): string => String(Math.round(seconds)).padStart(6);

/** Processor time of a process and its ended children, from proc(5). */
const processorSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0, usersBelow = 0, systemsBelow = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return (user + system + usersBelow + systemsBelow) / 100;
};

type ProcessInfo = { readonly pid: number; readonly parent: number; readonly command: string };

/** The process and all its descendants, parents first. */
const familyOf = (pid: number): readonly ProcessInfo[] => {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const all = [...lines.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(
    ([, own, parent, command = '']): ProcessInfo => ({
      pid: Number(own),
      parent: Number(parent),
      command: command.slice(0, 200),
    }),
  );
  const family = all.filter((one) => one.pid === pid);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
};

/** The process may have ended. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
