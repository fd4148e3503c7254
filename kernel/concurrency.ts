import type { StreamName } from './ports.js';

/**
 * Work on streams, or under other keys, after the work before it on any of them, whether that
 * succeeded or not: requests of this process do not race each other in vain. Who comes first is
 * settled when it is called, for all its keys at once, so nobody waits in a circle.
 */
export type KeyedMutex<K extends string = StreamName> = <T>(
  keys: readonly K[],
  work: () => Promise<T>,
) => Promise<T>;

/**
 * Does a small piece of a work that takes long in a turn of the event loop that has time left for
 * it, so that others come in between.
 */
export type RunInSlice = <T>(work: () => T) => Promise<T>;

export const openKeyedMutex = <K extends string = StreamName>(): KeyedMutex<K> => {
  const last = new Map<K, Promise<unknown>>();
  return async (keys, work) => {
    const before = [...new Set(keys.flatMap((key) => last.get(key) ?? []))];
    const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work);
    for (const key of keys) last.set(key, mine);
    try {
      return await mine;
    } finally {
      for (const key of keys) if (last.get(key) === mine) last.delete(key);
    }
  };
};

/** Work after the work before it, in the order asked, whether that succeeded or not. */
type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

export const openMutex = (): Limiter => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => null);
    return mine;
  };
};

/**
 * So many at work; the rest wait in the order of coming. Whoever ends hands its place over, so that
 * nobody who comes in that moment takes it as well. `admit` is told how many wait already, and may
 * throw.
 */
export const openSemaphore = (
  placesMax: number,
  admit: (waiting: number) => void = () => undefined,
): Limiter => {
  let working = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (working < placesMax) working += 1;
    else {
      admit(waiting.length);
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) working -= 1;
      else next();
    }
  };
};

/**
 * Many who look at once look together: each is answered by a look that began after they asked, and
 * there is one at a time.
 */
export const singleFlight = <T>(look: () => Promise<T>): (() => Promise<T>) => {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    const looked = look();
    current = looked.catch(() => null);
    return looked;
  };
  return () => (next ??= current.then(begin));
};

/** The same of each key, for as long as somebody looks. */
export const singleFlightByKey = <K, T>(look: (key: K) => Promise<T>): ((key: K) => Promise<T>) => {
  const open = new Map<K, { readonly ask: () => Promise<T>; asking: number }>();
  return async (key) => {
    const looks = open.get(key) ?? { ask: singleFlight(() => look(key)), asking: 0 };
    open.set(key, looks);
    looks.asking += 1;
    try {
      return await looks.ask();
    } finally {
      looks.asking -= 1;
      if (looks.asking === 0) open.delete(key);
    }
  };
};

/**
 * Questions of one turn of the event loop go together: `ask` is given all of them, and has an
 * answer for each, in their order.
 */
export const openBatchLoader = <Q, A>(
  ask: (questions: readonly Q[]) => Promise<readonly A[]>,
): ((question: Q) => Promise<A>) => {
  let questions: Q[] = [];
  let answers: Promise<readonly A[]> | null = null;
  const send = async (): Promise<readonly A[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    const all = questions;
    questions = [];
    answers = null;
    return ask(all);
  };
  return async (question) => {
    const place = questions.push(question) - 1;
    answers ??= send();
    return (await answers)[place] as A;
  };
};
