import { boundedMap } from './bounded-map.js';
import { openCounter, type Counter } from './counter.js';
import { Fault } from './fault.js';
import type { QueryContext } from './ports.js';
import { cancellationFault, throwIfAborted } from './query-context.js';

/** Limit of one kind of work, in slots or in bytes. */
export type Limit<K extends string> = {
  /** Most at a time, in all. */
  readonly size: number;
  /** Most at a time of one key of each kind. Keys of the first kind take turns. */
  readonly shares: Readonly<Record<K, number>>;
  /** Most waiting calls of one key of the first kind. */
  readonly waitersMax: number;
};
/** Keys that work is charged to, by their kind. */
type LimitKeys<K extends string> = Readonly<Partial<Record<K, string>>>;
/** Bound that a refused call would exceed. */
type Bound<K extends string> = 'size' | 'waitersMax' | K;
type Call = Pick<QueryContext, 'signal'> & {
  /** Slots or bytes; 1 by default. */
  readonly weight?: number;
};

/** Weighted fair semaphore. A release function works once; further calls are no-ops. */
export type Limiter<K extends string> = {
  /**
   * Resolves with a release function once there is room. Throws the refusal when the queue is full,
   * and Fault `unavailable` as soon as the request is cancelled.
   */
  readonly acquire: (keys: LimitKeys<K>, call?: Call) => Promise<() => void>;
  /** Takes room now, and returns a release function; throws the refusal if there is none. */
  readonly acquireNow: (keys: LimitKeys<K>, weight?: number) => () => void;
  /** Runs `work` once there is room. */
  readonly run: <T>(
    keys: LimitKeys<K>,
    call: Call,
    work: (yieldSlot: YieldSlot) => Promise<T>,
  ) => Promise<T>;
  /** Resolves once nothing is held. */
  readonly whenIdle: () => Promise<void>;
};
/** Yields the slot while `wait` runs, then acquires another one. */
export type YieldSlot = (wait: () => Promise<void>) => Promise<void>;

/** Amounts held now, in all and by key. */
type Holdings<K extends string> = {
  readonly add: (keys: LimitKeys<K>, by: number) => void;
  /** True if this much more does not fit in all; something heavier than the limit fits alone. */
  readonly isOverSize: (weight: number) => boolean;
  /** Kind of key whose share this would exceed; null if it fits. */
  readonly shareExceeded: (keys: LimitKeys<K>, weight: number) => K | null;
  /** Key of the first kind. */
  readonly turnOf: (keys: LimitKeys<K>) => string;
  /** Amount held by a key of the first kind. */
  readonly ofTurn: (turn: string) => number;
  readonly isEmpty: () => boolean;
};

const openHoldings = <K extends string>({ size, shares }: Limit<K>): Holdings<K> => {
  const held = new Map<K, Counter>();
  for (const kind in shares) held.set(kind, openCounter());
  const [first] = held;
  let all = 0;
  return {
    add: (keys, by) => {
      all += by;
      for (const [kind, counter] of held) {
        const key = keys[kind];
        if (key !== undefined) counter.add(key, by);
      }
    },
    isOverSize: (weight) => all + weight > size && (all > 0 || size === 0),
    shareExceeded: (keys, weight) => {
      for (const [kind, counter] of held) {
        const key = keys[kind];
        const own = key === undefined ? 0 : counter.count(key);
        if (own > 0 && own + weight > shares[kind]) return kind;
      }
      return null;
    },
    turnOf: (keys) => (first === undefined ? null : keys[first[0]]) ?? '',
    ofTurn: (turn) => first?.[1].count(turn) ?? 0,
    isEmpty: () => all === 0,
  };
};

type Waiter<K extends string> = {
  readonly keys: LimitKeys<K>;
  readonly weight: number;
  readonly turn: string;
  readonly admit: () => void;
};
/** Waiting calls: a FIFO queue for each key of the first kind. */
type FairQueue<K extends string> = {
  /** Adds a call; returns the length of its queue. */
  readonly add: (waiter: Waiter<K>) => number;
  readonly remove: (waiter: Waiter<K>) => void;
  /** Removes and returns the call that is next; null if it does not fit yet. */
  readonly takeNext: () => Waiter<K> | null;
};

/** Keys whose last turn is remembered while they do not wait. */
const servedMax = 1_000;

