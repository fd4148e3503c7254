import { systemClock } from '../engines/node/clock.js';
import { Fault } from '../kernel/fault.js';
import { behindReason } from '../projections/open-subscriptions.js';
import type { Starting } from './starting.js';

/** Why records are not whole yet; null: they are, from now on. */
type Filling = () => string | null;

/** Looked at until it is null, which lasts; who is asked may be away for a while. */
export const openFilling = (
  look: () => Promise<string | null>,
  open: Pick<Starting['open'], 'begin'>,
): Filling => {
  let reason: string | null = behindReason;
  const ending = new AbortController();
  open.begin('the look at what is filled', () => ending.abort());
  const lookOn = async (): Promise<void> => {
    while (reason !== null && !ending.signal.aborted) {
      await systemClock.wait(lookEveryMs, ending.signal);
      reason = await look().catch(() => reason);
    }
  };
  void lookOn();
  return () => reason;
};
const lookEveryMs = 100;

/**
 * The port, refusing with Fault `read-model-behind` as long as it would answer from a part of the
 * log: somebody may have been answered by a whole one before.
 */
export const onceWhole = <T extends object>(port: T, filling: Filling): T =>
  new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || alwaysAnswers.has(String(name))) return member;
      return (...values: readonly unknown[]): unknown => {
        const reason = filling();
        if (reason === null)
          return (member as (...given: readonly unknown[]) => unknown)(...values);
        const refused = new Fault('read-model-behind', `The records here are ${reason}`, {
          retryAfterSeconds: 1,
        });
        if (name === 'dump') throw refused;
        // As the port answers: who asks several things at once waits for all of them.
        return Promise.reject(refused);
      };
    },
  });
const alwaysAnswers: ReadonlySet<string> = new Set(['checkpoint', 'close']);
