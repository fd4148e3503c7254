import { openTally } from '../../kernel/tally.js';
import { openWaitingList } from '../../kernel/waiting-list.js';
import type { Owner } from './budget.js';

/** So many work at a time: in all, of one caller, and of all keys of one person. */
type QuotaLimits = {
  readonly max: number;
  readonly perCallerMax: number;
  readonly perPersonMax: number;
};

/**
 * Whoever waits goes when there is room and they have less than their share of it, in the order of
 * coming. Rejects with the reason of `signal` when it aborts before.
 */
export type Quota = {
  /** For work that begins here and ends elsewhere: what ends it. */
  readonly enter: (owner: Owner, signal: AbortSignal) => Promise<() => void>;
  readonly during: <T>(
    owner: Owner,
    signal: AbortSignal,
    work: (aside: Aside) => Promise<T>,
  ) => Promise<T>;
};
/** Gives the place to others while this one waits, and waits for another one then. */
export type Aside = (wait: () => Promise<void>) => Promise<void>;

export const openQuota = ({ max, perCallerMax, perPersonMax }: QuotaLimits): Quota => {
  const working = openTally();
  const waiting = openWaitingList<Owner>();
  let all = 0;
  const count = ({ name, person }: Owner, by: number): void => {
    all += by;
    working.add(`c ${name}`, by);
    working.add(`p ${person}`, by);
  };
  const begins = (owner: Owner): boolean => {
    const hasRoom =
      all < max &&
      working.of(`c ${owner.name}`) < perCallerMax &&
      working.of(`p ${owner.person}`) < perPersonMax;
    if (hasRoom) count(owner, 1);
    return hasRoom;
  };
  const enter: Quota['enter'] = async (owner, signal) => {
    if (!begins(owner)) await waiting.join(owner, signal);
    return () => {
      count(owner, -1);
      waiting.admit(begins);
    };
  };
  return {
    enter,
    during: async (owner, signal, work) => {
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
    },
  };
};
