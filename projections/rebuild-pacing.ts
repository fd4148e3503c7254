import type { Clock } from '../kernel/ports.js';

/** Live lag beyond which a copy is built more slowly. */
const lagMaxMs = 2_000;
const lagPauseMs = 100;
const sliceMs = 5_000;
/**
 * Longest pause for live lag: one page a second proceeds anyway, so that permanent lag does not
 * stop the rebuild that cures it.
 */
const pauseMaxMs = 1_000;

type Needs = {
  readonly clock: Clock;
  /** Events a second at most; null: unlimited. Read after each page. */
  readonly rate: () => number | null;
  /** Lag of the live read models in milliseconds. */
  readonly lag: () => number;
  readonly signal: AbortSignal;
  /** Called in long pauses every few seconds; an error ends the pause. */
  readonly between?: () => Promise<void>;
};

/**
 * Pacing of a rebuild (backpressure): after a page of `events` events, resolves when the next page
 * may be folded: the rate is kept, and the live read models have caught up or had a second for
 * themselves.
 */
export const openRebuildPacer = ({ clock, rate, lag, signal, between }: Needs) => {
  let nextAt = clock.milliseconds();
  return async (events: number): Promise<void> => {
    const perSecond = rate();
    // A slow phase is not made up for later.
    nextAt = Math.max(nextAt, clock.milliseconds() - pauseMaxMs);
    nextAt += perSecond === null ? 0 : (events / perSecond) * 1_000;
    const remaining = (): number => (perSecond === null ? 0 : nextAt - clock.milliseconds());
    while (remaining() > 0 && !signal.aborted) {
      await clock.wait(Math.min(remaining(), sliceMs), signal);
      await between?.();
    }
    const deadline = clock.milliseconds() + pauseMaxMs;
    while (lag() > lagMaxMs && clock.milliseconds() < deadline && !signal.aborted) {
      await clock.wait(lagPauseMs, signal);
    }
  };
};
