import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { pidDescriptor, type Confinement } from './confinement.js';

/** Why the process is gone: by itself, or for which limit it was ended. */
export type ProcessEnd = {
  readonly cause: 'itself' | 'time' | 'memory' | 'output' | 'stopped';
  /** Of its errors, for the operator's log: the first 8 KiB. */
  readonly errors: string;
  /** Null when a signal ended it, and when it could not be started. */
  readonly code: number | null;
};

type ConfinedRun = {
  /** One text, in pieces. */
  readonly input: readonly string[];
  /** Time limit of its work, from its start, or from where `hasBegun` first says so. */
  readonly wallMs: number;
  /** The time limit until then, and whether the work has begun; asked after each output. */
  readonly start?: { readonly wallMs: number; readonly hasBegun: () => boolean };
  readonly residentMax: number;
  /** Of its output and its errors together. */
  readonly outputMax: number;
  readonly filter: string;
  readonly signal: AbortSignal;
  /** Bytes of its output as they come; true = that was all that is wanted, it is ended. */
  readonly onOutput: (chunk: Buffer) => boolean;
  /** Its own number on this machine, once known. */
  readonly onPid?: (pid: number) => void;
};

/** A memory bomb grows by some tens of megabytes in this time. */
const memoryPollMs = 25;
const errorsMax = 8 * 1_024;
/** How long what confines a process may outlive it. */
const killGroupMs = 1_000;
/** How long its pipes may outlive both: what was said last may still be in them. */
const abandonMs = 10_000;

/**
 * Starts a confined process and resolves when it is gone with all that it had: nothing of it is
 * left then. It is ended when it passes a limit, when it said all that is wanted, and when the
 * signal aborts. Its environment is empty, also that of the programs that confine it, which the
 * program inside could read.
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
    // A stranger's code reaches it past the interpreter, and each byte of it costs us as much.
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
    // It may be gone before it has read everything.
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
 * Ends the process inside; what confines it, which is our child, ends then too, and has seen to the
 * remains. Were that one ended first, they would be left to the system's first process, which may
 * never look; and before it says the number of the one inside, that does not die with it, holds
 * the pipes and waits for ever. So it is ended as the last resort, as a group with what it began.
 */
const openTerminator = (child: ChildProcess) => {
  let inside: number | null = null;
  let last: NodeJS.Timeout | null = null;
  let abandon: NodeJS.Timeout | null = null;
  const stop = (): void => {
    if (inside !== null) kill(inside);
    // Whatever it has said by then is read first.
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
    // A group of its own, so that what bubblewrap has just begun can be ended together with it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', mode === 'strict' ? 'pipe' : 'ignore', filter],
    ...(uid !== null && { uid, gid: uid }),
  });
  if (typeof filter === 'number') closeSync(filter);
  return child;
};

/** Whoever asks the service something comes before a scorer. */
const lowerPriority = (pid: number): void => {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It is gone already.
  }
};

/** One process, or the group of that number where it is negative. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
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
