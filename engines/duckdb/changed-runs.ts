import { randomUUID } from 'node:crypto';

/**
 * In-memory change feed of recently written runs. One process owns the file; after an eviction or
 * restart the caller re-reads everything.
 */
export type ChangedRuns = {
  record(project: string, run: string): void;
  since(
    project: string,
    token: string | null,
  ): { readonly token: string; readonly runs: readonly string[] | null };
};

/** Runs remembered; the least recently written is evicted, and older tokens then get null. */
const rememberedMax = 20_000;

export const openChangedRuns = (): ChangedRuns => {
  // Reopening or replacing the file starts a new epoch.
  const epoch = randomUUID();
  /** Changes by run, most recent last. */
  const changes = new Map<string, { readonly project: string; readonly at: number }>();
  let last = 0;
  let forgotten = 0;
  return {
    record: (project, run) => {
      last += 1;
      changes.delete(run);
      changes.set(run, { project, at: last });
      if (changes.size <= rememberedMax) return;
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
