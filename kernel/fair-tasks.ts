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
