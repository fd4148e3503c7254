import type { NotificationBus, Position } from '../../kernel/ports.js';

/** Poll interval: notifications may be lost. */
const pollMs = 250;

/**
 * Waits for the log to grow, woken by the bus and by polling. Rejects when the head cannot be read.
 */
export const openGrowthWaits = (bus: NotificationBus, head: () => Position) => {
  const waits = new Set<() => void>();
  return {
    wait: (from: Position, signal: AbortSignal | undefined): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          clearInterval(timer);
          unsubscribe();
          signal?.removeEventListener('abort', done);
          waits.delete(done);
        };
        const done = (): void => {
          end();
          resolve();
        };
        const check = (): void => {
          try {
            if (head() > from) done();
          } catch (error) {
            end();
            reject(error);
          }
        };
        const unsubscribe = bus.subscribe('log.grown', check);
        const timer = setInterval(check, pollMs).unref();
        signal?.addEventListener('abort', done, { once: true });
        waits.add(done);
      }),
    end: (): void => {
      for (const done of waits) done();
    },
  };
};
