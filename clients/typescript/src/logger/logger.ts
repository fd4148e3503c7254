import type { ClientPositions } from '../call.js';
import type { Connection } from '../connection.js';
import { namedResource, type NamedProjectOrStream } from '../named-resource.js';
import type { Runtime } from '../runtime.js';
import { uuid } from '../uuid.js';
import { exitFlushOf } from './exit-flush.js';
import { openBatchPoster } from './post-batch.js';
import { openQueue, type Logged, type Loss, type Queue } from './queue.js';
import { openSender, type Sender } from './sender.js';
import type { LogTarget } from './steps.js';
import { openTracing, type Tracing } from './tracing.js';
import { lossLine, openWarnings, type Warn } from './warnings.js';

export type LoggerOptions = LogTarget & {
  /** The log stream of traces that name no run, by its name or its id; created if missing. */
  readonly logStream?: string;
  /** Limit of the queue; beyond it the newest records are lost. 32 MiB. */
  readonly bytesMax?: number;
  /** Batching delay of records. 1 s. */
  readonly intervalMs?: number;
  /** Time limit of one request. 30 s. */
  readonly timeoutMs?: number;
  /** Time limit of the flush when the program ends. 5 s; 0: no flush. */
  readonly exitMs?: number;
  /**
   * Called when records are lost: once for each cause, until the service accepts some again.
   * Default: a line to `onWarning`.
   */
  readonly onLoss?: (loss: Loss) => void;
  /** Receives warnings, each once a minute at most. Default: `console.warn`. */
  readonly onWarning?: (line: string) => void;
};

export type Logger = Pick<Tracing, 'trace' | 'span'> & {
  readonly logged: () => Logged;
  readonly flush: (withinMs?: number) => Promise<boolean>;
  readonly close: () => Promise<boolean>;
  readonly warn: Warn;
};

type Settings = {
  readonly connection: Connection;
  readonly project: NamedProjectOrStream | null;
  readonly memory: ClientPositions;
  readonly surroundings: Runtime;
};

/** Logs in the background, in batches, with a bounded queue, and never throws into the program. */
export const openLogger = (settings: Settings, options: LoggerOptions): Logger => {
  const { connection, surroundings, memory, project } = settings;
  const { url } = connection;
  const { bytesMax = 32 * 1_048_576, intervalMs = 1_000, timeoutMs = 30_000 } = options;
  // oxlint-disable-next-line no-console
  const { exitMs = 5_000, onWarning = (line) => console.warn(line) } = options;
  const warn = openWarnings(onWarning);
  const { onLoss = (loss) => warn(`${loss.reason} ${loss.error}`, lossLine(loss, url)) } = options;
  const queue = openQueue(bytesMax, onLoss);
  const logStream = project && namedResource('log stream', options.logStream, project);
  const names = [project, logStream].filter((one) => one !== null);
  const { post, headersOf } = openBatchPoster({ connection, memory, names, timeoutMs, warn });
  const sender = openSender({
    queue,
    post,
    newKey: uuid,
    intervalMs,
    enoughBytes: Math.min(240_000, bytesMax / 2),
    inBackground: surroundings.inBackground,
    troubleMs: 3_000,
    onTrouble: (fault) =>
      warn('trouble', `${url}: ${fault?.message ?? 'no answer yet'}; still trying`),
  });
  memory.settle = (signal) => sender.flush(settleMs, signal);
  let leave: (() => void) | null = null;
  // A program that logs nothing needs no flush at exit.
  const onBegin = (): void => {
    if (exitMs > 0) leave ??= surroundings.flushBeforeExit(leaving);
  };
  const { wake } = sender;
  const { asyncContext } = surroundings;
  const tracing = openTracing({
    project: project?.standIn ?? null,
    place: logStream === null ? options : { logStreamId: logStream.standIn, ...options },
    queue,
    ambient: asyncContext,
    isOpen: sender.isOpen,
    onBegin,
    wakeSender: wake,
    warn,
  });
  const leaving = exitFlushOf({
    tracing,
    queue,
    sender,
    names,
    url,
    headersOf,
    withinMs: exitMs,
  });
  const flush = flushOf(queue, sender);
  return {
    trace: tracing.trace,
    span: tracing.span,
    logged: queue.logged,
    flush,
    warn,
    close: async () => {
      tracing.close();
      const isDone = await flush(exitMs);
      leave?.();
      leaving.acknowledge(0);
      return isDone;
    },
  };
};

/** Resolves with true if all is sent, and nothing was lost since the previous call. */
const flushOf = (queue: Queue, sender: Sender): Logger['flush'] => {
  let lostBefore = 0;
  return async (withinMs = 30_000) => {
    const before = lostBefore;
    const isDone = await sender.flush(withinMs);
    lostBefore = queue.logged().lost;
    return isDone && lostBefore === before;
  };
};

/** Time limit of the flush before a read. */
const settleMs = 5_000;
