import type { DuckDBConnection } from '@duckdb/node-api';
import { checkAsked, noLongerAsked } from '../../kernel/asking.js';
import { Fault } from '../../kernel/fault.js';
import type { Asking } from '../../kernel/ports.js';

type Readers = {
  /** `work` with a connection of its own, when one is free; those who wait come in turn. */
  with<T>(asking: Asking, work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Once all are back; nobody gets one afterwards. */
  close(): Promise<void>;
};

export const readersOver = (connections: readonly DuckDBConnection[]): Readers => {
  const idle = [...connections];
  const waiting = new Set<(connection: DuckDBConnection) => void>();
  let closed = false;
  const acquire = ({ signal }: Asking): Promise<DuckDBConnection> => {
    const connection = idle.pop();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve, reject) => {
      const gone = (): void => {
        waiting.delete(given);
        if (signal !== undefined) reject(noLongerAsked(signal));
      };
      const given = (one: DuckDBConnection): void => {
        signal?.removeEventListener('abort', gone);
        resolve(one);
      };
      signal?.addEventListener('abort', gone, { once: true });
      waiting.add(given);
    });
  };
  const release = (connection: DuckDBConnection): void => {
    const [next] = waiting;
    if (next === undefined) idle.push(connection);
    else {
      waiting.delete(next);
      next(connection);
    }
  };
  return {
    with: async (asking, work) => {
      checkAsked(asking);
      if (closed) throw new Fault('unavailable', 'The records are closed');
      const connection = await acquire(asking);
      try {
        return await work(connection);
      } finally {
        release(connection);
      }
    },
    close: async () => {
      const all = connections.map(() => acquire({}));
      closed = true;
      for (const connection of await Promise.all(all)) connection.closeSync();
    },
  };
};

// A statement that still waits for a thread forgets that it was interrupted when it begins.
export const interruptAgainMs = 50;

/** A statement, interrupted when its asker waits no longer; the connection is well afterwards. */
export const interruptible = async <T>(
  connection: DuckDBConnection,
  { signal }: Asking,
  statement: () => Promise<T>,
): Promise<T> => {
  if (signal === undefined) return statement();
  checkAsked({ signal });
  let again: NodeJS.Timeout | null = null;
  const interrupt = (): void => {
    connection.interrupt();
    again = setInterval(() => connection.interrupt(), interruptAgainMs);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await statement();
  } catch (error) {
    checkAsked({ signal });
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    if (again !== null) clearInterval(again);
  }
};
