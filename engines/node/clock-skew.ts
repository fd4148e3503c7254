import type { Clock, EventReader } from '../../kernel/ports.js';
import type { Instant } from '../../kernel/schema-types.js';

/** Clock skew check: compares the time of the newest event with the clock. */
export type ClockSkewMonitor = {
  /**
   * A warning while the newest event is later than the clock. Reads the log first; after `withinMs`
   * it answers from the previous result.
   */
  readonly warnings: (withinMs: number) => Promise<readonly string[]>;
};

/** Another machine may have written the event, and clocks kept by NTP differ by less than this. */
const toleratedSkewMs = 10_000;

export const openClockSkewMonitor = (
  log: Pick<EventReader, 'tail'>,
  clock: Pick<Clock, 'now' | 'wait'>,
): ClockSkewMonitor => {
  let newest: Instant | null = null;
  let refreshing: Promise<void> | null = null;
  const refresh = async (): Promise<void> => {
    const [last] = await log.tail(1);
    newest = last?.metadata.at ?? null;
  };
  return {
    warnings: async (withinMs) => {
      const timeout = new AbortController();
      refreshing ??= refresh()
        .catch(() => undefined)
        .finally(() => {
          refreshing = null;
        });
      await Promise.race([refreshing, clock.wait(withinMs, timeout.signal)]);
      timeout.abort();
      const now = clock.now();
      const ms = newest === null ? 0 : Date.parse(newest) - Date.parse(now);
      if (ms <= toleratedSkewMs) return [];
      return [
        `The newest event is of ${newest}, ${Math.round(ms / 1_000)} s later than the clock ` +
          `(${now}): set the clocks of the machines that write, and keep them by NTP`,
      ];
    },
  };
};
