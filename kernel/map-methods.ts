import { Fault } from './fault.js';

type Method = (...values: readonly unknown[]) => unknown;
type MethodsOf<T, Result> = {
  [K in keyof T]-?: T[K] extends (...values: never) => Result ? K : never;
}[keyof T] &
  string;
/** Names of the methods of a port that return a promise. */
export type AsyncMethod<T> = MethodsOf<T, Promise<unknown>>;
/** Names of the methods of a port that return an async iterable. */
type StreamMethod<T> = MethodsOf<T, AsyncIterable<unknown>>;

/** Runs `call`: with the values of the caller or others, on the wrapped port or another. */
type AroundMethod<T, N> = <R>(
  call: (values?: readonly unknown[], port?: T) => Promise<R>,
  called: { readonly name: N; readonly values: readonly unknown[] },
) => Promise<R>;

/**
 * Wraps a port: each call of the methods `names` runs within `around`, and so does each step of the
 * iterables that the methods `streams` return. Other members are the port's own.
 */
export const mapMethods = <
  T extends object,
  N extends AsyncMethod<T>,
  S extends StreamMethod<T> = never,
>(
  port: T,
  names: readonly N[],
  around: AroundMethod<T, N | S>,
  streams: readonly S[] = [],
): T => {
  const iterating = streams.map((name): [string, Method] => [
    name,
    (...values) => {
      const items = methodOf(port, name)(...values) as AsyncIterable<unknown>;
      return iterateWithin(items, (next) => around(next, { name, values }));
    },
  ]);
  return overridePort(port, {
    ...wrapMethods(port, names, around),
    ...(Object.fromEntries(iterating) as Partial<T>),
  });
};

/** Only the wrapped methods of `mapMethods`. */
export const wrapMethods = <T extends object, N extends AsyncMethod<T>>(
  port: T,
  names: readonly N[],
  around: AroundMethod<T, N>,
): Pick<T, N> =>
  Object.fromEntries(
    names.map((name): [string, Method] => [
      name,
      (...values) =>
        around(async (others = values, other = port) => methodOf(other, name)(...others), {
          name,
          values,
        }),
    ]),
  ) as Pick<T, N>;

const methodOf = <T extends object>(port: T, name: keyof T): Method => port[name] as Method;

/** The port with some members replaced, even where its members cannot be listed. */
export const overridePort = <T extends object>(port: T, members: Partial<T>): T =>
  new Proxy(port, {
    get: (target, name) => (Object.hasOwn(members, name) ? members : target)[name as keyof T],
  });

/** Port that refuses every call with Fault `unavailable`, but for these members. */
export const refusingPort = <T extends object>(why: string, members: Partial<T>): T => {
  const refuse = async (): Promise<never> => {
    throw new Fault('unavailable', why);
  };
  return overridePort(
    new Proxy({} as T, { get: (_, name) => (name === 'then' ? undefined : refuse) }),
    members,
  );
};

async function* iterateWithin(
  items: AsyncIterable<unknown>,
  around: <R>(next: () => Promise<R>) => Promise<R>,
): AsyncIterable<unknown> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await around(() => iterator.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    // Not awaited: the running `next()` may never settle.
    void iterator.return?.().catch(() => null);
  }
}
