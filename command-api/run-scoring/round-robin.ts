import { nextFairTask, markServed, type TaskClaim } from '../../kernel/fair-semaphore.js';
import type { ProjectId } from '../../kernel/schema-types.js';

type RoundClaim = TaskClaim & { readonly task: ProjectId };
const oneEach = { ownerMax: 1, creatorMax: 1 };
const roundClaimOf = (project: ProjectId): RoundClaim => ({
  task: project,
  owner: project,
  creator: project,
});

/**
 * Whose turn is next, of at most `atOnce` at a time: projects in turn. Those whose last turn was in
 * vain have one place less, so that however many have a scorer that hangs, the others wait for each
 * other only; and one turn in two when there is but one place.
 */
export const openRoundRobin = (atOnce: number) => {
  const vain = new Set<ProjectId>();
  const running = new Set<ProjectId>();
  let turns: readonly string[] = [];
  let isVainNext = false;
  return {
    /** Begins the turn of one of those that wait; null: of none. */
    begin: (waiting: readonly ProjectId[]): ProjectId | null => {
      if (running.size >= atOnce) return null;
      const held = [...running].map(roundClaimOf);
      const vainly = [...running].filter((project) => vain.has(project)).length;
      const pick = (isVain: boolean): ProjectId | null => {
        if (isVain && vainly >= Math.max(1, atOnce - 1)) return null;
        const some = waiting.filter((project) => vain.has(project) === isVain);
        return nextFairTask(some.map(roundClaimOf), held, turns, oneEach)?.task ?? null;
      };
      const found = pick(isVainNext) ?? pick(!isVainNext);
      if (found === null) return null;
      isVainNext = !vain.has(found);
      turns = markServed(turns, found);
      running.add(found);
      return found;
    },
    end: (project: ProjectId, wasVain: boolean): void => {
      running.delete(project);
      vain.delete(project);
      if (wasVain) {
        vain.add(project);
        isVainNext = false;
      }
      const [oldest] = vain;
      if (vain.size > fruitlessMax && oldest !== undefined) vain.delete(oldest);
    },
  };
};
/** Those remembered: as many as have their turns in a day. */
const fruitlessMax = 10_000;
