import type { PageClock } from '../engines/clock.js';
import type { Tabs } from '../engines/tab-messages.js';

/**
 * A clock that follows the `Date` of answers, which is in whole seconds. An answer says its time
 * between the request and its arrival: a slow one is not taken for a clock that is behind.
 */
export const withServiceClock = (send: typeof globalThis.fetch, clock: PageClock) => {
  let aheadMs: number | null = null;
  return {
    now: () => clock.now() + (aheadMs ?? 0),
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
    /**
     * Tabs whose tokens take this clock along, and bring it before the first answer: windows of
     * time are chosen until then.
     */
    sharedBy: (tabs: Tabs): Tabs => {
      tabs.subscribe((message) => {
        if (message.type === 'token') aheadMs ??= message.aheadMs ?? null;
      });
      const send: Tabs['send'] = (message) =>
        tabs.send(message.type === 'token' && aheadMs !== null ? { ...message, aheadMs } : message);
      return { ...tabs, send };
    },
  };
};
const clockSlackMs = 2_000;
