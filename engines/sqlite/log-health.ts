import type { LogDamage, WriteFailure } from './log-orders.js';

/** Retry interval of a full disk. */
const probeIntervalMs = 1_000;

/** Health of the writer by its last outcome; a full disk is probed until a commit succeeds. */
export const openWriterHealth = (
  probe: () => Promise<unknown>,
  damaged: (damage: LogDamage) => void,
) => {
  const well = {
    writable: true,
    fatal: false,
    isDamaged: false,
    hidesEvents: false,
    cause: null as string | null,
  };
  let health = well;
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  const tryAgain = (): void => {
    timer = null;
    probe().then(
      () => {
        if (!health.fatal && !health.isDamaged) health = well;
      },
      () => undefined,
    );
  };
  return {
    now: () => health,
    status: () => {
      const { writable, fatal, cause } = health;
      return { writable, fatal, cause };
    },
    /** Reason not to trust the indexes; null when they are intact. */
    hidden: (): string | null => (health.hidesEvents ? health.cause : null),
    suffer: (failed: WriteFailure): void => {
      const { kind, cause } = failed;
      if (failed.kind === 'damaged') damaged(failed);
      const hidesEvents = kind === 'damaged' && failed.hidesEvents;
      if (hidesEvents) health = { ...health, hidesEvents };
      if (kind === 'busy' || health.isDamaged) return;
      const isDamaged = kind === 'damaged';
      const text = isDamaged ? `the log is damaged: ${cause}` : cause;
      const isFatal = health.fatal || kind === 'fatal';
      health = { writable: false, fatal: isFatal, isDamaged, hidesEvents, cause: text };
      if (kind === 'full' && !health.fatal && !isStopped)
        timer ??= setTimeout(tryAgain, probeIntervalMs).unref();
    },
    /** Stops probing. */
    stop: (): void => {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};
