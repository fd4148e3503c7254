import { boundedMap } from '../../kernel/bounded-map.js';
import { Fault } from '../../kernel/fault.js';
import { openLimiter, type Limit, type Limiter } from '../../kernel/limiter.js';
import { byteBudgets, limits } from '../../kernel/limits.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { BodyBudget } from './decode-body.js';
import { openByteBudget, type ByteBudget, type QuotaOwner } from '../../kernel/byte-budget.js';
import { limitKeysOf, openBodyBudgets, type QuotaLimiter } from './body-budget.js';

type RequestLimiter = Limiter<'address' | 'caller' | 'person'>;

/** Amounts of contract 1.11, beside the table of limits. */
const defaultLoadAmounts = {
  /** Requests that begin in one event-loop tick: some 2 ms, which all others wait at each step. */
  perTickMax: 4,
  /** Same as the longest response time. */
  largeBodiesWaitMsMax: 20_000,
  bodyBytesMax: byteBudgets.bodies.size,
  answerBytesMax: byteBudgets.answers.size,
} as const;
type LoadLimitName = 'requests' | 'largeBodies' | 'largeAnswers' | 'datasetWrites';
type LimitOverride<K extends string> = {
  readonly size?: number;
  readonly shares?: Partial<Readonly<Record<K, number>>>;
};
/** Tests: smaller limits than those of the table. */
export type LoadOverrides = {
  readonly [Name in LoadLimitName]?: LimitOverride<string & keyof (typeof limits)[Name]['shares']>;
} & { readonly [Amount in keyof typeof defaultLoadAmounts]?: number };

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
  /** Requests that begin in one event-loop tick. */
  readonly perTickMax: number;
  /** True if the network had a valid credential lately. */
  readonly isKnownNetwork: (network: string) => boolean;
  /** Throws Fault `unavailable` when all slots are taken. */
  readonly acquireSlot: (address: string) => ConcurrencySlot;
  /** Budget of one request's body, until its response. */
  readonly openBodyBudget: (owner: QuotaOwner, signal: AbortSignal) => BodyBudget;
  /** Memory budget of responses that clients have not received yet. */
  readonly answerBudget: ByteBudget;
  /** Limits responses that may be large. */
  readonly largeAnswers: QuotaLimiter;
  /** Limits changes of datasets. */
  readonly datasetWrites: QuotaLimiter;
};

/** Load shedding: refuses work that could only wait (contract 1.5: 503). */
export const openLoadShedder = (overrides: LoadOverrides, shed: () => void): LoadShedder => {
  const faultOf = (why: string): Fault => {
    shed();
    return new Fault('unavailable', `${why}. Try again later.`);
  };
  const refuse = (why: string): never => {
    throw faultOf(why);
  };
  const amounts = { ...defaultLoadAmounts, ...overrides };
  const limiterOf = (name: Exclude<LoadLimitName, 'requests'>): QuotaLimiter =>
    openLimiter(withOverride(limits[name], overrides[name]));
  const requests = withOverride(limits.requests, overrides.requests);
  const openRequests = (): RequestLimiter =>
    openLimiter(requests, (bound) => {
      const max =
        bound === 'size' || bound === 'waitersMax' ? requests.size : requests.shares[bound];
      return faultOf(`Too many concurrent requests${refusals[bound]} (${max} at most)`);
    });
  const working = openRequests();
  // A request that waits for a read model does no work, but polls it again and again.
  const waiting = openRequests();
  const known = boundedMap<string, true>(knownNetworksMax);
  return {
    perTickMax: amounts.perTickMax,
    isKnownNetwork: (network) => known.get(network) === true,
    acquireSlot: (address) => {
      const network = networkPrefix(address);
      return openSlot(working, waiting, network, () => known.set(network, true));
    },
    openBodyBudget: openBodyBudgets({
      bytes: openByteBudget(amounts.bodyBytesMax, refuse),
      large: limiterOf('largeBodies'),
      waitMsMax: amounts.largeBodiesWaitMsMax,
      refuse,
    }),
    answerBudget: openByteBudget(amounts.answerBytesMax, refuse),
    largeAnswers: limiterOf('largeAnswers'),
    datasetWrites: limiterOf('datasetWrites'),
  };
};

/** Parts of the refusal by the bound that was reached. */
const refusals = {
  size: '',
  waitersMax: '',
  person: ' for the keys of one person',
  caller: ' for this key or user',
  address: ' from this address',
} as const;

const withOverride = <K extends string>(
  limit: Limit<K>,
  { size = limit.size, shares = {} }: LimitOverride<K> = {},
): Limit<K> => ({ ...limit, size, shares: { ...limit.shares, ...shares } });

/** A few bytes each; the least recently seen network becomes a stranger again (LRU). */
const knownNetworksMax = 10_000;

const openSlot = (
  working: RequestLimiter,
  waiting: RequestLimiter,
  address: string,
  markKnown: () => void,
): ConcurrencySlot => {
  let keys: Parameters<RequestLimiter['acquireNow']>[0] = { address };
  let release = working.acquireNow(keys);
  return {
    assignCaller: (caller) => {
      markKnown();
      release();
      keys = { address, ...limitKeysOf(caller) };
      release = working.acquireNow(keys);
    },
    yieldWhileReceiving: async (work) => {
      release();
      const done = await work();
      release = working.acquireNow(keys);
      return done;
    },
    yieldWhileBehind: async (work) => {
      release();
      release = waiting.acquireNow(keys);
      const done = await work();
      release();
      release = working.acquireNow(keys);
      return done;
    },
    release: () => release(),
  };
};
