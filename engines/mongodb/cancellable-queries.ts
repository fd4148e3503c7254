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
 * The snapshot with the request's signal in every query: on abort the driver closes the connection,
 * so that the server stops the query.
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
      const method = member.bind(target) as DriverQuery;
      return (what: unknown, options = {}) => method(what, { ...options, signal });
    },
  });
  return { ...snapshot, rows };
};

/** Runs `work` for a request that may be cancelled: throws its fault before and after. */
export const runCancellable = async <T>(
  context: QueryContext,
  work: () => Promise<T>,
): Promise<T> => {
  throwIfAborted(context);
  try {
    return await mapDriverErrors(work);
  } catch (error) {
    throwIfAborted(context);
    throw error;
  }
};