const openFairQueue = <K extends string>(holdings: Holdings<K>): FairQueue<K> => {
  /** Waiting calls, and when their key was served last or, if that is unknown, began to wait. */
  const queues = new Map<string, { readonly calls: Waiter<K>[]; since: number }>();
  const served = boundedMap<string, number>(servedMax);
  let now = 0;
  const remove = (waiter: Waiter<K>): void => {
    const calls = queues.get(waiter.turn)?.calls ?? [];
    calls.splice(calls.indexOf(waiter), 1);
    if (calls.length === 0) queues.delete(waiter.turn);
  };
  const findNext = (): Waiter<K> | null => {
    let best: readonly [waiter: Waiter<K>, held: number, since: number] | null = null;
    for (const [turn, { calls, since }] of queues) {
      const [waiter] = calls;
      if (waiter === undefined || holdings.shareExceeded(waiter.keys, waiter.weight) !== null)
        continue;
      const held = holdings.ofTurn(turn);
      if (best === null || held < best[1] || (held === best[1] && since < best[2]))
        best = [waiter, held, since];
    }
    return best?.[0] ?? null;
  };
  return {
    add: (waiter) => {
      const { turn } = waiter;
      const queue = queues.get(turn) ?? { calls: [], since: served.get(turn) ?? (now += 1) };
      queues.set(turn, queue);
      return queue.calls.push(waiter);
    },
    remove,
    takeNext: () => {
      const next = queues.size === 0 || holdings.isOverSize(1) ? null : findNext();
      if (next === null || holdings.isOverSize(next.weight)) return null;
      const queue = queues.get(next.turn);
      if (queue !== undefined) queue.since = now += 1;
      served.set(next.turn, now);
      remove(next);
      return next;
    },
  };
};

/**
 * Limiter: at most `size` is held at a time, and `shares` of one key; a call that is heavier than
 * that runs alone. The next is the oldest call of the key that holds least, among equals of the one
 * served longest ago; a key without a known turn counts from when it began to wait, so that new
 * keys starve none. A heavy call that is next waits until it fits, and no lighter one passes it.
 */
export const openLimiter = <K extends string>(
  limit: Limit<K>,
  refuse: (bound: Bound<K>) => Fault = queueFullFault,
): Limiter<K> => {
  const holdings = openHoldings(limit);
  const queue = openFairQueue(holdings);
  const idleWaiters: (() => void)[] = [];
  const take = (keys: LimitKeys<K>, weight: number): (() => void) => {
    holdings.add(keys, weight);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      holdings.add(keys, -weight);
      admitWaiting();
      if (holdings.isEmpty()) for (const resolve of idleWaiters.splice(0)) resolve();
    };
  };
  const admitWaiting = (): void => {
    for (let next = queue.takeNext(); next !== null; next = queue.takeNext()) next.admit();
  };
  const acquire: Limiter<K>['acquire'] = async (keys, { signal, weight = 1 } = {}) => {
    throwIfAborted(signal === undefined ? {} : { signal });
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    let isWaiting = true;
    const cancel = (): void => {
      queue.remove(waiter);
      // A heavy call may have kept lighter ones waiting.
      admitWaiting();
      reject(cancellationFault(signal));
    };
    const admit = (): void => {
      isWaiting = false;
      signal?.removeEventListener('abort', cancel);
      resolve(take(keys, weight));
    };
    const waiter = { keys, weight, turn: holdings.turnOf(keys), admit };
    const length = queue.add(waiter);
    admitWaiting();
    if (isWaiting && length > limit.waitersMax) {
      queue.remove(waiter);
      throw refuse('waitersMax');
    }
    if (isWaiting) signal?.addEventListener('abort', cancel, { once: true });
    return promise;
  };
  return {
    acquire,
    acquireNow: (keys, weight = 1) => {
      const bound = holdings.isOverSize(weight) ? 'size' : holdings.shareExceeded(keys, weight);
      if (bound !== null) throw refuse(bound);
      return take(keys, weight);
    },
    run: async (keys, call, work) => {
      let release = await acquire(keys, call);
      try {
        return await work(async (wait) => {
          release();
          await wait();
          release = await acquire(keys, call);
        });
      } finally {
        release();
      }
    },
    whenIdle: async () => {
      if (!holdings.isEmpty()) await new Promise<void>((resolve) => idleWaiters.push(resolve));
    },
  };
};

const retryAfterSeconds = 5;
const queueFullFault = (): Fault =>
  new Fault('unavailable', 'Too many queries of this kind are queued. Send fewer at a time.', {
    retryAfterSeconds,
  });
