import { nextFairTask, markServed, type TaskClaim } from '../../kernel/fair-tasks.js';
import type { ProjectId } from '../../kernel/schema-types.js';

type RoundClaim = TaskClaim & { readonly task: ProjectId };
const oneEach = { ownerMax: 1, creatorMax: 1 };
const roundClaimOf = (project: ProjectId): RoundClaim => ({
  task: project,
  owner: project,
  creator: project,
});

/**
 * Fair round robin over projects, at most `atOnce` concurrently. Projects whose last round was
 * fruitless share one place less, so that however many have a scorer that hangs, they delay only
 * each other; with a single place they get every second round.
 */
export const openRoundRobin = (atOnce: number) => {
  const fruitless = new Set<ProjectId>();
  const running = new Set<ProjectId>();
  let served: readonly string[] = [];
  let isVainNext = false;
  return {
    /** Begins the round of one of the waiting projects; null: none may begin. */
    begin: (waiting: readonly ProjectId[]): ProjectId | null => {
      if (running.size >= atOnce) return null;
      const held = [...running].map(roundClaimOf);
      const fruitlessCount = [...running].filter((project) => fruitless.has(project)).length;
      const pick = (isVain: boolean): ProjectId | null => {
        if (isVain && fruitlessCount >= Math.max(1, atOnce - 1)) return null;
        const some = waiting.filter((project) => fruitless.has(project) === isVain);
        return nextFairTask(some.map(roundClaimOf), held, served, oneEach)?.task ?? null;
      };
      const found = pick(isVainNext) ?? pick(!isVainNext);
      if (found === null) return null;
      isVainNext = !fruitless.has(found);
      served = markServed(served, found);
      running.add(found);
      return found;
    },
    end: (project: ProjectId, wasVain: boolean): void => {
      running.delete(project);
      fruitless.delete(project);
      if (wasVain) {
        fruitless.add(project);
        isVainNext = false;
      }
      const [oldest] = fruitless;
      if (fruitless.size > fruitlessMax && oldest !== undefined) fruitless.delete(oldest);
    },
  };
};
/** Limit of remembered fruitless projects: as many as have rounds in a day. */
const fruitlessMax = 10_000;
