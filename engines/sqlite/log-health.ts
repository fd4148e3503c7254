import type { LogDamage, WriteFailure } from './log-orders.js';

/** How often a full disk is tried again. */
const probeIntervalMs = 1_000;

/** What the writer said last of itself; a full disk is tried again until a probe succeeds. */
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
  let left = false;
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
    told: () => {
      const { writable, fatal, cause } = health;
      return { writable, fatal, cause };
    },
    /** Why the indexes are not to be trusted; null: they are. */
    hidden: (): string | null => (health.hidesEvents ? health.cause : null),
    suffer: (failed: WriteFailure): void => {
      const { kind, cause } = failed;
      if (failed.kind === 'damaged') damaged(failed);
      const hidesEvents = kind === 'damaged' && failed.hidesEvents;
      if (hidesEvents) health = { ...health, hidesEvents };
      if (kind === 'busy' || health.isDamaged) return;
      const isDamaged = kind === 'damaged';
      const said = isDamaged ? `the log is damaged: ${cause}` : cause;
      const isFatal = health.fatal || kind === 'fatal';
      health = { writable: false, fatal: isFatal, isDamaged, hidesEvents, cause: said };
      if (kind === 'full' && !health.fatal && !left)
        timer ??= setTimeout(tryAgain, probeIntervalMs).unref();
    },
    /** Probes no more. */
    leave: (): void => {
      left = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
};
