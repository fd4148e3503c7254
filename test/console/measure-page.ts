import type { Page } from 'playwright-core';

/** Figures that are taken within a page of the console, in milliseconds and megabytes. */

/** Resolves in a page once what it drew is painted. */
const painted = 'await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));';

/** Milliseconds from the navigation until the page first showed something. */
export const firstPaint = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) =>
    new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) {
        if (name === 'first-contentful-paint') resolve(startTime);
      }
    }).observe({ type: 'paint', buffered: true }))`);

/** Script that goes to an address below the origin, as a link of the console does. */
const goScript = (address: string): string =>
  `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new Event('popstate'));`;

export const goTo = async (page: Page, address: string): Promise<void> => {
  await page.evaluate(goScript(address));
};

/**
 * Milliseconds from a navigation within the console until each of these conditions, one after the
 * other, holds and is painted.
 */
export const timeNavigation = (
  page: Page,
  address: string,
  conditions: readonly string[],
): Promise<readonly number[]> =>
  page.evaluate<readonly number[]>(`(async () => {
    const begin = performance.now();
    const times = [];
    ${goScript(address)}
    for (const holds of [${conditions.map((condition) => `() => ${condition}`).join()}]) {
      while (!holds()) await new Promise(requestAnimationFrame);
      ${painted}
      times.push(performance.now() - begin);
    }
    return times;
  })()`);

/**
 * Milliseconds from a change of the view until the answer stands in the element, which keeps the
 * one before and is busy meanwhile.
 */
export const timeChange = (page: Page, address: string, element: string): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const element = document.querySelector(${JSON.stringify(element)});
    let changes = 0;
    const observer = new MutationObserver((all) => (changes += all.length));
    observer.observe(element, { attributeFilter: ['aria-busy'] });
    const begin = performance.now();
    ${goScript(address)}
    while (changes < 2 || element.getAttribute('aria-busy') === 'true') {
      await new Promise(requestAnimationFrame);
    }
    ${painted}
    observer.disconnect();
    return performance.now() - begin;
  })()`);

/** Shortest duration that Event Timing reports. */
const reportedMs = 16;

/**
 * Milliseconds from each key to the paint after it, by Event Timing, which rounds to 8 ms; shorter
 * ones than 16 count as 16. `longestTask`: 0 where none took 50 ms.
 */
export const timeKeys = async (
  page: Page,
  keys: readonly string[],
): Promise<{ readonly times: readonly number[]; readonly longestTask: number }> => {
  await page.evaluate(`
    keyTimes = [];
    taskTimes = [];
    timeObservers = [];
    timeObservers[0] = new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) {
        if (name === 'keydown') keyTimes.push(duration);
      }
    });
    timeObservers[0].observe({ type: 'event', durationThreshold: ${reportedMs} });
    timeObservers[1] = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) taskTimes.push(duration);
    });
    timeObservers[1].observe({ type: 'longtask' });`);
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.evaluate(`(async () => { ${painted} })()`);
  }
  const { known, tasks } = await page.evaluate<{
    readonly known: readonly number[];
    readonly tasks: readonly number[];
  }>('for (const one of timeObservers) one.disconnect(); ({ known: keyTimes, tasks: taskTimes })');
  const unreported = Array.from(
    { length: Math.max(0, keys.length - known.length) },
    () => reportedMs,
  );
  return { times: [...known, ...unreported], longestTask: Math.max(0, ...tasks) };
};

/** Megabytes of the page's heap after a collection. */
export const heapMegabytes = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
};

/** Scrolls a grid to its end until it has so many rows. */
export const loadRows = async (page: Page, rows: number): Promise<void> => {
  await page.evaluate(`(async () => {
    const grid = document.querySelector('[role=grid]');
    const rowsOf = () =>
      grid.querySelector('.grid-body').offsetHeight / grid.querySelector('.grid-head').offsetHeight;
    while (rowsOf() < ${rows}) {
      grid.scrollTop = grid.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
  })()`);
};
