import { boundedMap } from '../../kernel/bounded-map.js';
import { openCounter } from '../../kernel/counter.js';
import { Fault } from '../../kernel/fault.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { BodyBudget } from './decode-body.js';
import { openByteBudget, type ByteBudget, type QuotaOwner } from './byte-budget.js';
import { openBodyBudgets } from './body-budget.js';
import { openQuotaSemaphore, type QuotaSemaphore } from './quota-semaphore.js';

/** Load limits of contract 1.11, and those derived from it. */
export const defaultLoadLimits = {
  /** Far more than two cores process at once; beyond that, queueing only makes each slower. */
  requestsMax: 512,
  /**
   * Shares, so that it takes more than three callers, or more than two people or one address, to
   * use all of it. A caller is a key; a person with more keys has one and a half times its share.
   */
  perCallerMax: 128,
  perPersonMax: 192,
  perAddressMax: 256,
  /** Requests that begin in one event-loop tick: some 2 ms, which all others wait at each step. */
  perTickMax: 4,
  /**
   * Bodies of more than a mebibyte that are inflated, parsed and processed: parsing each blocks the
   * event loop some 5 ms a mebibyte, and validation as long again.
   */
  largeBodiesMax: 4,
  largeBodiesPerPersonMax: 2,
  /** Same as the longest response time. */
  largeBodiesWaitMsMax: 20_000,
  /** Two large uploads and hundreds of usual bodies at once. */
  bodyBytesMax: 134_217_728,
  /** 32 pages of 8 MiB: with the bodies a quarter of the 1.5 GB that the process may take. */
  answerBytesMax: 268_435_456,
  /**
   * Responses made of records: each is in memory some four times until its JSON is sent, and the
   * engines run fewer than this at once.
   */
  largeMax: 16,
  largePerCallerMax: 4,
  largePerPersonMax: 6,
  /** Writes that hold all rows of a dataset: 100,000 rows of 32 MiB are some 150 MB meanwhile. */
  tablesMax: 4,
  tablesPerPersonMax: 2,
} as const;
export type LoadLimits = { readonly [Limit in keyof typeof defaultLoadLimits]: number };

/** Concurrency slot held by one request. */
export type ConcurrencySlot = {
  /** Charges the slot to its caller as well; throws Fault `unavailable` beyond its limit. */
  readonly assignCaller: (caller: QuotaOwner) => void;
  /**
   * Yields the slot while this request waits for its client, or for a read model; throws Fault
   * `unavailable` when none is free afterwards.
   */
  readonly yieldWhileReceiving: <T>(work: () => Promise<T>) => Promise<T>;
  readonly yieldWhileBehind: <T>(work: () => Promise<T>) => Promise<T>;
  readonly release: () => void;
};

export type LoadShedder = {
  /** True if the network had a valid credential lately. */
  readonly isKnownNetwork: (network: string) => boolean;
  /** Throws Fault `unavailable` when all slots are taken. */
  readonly acquireSlot: (address: string) => ConcurrencySlot;
  /** Budget of one request's body, until its response. */
  readonly openBodyBudget: (owner: QuotaOwner, signal: AbortSignal) => BodyBudget;
  /** Memory budget of responses that clients have not received yet. */
  readonly answerBudget: ByteBudget;
  /** Semaphore for responses that may be large. */
  readonly large: QuotaSemaphore;
  /** Semaphore for changes of datasets. */
  readonly tables: QuotaSemaphore;
};

/** Load shedding: refuses work that could only wait (contract 1.5: 503). */
export const openLoadShedder = (limits: LoadLimits, shed: () => void): LoadShedder => {
  const refuse = (why: string): never => {
    shed();
    throw new Fault('unavailable', `${why}. Try again later.`);
  };
  const working = openRequestLimits(limits, refuse);
  // A request that waits for a read model does no work, but polls it again and again.
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

/** A few bytes each; the least recently seen network becomes a stranger again (LRU). */
const knownNetworksMax = 10_000;

const openSlot = (
  working: RequestLimits,
  waiting: RequestLimits,
  address: string,
  markKnown: () => void,
): ConcurrencySlot => {
  const names: CountedName[] = [{ name: `a ${address}`, max: 'perAddressMax' }];
  let release = working.acquire(names);
  const releaseSlot = (): void => {
    release();
    release = () => undefined;
  };
  const acquireSlot = (): void => {
    release = working.acquire(names);
  };
  return {
    assignCaller: ({ name, person }) => {
      markKnown();
      releaseSlot();
      names.push({ name: `c ${name}`, max: 'perCallerMax' });
      names.push({ name: `p ${person}`, max: 'perPersonMax' });
      acquireSlot();
    },
    yieldWhileReceiving: async (work) => {
      releaseSlot();
      const done = await work();
      acquireSlot();
      return done;
    },
    yieldWhileBehind: async (work) => {
      releaseSlot();
      release = waiting.acquire(names);
      const done = await work();
      releaseSlot();
      acquireSlot();
      return done;
    },
    release: releaseSlot,
  };
};

type LimitName = 'perCallerMax' | 'perPersonMax' | 'perAddressMax';
type CountedName = { readonly name: string; readonly max: LimitName };
type RequestLimits = { readonly acquire: (names: readonly CountedName[]) => () => void };

const openRequestLimits = (limits: LoadLimits, refuse: (why: string) => never): RequestLimits => {
  const working = openCounter();
  let all = 0;
  return {
    acquire: (counted) => {
      const names = [...counted];
      if (all >= limits.requestsMax)
        refuse(`Too many concurrent requests (${limits.requestsMax} at most)`);
      for (const { name, max } of names) {
        if (working.count(name) >= limits[max]) refuse(`${refusals[max]} (${limits[max]} at most)`);
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
  perPersonMax: 'Too many concurrent requests for the keys of one person',
  perCallerMax: 'Too many concurrent requests for this key or user',
  perAddressMax: 'Too many concurrent requests from this address',
} as const;
