import { throwIfAborted } from '../kernel/query-context.js';
import type { Limiter } from '../kernel/limiter.js';
import { mapMethods, type AsyncMethod } from '../kernel/map-methods.js';
import { projectOfQuery, queryNames, type QueryTraits } from '../kernel/query-methods.js';
import type { QueryContext, EventLog } from '../kernel/ports.js';

/** The log of request handlers until `signal` aborts: a long handler then ends at its next call. */
export const abortableLog = (log: EventLog, signal: AbortSignal): EventLog =>
  mapMethods(
    log,
    ['append', 'read', 'last', 'page', 'streams'],
    async (call) => {
      throwIfAborted({ signal });
      return call();
    },
    ['portions'],
  );

/**
 * Port whose queries carry the context of the current request (empty outside of one). Scans wait
 * for a slot of their project (contract 1.11); index lookups do not.
 */
export const requestScopedPort = <T extends object, N extends AsyncMethod<T>>(
  port: T,
  queries: Readonly<Record<N, QueryTraits>>,
  currentContext: () => QueryContext,
  limiter: Limiter<'project'>,
): T =>
  mapMethods(port, queryNames(queries), (call, { name, values }) => {
    const { kind, contextAt } = queries[name];
    const context = (values[contextAt] ?? currentContext()) as QueryContext;
    const query = () => call([...values.slice(0, contextAt), context]);
    return kind === 'scan'
      ? limiter.run({ project: projectOfQuery(values) }, context, query)
      : query();
  });
