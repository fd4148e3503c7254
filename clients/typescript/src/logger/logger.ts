import type { ClientPositions } from '../call.js';
import type { Connection } from '../connection.js';
import { namedResource, type NamedProjectOrStream } from '../named-resource.js';
import type { Runtime } from '../runtime.js';
import { uuid } from '../uuid.js';
import { exitFlushOf } from './exit-flush.js';
import { openBatchPoster } from './post-batch.js';
import { openQueue, type Logged, type Loss, type Queue } from './queue.js';
import { openSender, type Sender } from './sender.js';
import type { Place } from './steps.js';
import { openTracing, type Tracing } from './tracing.js';
import { lossLine, openWarnings, type Warn } from './warnings.js';

export type LoggerOptions = Place & {
  /** The log stream of traces that name no run, by its name or its id; it is made at need. */
  readonly logStream?: string;
  /** What waits for the service takes so much at most; beyond it the newest is lost. 32 MiB. */
  readonly bytesMax?: number;
  /** How long records wait for company. 1 s. */
  readonly intervalMs?: number;
  /** Of one request. 30 s. */
  readonly timeoutMs?: number;
  /** How long the end of the program waits for what is left. 5 s; 0: not at all. */
  readonly exitMs?: number;
  /**
   * Called when records are lost: once for each cause, until the service takes some again. By
   * default `onWarning` is told.
   */
  readonly onLoss?: (loss: Loss) => void;
  /** Takes a line about what goes wrong, each once a minute at most. `console.warn` by default. */
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

/** In the background, in batches, within a bound, and without a throw into the program. */
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
  // Who logs nothing has nothing to do at the end.
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

/** Resolves with whether all is sent, and nothing was lost since it was called last. */
const flushOf = (queue: Queue, sender: Sender): Logger['flush'] => {
  let lostBefore = 0;
  return async (withinMs = 30_000) => {
    const before = lostBefore;
    const isDone = await sender.flush(withinMs);
    lostBefore = queue.logged().lost;
    return isDone && lostBefore === before;
  };
};

/** So long a read waits for what was logged before it. */
const settleMs = 5_000;
