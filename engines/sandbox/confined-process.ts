import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { pidDescriptor, type Confinement } from './confinement.js';

/** End of a process: by itself, or the limit for which it was killed. */
export type ProcessEnd = {
  readonly cause: 'itself' | 'time' | 'memory' | 'output' | 'stopped';
  /** First 8 KiB of its standard error, for the operator's log. */
  readonly errors: string;
  /** Null if killed by a signal, or not started. */
  readonly code: number | null;
};

type ConfinedRun = {
  /** One text, in pieces. */
  readonly input: readonly string[];
  /** Time limit of its work, from its start, or from when `hasBegun` first returns true. */
  readonly wallMs: number;
  /** Time limit before the work begins; `hasBegun` is called after each output. */
  readonly start?: { readonly wallMs: number; readonly hasBegun: () => boolean };
  readonly residentMax: number;
  /** Byte limit of its output and standard error together. */
  readonly outputMax: number;
  readonly filter: string;
  readonly signal: AbortSignal;
  /** Receives output as it arrives; true = complete, the process is killed. */
  readonly onOutput: (chunk: Buffer) => boolean;
  /** Receives the process number on this machine, once known. */
  readonly onPid?: (pid: number) => void;
};

/** Memory polling interval, in which a memory bomb grows by some tens of megabytes. */
const memoryPollMs = 25;
const errorsMax = 8 * 1_024;
/** Longest time the confining process may outlive the confined one. */
const killGroupMs = 1_000;
/** Longest time its pipes may outlive both: they may still hold the last output. */
const abandonMs = 10_000;

/**
 * Runs a confined process and resolves when it and all its remains are gone. It is killed at a
 * limit, when its output is complete, and on abort. Its environment is empty, and so is that of the
 * confining programs, which the program inside could read.
 */
export const runConfined = (confinement: Confinement, watched: ConfinedRun): Promise<ProcessEnd> =>
  new Promise((resolve) => {
    const { mode } = confinement;
    const child = spawnConfined(confinement, watched.filter);
    const ending = openTerminator(child);
    let cause: ProcessEnd['cause'] = 'itself';
    let errors = '';
    let written = 0;
    const end = (why: ProcessEnd['cause']): void => {
      if (cause === 'itself') cause = why;
      ending.stop();
    };
    const isInside = (pid: number): void => {
      ending.isInside(pid);
      watched.onPid?.(pid);
    };
    if (child.pid !== undefined) lowerPriority(child.pid);
    if (mode === 'deno' && child.pid !== undefined) isInside(child.pid);
    let clock = setTimeout(() => end('time'), watched.start?.wallMs ?? watched.wallMs);
    let isStarting = watched.start !== undefined;
    const seeStart = (): void => {
      if (!isStarting || watched.start?.hasBegun() !== true) return;
      isStarting = false;
      clearTimeout(clock);
      clock = setTimeout(() => end('time'), watched.wallMs);
    };
    const watch = setInterval(() => {
      if (ending.resident() > watched.residentMax) end('memory');
    }, memoryPollMs);
    const stopped = (): void => end('stopped');
    watched.signal.addEventListener('abort', stopped, { once: true });
    if (watched.signal.aborted) stopped();
    child.stdout?.on('data', (chunk: Buffer) => {
      written += chunk.length;
      if (written > watched.outputMax) end('output');
      else if (cause === 'itself' && watched.onOutput(chunk)) ending.stop();
      seeStart();
    });
    // Untrusted code can write to it past the interpreter, and each byte costs us as much.
    child.stderr?.on('data', (chunk: Buffer) => {
      written += chunk.length;
      if (written > watched.outputMax) end('output');
      if (errors.length < errorsMax) errors += chunk.toString('utf8');
    });
    if (mode === 'strict') {
      (child.stdio[pidDescriptor] as Readable | null)?.on('data', (chunk: Buffer) => {
        const found = /"child-pid":\s*(\d+)/.exec(chunk.toString('utf8'))?.[1];
        if (found !== undefined) isInside(Number(found));
      });
    }
    // The process may exit before it has read everything.
    child.stdin?.on('error', () => null);
    for (const piece of watched.input) child.stdin?.write(piece);
    child.stdin?.end();
    const done = (code: number | null): void => {
      clearTimeout(clock);
      clearInterval(watch);
      ending.done();
      watched.signal.removeEventListener('abort', stopped);
      resolve({ cause, errors: errors.slice(0, errorsMax), code });
    };
    child.on('error', (error) => {
      errors += String(error);
      if (child.pid === undefined) done(null);
    });
    child.on('close', (code) => done(code));
  });

/**
 * Kills the process inside; the confining process, our child, then ends too and reaps the remains.
 * Killed first, it would leave them to the system's first process, which may never reap them; and a
 * child killed before it reports the inner process number leaves that one alive, holding the pipes.
 * So the whole group is killed only as the last resort.
 */
const openTerminator = (child: ChildProcess) => {
  let inside: number | null = null;
  let last: NodeJS.Timeout | null = null;
  let abandon: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (inside !== null) kill(inside);
    // Pending output is read first.
    last ??= setTimeout(() => setImmediate(endGroup), killGroupMs);
  };
  const endGroup = (): void => {
    if (inside !== null) kill(inside);
    if (child.pid !== undefined) kill(-child.pid);
  };
  child.on('exit', () => {
    abandon = setTimeout(() => child.stdio.forEach((one) => one?.destroy()), abandonMs);
  });
  return {
    stop,
    isInside: (pid: number): void => {
      inside = pid;
      if (last !== null) stop();
    },
    resident: (): number => (inside === null ? 0 : residentOf(inside)),
    done: (): void => {
      if (last !== null) clearTimeout(last);
      if (abandon !== null) clearTimeout(abandon);
    },
  };
};

const spawnConfined = (
  { command, args, uid, mode, environment }: Confinement,
  filterPath: string,
): ChildProcess => {
  const filter = mode === 'strict' ? openSync(filterPath, 'r') : 'ignore';
  const child = spawn(command, args, {
    env: environment,
    cwd: '/',
    // A separate process group, so that bubblewrap and what it just started can be killed together.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', mode === 'strict' ? 'pipe' : 'ignore', filter],
    ...(uid !== null && { uid, gid: uid }),
  });
  if (typeof filter === 'number') closeSync(filter);
  return child;
};

/** Lowers the priority: requests come before scorers. */
const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Already gone.
  }
};

/** Kills one process, or a group if negative. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
};

const residentOf = (pid: number): number => {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
};
