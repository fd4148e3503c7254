import { boundedMap } from '../../kernel/bounded-map.js';
import { openCounter } from '../../kernel/counter.js';
import { Fault } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { BodyBudget } from './decode-body.js';
import { openByteBudget, type ByteBudget, type QuotaOwner } from './byte-budget.js';
import { openBodyBudgets } from './body-budget.js';
import { openQuotaSemaphore, type QuotaSemaphore } from './quota-semaphore.js';

/** Contract 1.11, and what follows from it. */
export const defaultLoadLimits = {
  /** Far more than two cores work on at once; beyond that waiting only makes each slower. */
  requestsMax: 512,
  /**
   * So that it takes more than three callers, or more than two people or one address, to be all of
   * it. A caller is a key; whoever makes more keys has one and a half of it.
   */
  perCallerMax: 128,
  perPersonMax: 192,
  perAddressMax: 256,
  /** That begin in one turn of the event loop: some 2 ms, which all others wait at each step. */
  perTurnMax: 4,
  /**
   * Bodies of more than a mebibyte that are inflated, parsed and worked on: each takes the thread
   * that answers everybody some 5 ms a mebibyte to parse, and as long to check.
   */
  largeBodiesMax: 4,
  largeBodiesPerPersonMax: 2,
  /** As long as an answer may take. */
  largeBodiesWaitMsMax: 20_000,
  /** What two large uploads and hundreds of usual bodies need at once. */
  bodyBytesMax: 134_217_728,
  /** 32 pages of 8 MiB: with the bodies a quarter of the 1.5 GB that the process may take. */
  answerBytesMax: 268_435_456,
  /**
   * Of answers made of records: each is in memory some four times until its JSON is sent, and the
   * engines work on fewer than this at once.
   */
  largeMax: 16,
  largePerCallerMax: 4,
  largePerPersonMax: 6,
  /**
   * Writes that hold all rows of a dataset: 100,000 rows of 32 MiB are some 150 MB while they do.
   */
  tablesMax: 4,
  tablesPerPersonMax: 2,
} as const;
export type LoadLimits = { readonly [Limit in keyof typeof defaultLoadLimits]: number };

/** The place of one request among those at work. */
export type ConcurrencySlot = {
  /** From here on it counts for its caller as well; throws Fault `unavailable` beyond. */
  readonly assignCaller: (caller: QuotaOwner) => void;
  /**
   * Gives the place to others while this request waits for its client, or for a read model; throws
   * Fault `unavailable` when there is none afterwards.
   */
  readonly yieldWhileReceiving: <T>(work: () => Promise<T>) => Promise<T>;
  readonly yieldWhileBehind: <T>(work: () => Promise<T>) => Promise<T>;
  readonly release: () => void;
};

export type LoadShedder = {
  /** Whether somebody came in from there lately. */
  readonly isKnownNetwork: (network: string) => boolean;
  /** Throws Fault `unavailable` when there is no room. */
  readonly acquireSlot: (address: string) => ConcurrencySlot;
  /** The body of one request, until it is answered. */
  readonly openBodyBudget: (owner: QuotaOwner, signal: AbortSignal) => BodyBudget;
  /** Bytes of answers that the client has not taken. */
  readonly answerBudget: ByteBudget;
  /** Answers that may be large are made here, a few at a time. */
  readonly large: QuotaSemaphore;
  /** So are changes of datasets. */
  readonly tables: QuotaSemaphore;
};

/** Sheds what would only wait (contract 1.5: 503). */
export const openLoadShedder = (limits: LoadLimits, shed: () => void): LoadShedder => {
  const refuse = (why: string): never => {
    shed();
    throw new Fault('unavailable', `${why}; try again`);
  };
  const working = openRequestLimits(limits, refuse);
  // Who waits for a read model works on nothing, but each looks at it again and again.
  const waiting = openRequestLimits(limits, refuse);
  const known = boundedMap<string, true>(knownNetworksMax);
  return {
    isKnownNetwork: (network) => known.get(network) === true,
    acquireSlot: (address) => {
      const network = networkPrefix(address);
      return openSlot(working, waiting, network, () => known.set(network, true));
    },
    openBodyBudget: openBodyBudgets({
      bytes: openByteBudget(limits.bodyBytesMax, refuse),
      large: openQuotaSemaphore({
        max: limits.largeBodiesMax,
        perCallerMax: limits.largeBodiesPerPersonMax,
        perPersonMax: limits.largeBodiesPerPersonMax,
      }),
      waitMsMax: limits.largeBodiesWaitMsMax,
      refuse,
    }),
    answerBudget: openByteBudget(limits.answerBytesMax, refuse),
    large: openQuotaSemaphore({
      max: limits.largeMax,
      perCallerMax: limits.largePerCallerMax,
      perPersonMax: limits.largePerPersonMax,
    }),
    tables: openQuotaSemaphore({
      max: limits.tablesMax,
      perCallerMax: limits.tablesPerPersonMax,
      perPersonMax: limits.tablesPerPersonMax,
    }),
  };
};

/** A few bytes each; whoever was not seen for so many others is a stranger again. */
const knownNetworksMax = 10_000;

const openSlot = (
  working: RequestLimits,
  waiting: RequestLimits,
  address: string,
  cameIn: () => void,
): ConcurrencySlot => {
  const names: CountedName[] = [{ name: `a ${address}`, max: 'perAddressMax' }];
  let leave = working.acquire(names);
  const standUp = (): void => {
    leave();
    leave = () => undefined;
  };
  const sitDown = (): void => {
    leave = working.acquire(names);
  };
  return {
    assignCaller: ({ name, person }) => {
      cameIn();
      standUp();
      names.push({ name: `c ${name}`, max: 'perCallerMax' });
      names.push({ name: `p ${person}`, max: 'perPersonMax' });
      sitDown();
    },
    yieldWhileReceiving: async (work) => {
      standUp();
      const done = await work();
      sitDown();
      return done;
    },
    yieldWhileBehind: async (work) => {
      standUp();
      leave = waiting.acquire(names);
      const done = await work();
      standUp();
      sitDown();
      return done;
    },
    release: standUp,
  };
};

type LimitName = 'perCallerMax' | 'perPersonMax' | 'perAddressMax';
type CountedName = { readonly name: string; readonly max: LimitName };
type RequestLimits = { readonly acquire: (names: readonly CountedName[]) => () => void };

const openRequestLimits = (limits: LoadLimits, refuse: (why: string) => never): RequestLimits => {
  const working = openCounter();
  let all = 0;
  return {
    acquire: (given) => {
      const names = [...given];
      if (all >= limits.requestsMax) refuse('The service has more work than it can take');
      for (const { name, max } of names) {
        if (working.count(name) >= limits[max]) refuse(refusals[max]);
      }
      all += 1;
      for (const { name } of names) working.add(name, 1);
      return () => {
        all -= 1;
        for (const { name } of names) working.add(name, -1);
      };
    },
  };
};

const refusals = {
  perPersonMax: 'The keys of one person have more requests at work than they may have together',
  perCallerMax: 'You have more requests at work than one caller may have',
  perAddressMax: 'There are more requests at work from this address than one may have',
} as const;
