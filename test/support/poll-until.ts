import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { idleAwareClock } from './idle-aware-clock.js';

/**
 * Interval between two polls: a tenth of the time waited so far, within these bounds. A poll takes
 * processor time from the work that it waits for, and a long wait needs few of them.
 */
const pollIntervalMs = { least: 20, most: 250 };

/**
 * Polls until `question` answers true, for effects of another process that no event announces.
 * Throws after `withinMs` of a machine that is not busy, naming what it waited for.
 */
export const pollUntil = async (
  what: string,
  withinMs: number,
  question: () => Promise<boolean>,
): Promise<void> => {
  const waited = idleAwareClock();
  const began = performance.now();
  while (!(await question())) {
    if (waited() > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}`);
    const tenth = (performance.now() - began) / 10;
    await pause(Math.min(Math.max(tenth, pollIntervalMs.least), pollIntervalMs.most));
  }
};

/** How long a page may take to show something. */
const shownWithinMs = 60_000;

/** Polls until `read` answers this; a value that stays another is shown beside it. */
export const pollUntilEqual = async <T>(read: () => Promise<T>, expected: T): Promise<void> => {
  const isEqual = async (): Promise<boolean> => isDeepStrictEqual(await read(), expected);
  await pollUntil('the expected value', shownWithinMs, isEqual).catch(() => undefined);
  expect(await read()).to.deep.equal(expected);
};
