import type { PageClock } from '../engines/clock.js';

/**
 * A clock that follows the `Date` of answers, which is in whole seconds. An answer says its time
 * between the request and its arrival: a slow one is not taken for a clock that is behind.
 */
export const withServiceClock = (send: typeof globalThis.fetch, clock: PageClock) => {
  let aheadMs = 0;
  return {
    now: () => clock.now() + aheadMs,
    fetch: async (...request: Parameters<typeof globalThis.fetch>) => {
      const begin = clock.now();
      const answer = await send(...request);
      const date = Date.parse(answer.headers.get('Date') ?? '');
      if (Number.isNaN(date)) return answer;
      const [early, late] = [begin - date, clock.now() - date];
      // Within the second of the answer, and the way of it, both clocks agree.
      if (late < 0) aheadMs = 1_000 - late;
      else aheadMs = early < clockSlackMs ? 0 : 1_000 - early;
      return answer;
    },
  };
};
const clockSlackMs = 2_000;
