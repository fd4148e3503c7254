/** Times at which records of a project were last asked for, so that Back finds the answer. */
const times = new Map<string, number>();
const freshMs = 60_000;

/** The time of the last question within a minute; else `now`, which is that time from then on. */
export const lastAskedAt = (projectId: string, now: number): number => {
  const last = times.get(projectId) ?? 0;
  return now - last < freshMs ? last : rememberAskedAt(projectId, now);
};

export const rememberAskedAt = (projectId: string, now: number): number => {
  times.set(projectId, now);
  return now;
};
