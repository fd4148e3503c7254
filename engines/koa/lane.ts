import type { Owner } from './budget.js';

/** Lets few work at once; the rest wait, and whoever holds a share already lets others pass. */
export type Lane = <T>(
  owner: Owner,
  signal: AbortSignal,
  work: (aside: Aside) => Promise<T>,
) => Promise<T>;
/** Gives the place to others while this one waits, and waits for another one then. */
export type Aside = (wait: () => Promise<void>) => Promise<void>;
/** The same for work that begins here and ends elsewhere: `enter` answers what ends it. */
export type Way = {
  readonly enter: (owner: Owner, signal: AbortSignal) => Promise<() => void>;
};

export type LaneLimits = {
  readonly largeMax: number;
  readonly largePerCallerMax: number;
  readonly largePerPersonMax: number;
};
type Waiting = { readonly owner: Owner; readonly go: () => void };

export const openLane = (limits: LaneLimits): Lane => {
  const { enter } = openWay(limits);
  return async (owner, signal, work) => {
    let leave = await enter(owner, signal);
    try {
      return await work(async (wait) => {
        leave();
        leave = () => undefined;
        await wait();
        leave = await enter(owner, signal);
      });
    } finally {
      leave();
    }
  };
};

/**
 * Whoever waits goes when there is room and they have less than their share of it, in the order of
 * coming. Rejects with the reason of `signal` when it aborts before.
 */
export const openWay = (limits: LaneLimits): Way => {
  const working = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let all = 0;
  const countOne = (name: string, by: number): void => {
    const left = (working.get(name) ?? 0) + by;
    if (left === 0) working.delete(name);
    else working.set(name, left);
  };
  const count = ({ name, person }: Owner, by: number): void => {
    all += by;
    countOne(`c ${name}`, by);
    countOne(`p ${person}`, by);
  };
  const hasRoom = ({ name, person }: Owner): boolean =>
    all < limits.largeMax &&
    (working.get(`c ${name}`) ?? 0) < limits.largePerCallerMax &&
    (working.get(`p ${person}`) ?? 0) < limits.largePerPersonMax;
  const next = (): void => {
    for (const one of waiting) {
      if (!hasRoom(one.owner)) continue;
      waiting.delete(one);
      count(one.owner, 1);
      one.go();
      return;
    }
  };
  const turn = (owner: Owner, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (): void => {
        waiting.delete(mine);
        reject(signal.reason as Error);
      };
      const mine: Waiting = {
        owner,
        go: () => {
          signal.removeEventListener('abort', give);
          resolve();
        },
      };
      if (signal.aborted) return give();
      signal.addEventListener('abort', give, { once: true });
      waiting.add(mine);
    });
  return {
    enter: async (owner, signal) => {
      if (hasRoom(owner)) count(owner, 1);
      else await turn(owner, signal);
      return () => {
        count(owner, -1);
        next();
      };
    },
  };
};
