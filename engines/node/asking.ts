import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asking } from '../../kernel/ports.js';

const current = new AsyncLocalStorage<Asking>();

/** Whatever `work` asks, however deep below, is asked for `asking`. */
export const during = <T>(asking: Asking, work: () => T): T => current.run(asking, work);

/** For whom the work at hand is done; empty outside `during`. */
export const currentAsking = (): Asking => current.getStore() ?? {};
