/** How many there are of each name; a name with none takes no memory. */
export type Tally = {
  readonly of: (name: string) => number;
  readonly add: (name: string, by: number) => void;
  /** The name with the most; `''` when there is none. */
  readonly most: () => string;
};

export const openTally = (): Tally => {
  const counts = new Map<string, number>();
  return {
    of: (name) => counts.get(name) ?? 0,
    add: (name, by) => {
      const left = (counts.get(name) ?? 0) + by;
      if (left === 0) counts.delete(name);
      else counts.set(name, left);
    },
    most: () =>
      [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as const)[0],
  };
};
