import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../engines/node/clock.js';
import type { Clock } from '../../kernel/ports.js';

/**
 * Virtual clock: each reading advances it by a second, and a wait takes one turn of the event loop.
 */
export const fastClock = (): Clock => {
  let now = 0;
  return {
    ...systemClock,
    milliseconds: () => (now += 1_000),
    wait: () => nextTurn(),
  };
};
