import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryContext } from '../../kernel/ports.js';

const contextStorage = new AsyncLocalStorage<QueryContext>();

/** Runs `work` with a query context, which all queries below it inherit. */
export const withQueryContext = <T>(context: QueryContext, work: () => T): T =>
  contextStorage.run(context, work);

/** Context of the running work; empty outside `withQueryContext`. */
export const currentQueryContext = (): QueryContext => contextStorage.getStore() ?? {};
