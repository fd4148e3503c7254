import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryContext } from '../../kernel/ports.js';

const contextStorage = new AsyncLocalStorage<QueryContext>();

/** Whatever `work` asks, however deep below, is asked for `asking`. */
export const withQueryContext = <T>(asking: QueryContext, work: () => T): T =>
  contextStorage.run(asking, work);

/** For whom the work at hand is done; empty outside `withQueryContext`. */
export const currentQueryContext = (): QueryContext => contextStorage.getStore() ?? {};
