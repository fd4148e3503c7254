import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../engines/node/clock.js';
import type { Clock } from '../../kernel/ports.js';

/** A second passes with each look, and a wait takes a turn of the loop: what is retried is due. */
export const fastClock = (): Clock => {
  let now = 0;
  return {
    ...systemClock,
    milliseconds: () => (now += 1_000),
    wait: () => nextTurn(),
  };
};
