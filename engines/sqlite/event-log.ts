import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../kernel/fault.js';
import type {
  AppendResult,
  Bus,
  EventLog,
  EventReader,
  Position,
  StreamAppend,
  StreamName,
} from '../../kernel/ports.js';
import { openReader, type Decode } from './log-reader.js';
import type { Order, Outcome } from './log-orders.js';
import { posOf, positionOf } from './log-schema.js';

type Options = { readonly dir: string; readonly bus: Bus; readonly decode?: Decode };
type Waiter = {
  readonly resolve: (outcome: Outcome & { written: unknown }) => void;
  readonly reject: (fault: Fault) => void;
};

/** How often a full disk is tried again. */
const probeIntervalMs = 1_000;
/** Orders waiting for the writer; beyond it appends are refused rather than queued without end. */
const waitingBytesMax = 256 * 1024 * 1024;

/**
 * The event log on SQLite (port EventLog). Appends go to one writer in a thread of its own and resolve after its commit
 * is synced. A full disk: appends throw Fault `unavailable` until a probe commits again, about each second. Any other
 * failed write or sync is fatal: nothing is acknowledged any more in this process.
 */
export const openEventLog = async ({ dir, bus, decode }: Options): Promise<EventLog> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const writer = new Worker(new URL('./log-writer.js', import.meta.url), { workerData: { dir } });
  const [[ready]] = (await once(writer, 'message')) as [Outcome[]];
  const reader = openReader({ dir, bus, ...(decode !== undefined && { decode }) });
  const waiters = new Map<number, Waiter>();
  const health = { writable: true, fatal: false, cause: null as string | null };
  let orders = 0;
  let bytesWaiting = 0;
  let last = ready !== undefined && 'last' in ready ? ready.last : 0;
  let probe: NodeJS.Timeout | null = null;

  const fail = (fatal: boolean, cause: string): void => {
    health.writable = false;
    health.fatal ||= fatal;
    health.cause = cause;
    if (!fatal) probe ??= setTimeout(tryAgain, probeIntervalMs).unref();
  };
  const unavailable = (): Fault =>
    new Fault('unavailable', 'The log cannot be written', {
      retryAfterSeconds: 2,
      cause: health.cause,
    });
  const settle = (outcome: Outcome): void => {
    const waiter = waiters.get(outcome.id);
    waiters.delete(outcome.id);
    if ('failed' in outcome) {
      fail(!outcome.failed.full, outcome.failed.cause);
      waiter?.reject(unavailable());
    } else {
      last = Math.max(last, outcome.last);
      waiter?.resolve(outcome);
    }
  };
  writer.on('message', (outcomes: readonly Outcome[]) => {
    const before = last;
    outcomes.forEach(settle);
    if (last > before) bus.publish('log.grown', positionOf(last));
  });
  writer.on('error', (error) => {
    fail(true, String(error));
    for (const [id, waiter] of waiters) {
      waiters.delete(id);
      waiter.reject(unavailable());
    }
  });

  const send = (batch: Order['batch'], erase: string | null): Promise<readonly unknown[]> => {
    const bytes = batch.reduce(
      (sum, { events }) => sum + events.reduce((one, { data }) => one + data.length + 256, 0),
      0,
    );
    if (bytesWaiting + bytes > waitingBytesMax) throw unavailable();
    orders += 1;
    const order: Order = { id: orders, bytes, batch, erase };
    bytesWaiting += bytes;
    return new Promise<readonly unknown[]>((resolve, reject) => {
      waiters.set(order.id, {
        resolve: ({ written }) => resolve(written as readonly unknown[]),
        reject,
      });
      writer.postMessage(order);
    }).finally(() => {
      bytesWaiting -= bytes;
    });
  };
  /** Writes and removes a row of its own through the whole path; success means the disk takes commits again. */
  const tryAgain = (): void => {
    probe = null;
    send([], '\u0000probe').then(
      () => {
        if (health.fatal) return;
        health.writable = true;
        health.cause = null;
      },
      () => undefined,
    );
  };

  return {
    ...reader,
    append: async (batch) => {
      if (!health.writable) throw unavailable();
      const written = await send(batch.map(encoded), null);
      return written.map((one): AppendResult =>
        one === 'conflict' ? 'conflict' : { position: positionOf(one as number) },
      );
    },
    erase: async (stream: StreamName) => {
      if (!health.writable) throw unavailable();
      await send([], stream);
    },
    head: async () => positionOf(last),
    health: () => ({ ...health }),
    close: async () => {
      if (probe !== null) clearTimeout(probe);
      await reader.close();
      await writer.terminate();
    },
  } satisfies EventLog;
};

/** The log of a folder that another thread or process writes. */
export const openEventReader = async (options: Options): Promise<EventReader> =>
  openReader(options);

const encoded = ({ stream, expected, events }: StreamAppend): Order['batch'][number] => ({
  stream,
  expected: expected === 'none' ? -1 : expected,
  events: events.map(({ id, type, data, metadata }) => ({
    id,
    type,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  })),
});

export type { Position };
export { posOf };
