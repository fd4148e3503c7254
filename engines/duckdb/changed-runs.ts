import { randomUUID } from 'node:crypto';

/**
 * Which runs were written lately, kept in memory: one process owns the file, and what it forgets
 * costs its caller one look at everything.
 */
export type ChangedRuns = {
  record(project: string, run: string): void;
  since(
    project: string,
    token: string | null,
  ): { readonly token: string; readonly runs: readonly string[] | null };
};

/** Runs remembered; of the older ones it is only known that they may have changed. */
const rememberedMax = 20_000;

export const openChangedRuns = (max = rememberedMax): ChangedRuns => {
  // Another opening of the file, and another copy of it, begins anew.
  const epoch = randomUUID();
  /** By run, the one that changed last at the end. */
  const changes = new Map<string, { readonly project: string; readonly at: number }>();
  let last = 0;
  let forgotten = 0;
  return {
    record: (project, run) => {
      last += 1;
      changes.delete(run);
      changes.set(run, { project, at: last });
      if (changes.size <= max) return;
      const oldest = changes.entries().next().value;
      if (oldest === undefined) return;
      changes.delete(oldest[0]);
      forgotten = oldest[1].at;
    },
    since: (project, token) => {
      const now = `${epoch} ${last}`;
      const [of, at] = (token ?? '').split(' ');
      const after = Number(at);
      if (of !== epoch || after < forgotten) return { token: now, runs: null };
      const runs = [...changes]
        .filter(([, change]) => change.at > after && change.project === project)
        .map(([run]) => run);
      return { token: now, runs };
    },
  };
};
