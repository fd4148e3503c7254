import { throwIfAborted, cancellationFault } from './query-context.js';
import { Fault } from './fault.js';
import type { QueryContext } from './ports.js';

/**
 * A task, its owner (a project, or a person for a single sample) and the creator who asked for it.
 */
export type TaskClaim = { readonly task: string; readonly owner: string; readonly creator: string };

/** How many tasks of one owner, and of one creator, may run at once. */
type ConcurrencyLimits = { readonly ownerMax: number; readonly creatorMax: number };

/**
 * Which of the waiting tasks, oldest first, is taken next; null: none may be. Creators take turns:
 * the one with the fewest running goes first, among equals the one served longest ago, so that one
 * who asks without end gets what the others leave. `turns` lists the creators as they were served,
 * the latest last.
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
  for (const one of waiting) {
    const few = creators.get(one.creator) ?? 0;
    if (few >= creatorMax || (owners.get(one.owner) ?? 0) >= ownerMax) continue;
    const long = served.get(one.creator) ?? -1;
    if (best === null || few < best[1] || (few === best[1] && long < best[2])) {
      best = [one, few, long];
    }
  }
  return best?.[0] ?? null;
};

const countByName = (names: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** How many are remembered as served: whoever was served before them has waited long enough. */
const servedMax = 1_000;
/** The turns after this one was served. */
export const markServed = (turns: readonly string[], who: string): readonly string[] =>
  [...turns.filter((one) => one !== who), who].slice(-servedMax);

export type FairSemaphore = {
  /**
   * Resolves once there is a place, with the function that gives it back. Throws Fault
   * `unavailable` when too many of the same owner wait already, and as soon as the asker no longer
   * waits.
   */
  readonly acquire: (whose: string, asking?: QueryContext) => Promise<() => void>;
  /** Resolves once nobody is inside or waits. */
  readonly whenIdle: () => Promise<void>;
};

/**
 * Places that are shared in turn; each owner has at most `eachMax` of them, and at most `waitsMax`
 * more waiting.
 */
export const openFairSemaphore = (
  places: number,
  eachMax: number,
  waitsMax = Number.POSITIVE_INFINITY,
): FairSemaphore => {
  const inside: string[] = [];
  const waiting = new Map<string, (() => void)[]>();
  const leaving: (() => void)[] = [];
  let turns: readonly string[] = [];
  const admit = (): void => {
    while (inside.length < places) {
      const next = nextFairTask([...waiting.keys()].map(soleTask), inside.map(soleTask), turns, {
        ownerMax: eachMax,
        creatorMax: eachMax,
      });
      if (next === null) return;
      const whose = next.task;
      const queue = waiting.get(whose) ?? [];
      const go = queue.shift();
      if (queue.length === 0) waiting.delete(whose);
      turns = markServed(turns, whose);
      inside.push(whose);
      go?.();
    }
  };
  const leave = (whose: string): void => {
    inside.splice(inside.indexOf(whose), 1);
    admit();
    if (inside.length === 0) for (const told of leaving.splice(0)) told();
  };
  return {
    acquire: async (whose, asking = {}) => {
      throwIfAborted(asking);
      const { signal } = asking;
      const queue = waiting.get(whose) ?? [];
      // Nobody who waits can come in now, so neither can one more.
      if (queue.length >= waitsMax) throw queueFullFault();
      return new Promise((resolve, reject) => {
        const gone = (): void => {
          queue.splice(queue.indexOf(go), 1);
          if (queue.length === 0) waiting.delete(whose);
          if (signal !== undefined) reject(cancellationFault(signal));
        };
        const go = (): void => {
          signal?.removeEventListener('abort', gone);
          resolve(() => leave(whose));
        };
        signal?.addEventListener('abort', gone, { once: true });
        waiting.set(whose, queue);
        queue.push(go);
        admit();
      });
    },
    whenIdle: () =>
      new Promise((resolve) => {
        if (inside.length === 0) resolve();
        else leaving.push(resolve);
      }),
  };
};

const retryAfterSeconds = 5;
const queueFullFault = (): Fault =>
  new Fault('unavailable', 'Too many questions like this one wait already; ask fewer at a time', {
    retryAfterSeconds,
  });

const soleTask = (whose: string): TaskClaim => ({ task: whose, owner: whose, creator: whose });
