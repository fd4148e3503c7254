import type { Collection } from 'mongodb';
import { throwIfAborted } from '../../kernel/query-context.js';
import type { QueryContext } from '../../kernel/ports.js';
import { mapDriverErrors } from './connect.js';

type DriverQuery = (what: unknown, options?: object) => unknown;
const queryMethods: ReadonlySet<string | symbol> = new Set([
  'find',
  'findOne',
  'aggregate',
  'countDocuments',
]);

/**
 * The rows, asked with the signal: when it aborts, the driver lets go of the connection, by which
 * the server knows that nobody waits for the question.
 */
export const withSignal = <S extends { readonly rows: Collection }>(
  snapshot: S,
  { signal }: QueryContext,
): S => {
  if (signal === undefined) return snapshot;
  const rows = new Proxy(snapshot.rows, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (!queryMethods.has(name) || typeof member !== 'function') return member;
      const ask = member.bind(target) as DriverQuery;
      return (what: unknown, options = {}) => ask(what, { ...options, signal });
    },
  });
  return { ...snapshot, rows };
};

/** `answering` for somebody who may wait no longer. */
export const runCancellable = async <T>(
  asking: QueryContext,
  work: () => Promise<T>,
): Promise<T> => {
  throwIfAborted(asking);
  try {
    return await mapDriverErrors(work);
  } catch (error) {
    throwIfAborted(asking);
    throw error;
  }
};
