import { setTimeout as pause } from 'node:timers/promises';

/**
 * Asks again and again until the answer is true. For what a process does on its own time and tells
 * nobody about; whatever can be waited for properly is. Throws after `withinMs`, naming what it
 * waited for.
 */
export const until = async (
  what: string,
  withinMs: number,
  question: () => Promise<boolean>,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await question())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await pause(20);
  }
};
