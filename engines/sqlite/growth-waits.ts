import type { NotificationBus, Position } from '../../kernel/ports.js';

/** Hints may be lost: the head is looked at this often all the same. */
const pollMs = 250;

/**
 * Who waits for the log to grow: told by the bus, and looking now and then all the same. Rejects
 * when the head cannot be read.
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
        const look = (): void => {
          try {
            if (head() > from) done();
          } catch (error) {
            end();
            reject(error);
          }
        };
        const unsubscribe = bus.subscribe('log.grown', look);
        const timer = setInterval(look, pollMs).unref();
        signal?.addEventListener('abort', done, { once: true });
        waits.add(done);
      }),
    end: (): void => {
      for (const done of waits) done();
    },
  };
};
