import { boundedMap } from '../../kernel/bounded-map.js';
import { openByteBudget, type ByteBudget, type QuotaOwner } from '../../kernel/byte-budget.js';
import { Fault } from '../../kernel/fault.js';
import { openLimiter, type Limit, type Limiter } from '../../kernel/limiter.js';
import { byteBudgets, limits } from '../../kernel/limits.js';
import { networkPrefix } from '../../kernel/network-prefix.js';
import type { BodyBudget } from './decode-body.js';

type RequestLimiter = Limiter<'address' | 'caller' | 'person'>;
/** Limiter of work by caller, and by all keys of one person. */
type QuotaLimiter = Limiter<'caller' | 'person'>;

/** Keys of an owner; clients without a credential share the quota of one person. */
export const limitKeysOf = ({ name, person }: QuotaOwner) => ({
  caller: name,
  person: String(person),
});

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
  /** Calls `go` now, or once the turn of this address's network comes (admission control). */
  readonly admit: (address: string, go: () => void) => void;
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
  const admit = openRequestAdmission(amounts.perTickMax, (network) => known.get(network) === true);
  return {
    admit: (address, go) => admit(networkPrefix(address), go),
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

/**
 * Cooldown of a large-body slot, as a multiple of the parse time that blocked the event loop:
 * validation and the decision take as long as parsing again.
 */
const cooldownFactor = 8;

/**
 * Memory budget of request bodies: counts decompressed bytes, and lets few large bodies be
 * processed at a time (limiter), while the others wait as received.
 */
const openBodyBudgets =
  ({
    bytes,
    large,
    waitMsMax,
    refuse,
  }: {
    readonly bytes: ByteBudget;
    readonly large: QuotaLimiter;
    readonly waitMsMax: number;
    readonly refuse: (why: string) => never;
  }) =>
  (owner: QuotaOwner, signal: AbortSignal): BodyBudget => {
    const reservation = bytes.open(owner);
    let slot: Promise<() => void> | null = null;
    let parsedMs = 0;
    const enter = async (): Promise<() => void> => {
      const timeout = AbortSignal.timeout(waitMsMax);
      try {
        const either = AbortSignal.any([signal, timeout]);
        return await large.acquire(limitKeysOf(owner), { signal: either });
      } catch (error) {
        if (signal.aborted || !timeout.aborted) throw error;
        return refuse('Too many concurrent large bodies from this caller');
      }
    };
    return {
      reserve: reservation.reserve,
      acquireLargeSlot: async () => {
        slot ??= enter();
        await slot;
      },
      recordParseTime: (milliseconds) => {
        parsedMs += milliseconds;
      },
      release: () => {
        reservation.release();
        const closeAfterCooldown = (release: () => void) =>
          void setTimeout(release, parsedMs * cooldownFactor).unref();
        slot?.then(closeAfterCooldown, () => undefined);
      },
    };
  };

type Queues = Map<string, (() => void)[]>;

/**
 * Fair admission control: starts this many requests per event-loop tick, networks round robin. A
 * request takes several ticks, each of which is as long as all that begins in it: without a limit,
 * hundreds of connections make every response to others some ten times their own work late.
 *
 * Networks with a recent valid credential (`isKnown`) go first, except for one place in each tick:
 * strangers can use any number of addresses.
 */
export const openRequestAdmission = (
  perTickMax: number,
  isKnown: (network: string) => boolean = () => false,
): ((network: string, go: () => void) => void) => {
  /** Networks in the order of their turns. */
  const known: Queues = new Map();
  const strangers: Queues = new Map();
  let begun = 0;
  let isTickScheduled = false;
  const scheduleTick = (): void => {
    if (isTickScheduled) return;
    isTickScheduled = true;
    setImmediate(() => {
      isTickScheduled = false;
      begun = 0;
      startWaiting(known, strangers.size > 0 ? Math.max(1, perTickMax - 1) : perTickMax);
      startWaiting(strangers, perTickMax);
      startWaiting(known, perTickMax);
    });
  };
  const begin = (go: () => void): void => {
    begun += 1;
    scheduleTick();
    go();
  };
  const startWaiting = (waiting: Queues, max: number): void => {
    // A network that is moved to the end of the map is reached again in this loop.
    for (const [network, queue] of waiting) {
      if (begun >= max) return;
      const go = queue.shift();
      waiting.delete(network);
      if (queue.length > 0) waiting.set(network, queue);
      if (go !== undefined) begin(go);
    }
  };
  return (network, go) => {
    if (begun < perTickMax && known.size + strangers.size === 0) return begin(go);
    const waiting = isKnown(network) ? known : strangers;
    const queue = waiting.get(network);
    if (queue === undefined) waiting.set(network, [go]);
    else queue.push(go);
  };
};
