import type { Clock } from '../kernel/ports.js';

/** What is live may be this far behind the log before a copy is built more slowly. */
const lagMaxMs = 2_000;
const lagPauseMs = 100;
const sliceMs = 5_000;
/** A page a second all the same: live lag that stays must not keep its own cure from ending. */
const pauseMaxMs = 1_000;

type Needs = {
  readonly clock: Clock;
  /** Events a second at most; null: no bound. Asked after each page. */
  readonly rate: () => number | null;
  /** How far what is live is behind, in milliseconds. */
  readonly lag: () => number;
  readonly signal: AbortSignal;
  /** Called in long rests every few seconds; what it throws ends them. */
  readonly between?: () => Promise<void>;
};

/**
 * Resolves when the next page may be folded after one of so many events: they came no faster than
 * the rate, and what is live keeps up or has had a second of its own.
 */
export const openThrottle = ({ clock, rate, lag, signal, between }: Needs) => {
  let due = clock.milliseconds();
  return async (events: number): Promise<void> => {
    const perSecond = rate();
    // What was slow once is not made up for.
    due = Math.max(due, clock.milliseconds() - pauseMaxMs);
    due += perSecond === null ? 0 : (events / perSecond) * 1_000;
    const rest = (): number => (perSecond === null ? 0 : due - clock.milliseconds());
    while (rest() > 0 && !signal.aborted) {
      await clock.wait(Math.min(rest(), sliceMs), signal);
      await between?.();
    }
    const last = clock.milliseconds() + pauseMaxMs;
    while (lag() > lagMaxMs && clock.milliseconds() < last && !signal.aborted) {
      await clock.wait(lagPauseMs, signal);
    }
  };
};
