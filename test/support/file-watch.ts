import { readFileSync, readdirSync } from 'node:fs';

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
      const family = [worker, ...descendantsOf(worker)];
      process.stdout.write(`\n${file} did not end in ${patienceMs / 60_000} minutes; it runs:\n`);
      for (const pid of family) process.stdout.write(`  ${pid} ${commandOf(pid)}\n`);
      for (const pid of family.reverse()) kill(pid);
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

const descendantsOf = (parent: number): readonly number[] => {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = attempt(() => readFileSync(`/proc/${name}/stat`, 'utf8'));
    // pid (name of the program, with whatever in it) state parent …
    const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(after[1]));
  }
  const found: number[] = [];
  const below = (pid: number): void => {
    for (const [child, its] of parents)
      if (its === pid) {
        found.push(child);
        below(child);
      }
  };
  below(parent);
  return found;
};

const commandOf = (pid: number): string =>
  attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    .replaceAll('\0', ' ')
    .slice(0, 200);

/** A process may be gone by the time it is looked at. */
const attempt = (read: () => string): string => {
  try {
    return read();
  } catch {
    return '';
  }
};

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
};
