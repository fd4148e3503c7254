import { throwIfAborted, cancellationFault } from './query-context.js';
import { Fault } from './fault.js';
import type { QueryContext } from './ports.js';

/**
 * Task for the scheduler: its owner (a project, or a user for a single sample) and the user who
 * requested it (`creator`).
 */
export type TaskClaim = { readonly task: string; readonly owner: string; readonly creator: string };

/** Concurrency limits: running tasks per owner and per creator. */
type ConcurrencyLimits = { readonly ownerMax: number; readonly creatorMax: number };

/**
 * Fair scheduling: picks the next of the waiting tasks (oldest first); null if none may run. The
 * creator with the fewest running tasks goes first, among equals the one served longest ago, so a
 * creator with an endless queue gets what the others leave. `turns` lists creators as they were
 * served, the latest last.
 */
export const nextFairTask = <C extends TaskClaim>(
  waiting: readonly C[],
  running: readonly TaskClaim[],
  turns: readonly string[],
  { ownerMax, creatorMax }: ConcurrencyLimits,
): C | null => {
  const owners = countByName(running.map(({ owner }) => owner));
  const creators = countByName(running.map(({ creator }) => creator));
  const served = new Map(turns.map((creator, at) => [creator, at]));
  let best: readonly [claim: C, fewest: number, longest: number] | null = null;
  for (const claim of waiting) {
    const few = creators.get(claim.creator) ?? 0;
    if (few >= creatorMax || (owners.get(claim.owner) ?? 0) >= ownerMax) continue;
    const long = served.get(claim.creator) ?? -1;
    if (best === null || few < best[1] || (few === best[1] && long < best[2])) {
      best = [claim, few, long];
    }
  }
  return best?.[0] ?? null;
};

const countByName = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** Served creators remembered; one that was served earlier has waited long enough. */
const servedMax = 1_000;
/** Moves this creator to the end of the served list. */
export const markServed = (turns: readonly string[], creator: string): readonly string[] =>
  [...turns.filter((one) => one !== creator), creator].slice(-servedMax);

export type FairSemaphore = {
  /**
   * Resolves with a release function once a permit is free. Throws Fault `unavailable` when the
   * owner's queue is full, and as soon as the request is cancelled.
   */
  readonly acquire: (owner: string, context?: QueryContext) => Promise<() => void>;
  /** Resolves once no permit is held. */
  readonly whenIdle: () => Promise<void>;
};

/**
 * Fair semaphore: permits are shared round-robin between owners; each holds at most `eachMax` and
 * queues at most `waitsMax` more.
 */
export const openFairSemaphore = (
  permits: number,
  eachMax: number,
  waitsMax = Number.POSITIVE_INFINITY,
): FairSemaphore => {
  const holders: string[] = [];
  const waiting = new Map<string, (() => void)[]>();
  const idleWaiters: (() => void)[] = [];
  let turns: readonly string[] = [];
  const admit = (): void => {
    while (holders.length < permits) {
      const next = nextFairTask([...waiting.keys()].map(soleTask), holders.map(soleTask), turns, {
        ownerMax: eachMax,
        creatorMax: eachMax,
      });
      if (next === null) return;
      const owner = next.task;
      const queue = waiting.get(owner) ?? [];
      const admitThis = queue.shift();
      if (queue.length === 0) waiting.delete(owner);
      turns = markServed(turns, owner);
      holders.push(owner);
      admitThis?.();
    }
  };
  const release = (owner: string): void => {
    holders.splice(holders.indexOf(owner), 1);
    admit();
    if (holders.length === 0) for (const resolve of idleWaiters.splice(0)) resolve();
  };
  return {
    acquire: async (owner, context = {}) => {
      throwIfAborted(context);
      const { signal } = context;
      const queue = waiting.get(owner) ?? [];
      // The owner's queue is full and no permit is free for it: load shedding.
      if (queue.length >= waitsMax) throw queueFullFault();
      return new Promise((resolve, reject) => {
        const cancel = (): void => {
          queue.splice(queue.indexOf(admitThis), 1);
          if (queue.length === 0) waiting.delete(owner);
          if (signal !== undefined) reject(cancellationFault(signal));
        };
        const admitThis = (): void => {
          signal?.removeEventListener('abort', cancel);
          resolve(() => release(owner));
        };
        signal?.addEventListener('abort', cancel, { once: true });
        waiting.set(owner, queue);
        queue.push(admitThis);
        admit();
      });
    },
    whenIdle: () =>
      new Promise((resolve) => {
        if (holders.length === 0) resolve();
        else idleWaiters.push(resolve);
      }),
  };
};

const retryAfterSeconds = 5;
const queueFullFault = (): Fault =>
  new Fault('unavailable', 'Too many queries of this kind are queued. Send fewer at a time.', {
    retryAfterSeconds,
  });

const soleTask = (owner: string): TaskClaim => ({ task: owner, owner, creator: owner });
