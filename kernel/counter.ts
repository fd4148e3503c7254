/** Counter by name; a name whose count is 0 takes no memory. */
export type Counter = {
  readonly count: (name: string) => number;
  readonly add: (name: string, by: number) => void;
};

export const openCounter = (): Counter => {
  const counts = new Map<string, number>();
  return {
    count: (name) => counts.get(name) ?? 0,
    add: (name, by) => {
      const left = (counts.get(name) ?? 0) + by;
      if (left === 0) counts.delete(name);
      else counts.set(name, left);
    },
  };
};
