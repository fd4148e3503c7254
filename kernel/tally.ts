/** How many there are of each name; a name with none takes no memory. */
export type Tally = {
  readonly of: (name: string) => number;
  readonly add: (name: string, by: number) => void;
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
  };
};
