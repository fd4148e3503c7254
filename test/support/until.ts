import { setTimeout as pause } from 'node:timers/promises';
import { calmClock } from './calm-clock.js';

/** Looking costs the machine what the work that is waited for could have. */
const lookEveryMs = 50;

/**
 * Asks again and again until the answer is true. For what a process does on its own time and tells
 * nobody about; whatever can be waited for properly is. Throws after `withinMs` of a machine that
 * is not busy, naming what it waited for.
 */
export const until = async (
  what: string,
  withinMs: number,
  question: () => Promise<boolean>,
): Promise<void> => {
  const waited = calmClock();
  while (!(await question())) {
    if (waited() > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await pause(lookEveryMs);
  }
};
