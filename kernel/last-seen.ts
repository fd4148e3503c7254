/** Time since a project other than a given one was last seen. */
type LastSeen = {
  readonly see: (project: string) => void;
  /** Milliseconds; infinite when only the given one was seen. */
  readonly sinceOther: (project: string) => number;
};

/** Remembers the last two projects, which is enough to answer for any project. */
export const openLastSeen = (now: () => number): LastSeen => {
  const never = { project: '', at: Number.NEGATIVE_INFINITY };
  let [last, other] = [never, never];
  return {
    see: (project) => {
      if (last.project !== project) other = last;
      last = { project, at: now() };
    },
    sinceOther: (project) => now() - (last.project === project ? other : last).at,
  };
};
