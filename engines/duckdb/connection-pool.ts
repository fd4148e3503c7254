import type { DuckDBConnection } from '@duckdb/node-api';
import { throwIfAborted, cancellationFault } from '../../kernel/query-context.js';
import { Fault } from '../../kernel/fault.js';
import type { QueryContext } from '../../kernel/ports.js';

type ConnectionPool = {
  /** Runs `work` with an exclusive connection; waiters are served first in, first out. */
  withConnection<T>(
    context: QueryContext,
    work: (connection: DuckDBConnection) => Promise<T>,
  ): Promise<T>;
  /** Closes all connections once they are returned; later calls get none. */
  close(): Promise<void>;
};

export const openConnectionPool = (connections: readonly DuckDBConnection[]): ConnectionPool => {
  const idle = [...connections];
  const waiting = new Set<(connection: DuckDBConnection) => void>();
  let closed = false;
  const acquire = ({ signal }: QueryContext): Promise<DuckDBConnection> => {
    const connection = idle.pop();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve, reject) => {
      const gone = (): void => {
        waiting.delete(given);
        if (signal !== undefined) reject(cancellationFault(signal));
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
    withConnection: async (context, work) => {
      throwIfAborted(context);
      if (closed) throw new Fault('unavailable', 'The records are closed');
      const connection = await acquire(context);
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

// Interrupt interval: a statement still waiting for a thread drops an interrupt when it starts.
export const interruptAgainMs = 50;

/**
 * Runs a statement and interrupts it when the request is cancelled; the connection stays usable.
 */
export const runInterruptibly = async <T>(
  connection: DuckDBConnection,
  { signal }: QueryContext,
  statement: () => Promise<T>,
): Promise<T> => {
  if (signal === undefined) return statement();
  throwIfAborted({ signal });
  let again: NodeJS.Timeout | null = null;
  const interrupt = (): void => {
    connection.interrupt();
    again = setInterval(() => connection.interrupt(), interruptAgainMs);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await statement();
  } catch (error) {
    throwIfAborted({ signal });
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
    if (again !== null) clearInterval(again);
  }
};
