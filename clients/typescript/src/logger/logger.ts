import { credentials, remember, type Memory } from '../call.js';
import { tryOnce, type Connection } from '../connection.js';
import type { PlainRequest, Surroundings } from '../surroundings.js';
import { uuid } from '../uuid.js';
import { bodyOf, together, type Parcel } from './parcels.js';
import { openQueue, type Logged, type Loss } from './queue.js';
import { openSender, type SenderSettings } from './sender.js';
import type { Place } from './steps.js';
import { openTracing, type Tracing } from './tracing.js';

export type LoggerOptions = Place & {
  /** What waits for the service takes so much at most; beyond it the newest is lost. 32 MiB. */
  readonly bytesMax?: number;
  /** How long records wait for company. 1 s. */
  readonly intervalMs?: number;
  /** Of one request. 30 s. */
  readonly timeoutMs?: number;
  /** How long the end of the program waits for what is left. 5 s; 0: not at all. */
  readonly exitMs?: number;
  /** Called when records are lost: once, until the service takes some again. */
  readonly onLoss?: (loss: Loss) => void;
};

export type Logger = Pick<Tracing, 'trace' | 'span'> & {
  readonly logged: () => Logged;
  readonly flush: (withinMs?: number) => Promise<boolean>;
  readonly close: () => Promise<boolean>;
};

type Settings = {
  readonly connection: Connection;
  readonly project: string | null;
  readonly memory: Memory;
  readonly surroundings: Surroundings;
};

/** In the background, in batches, within a bound, and without a throw into the program. */
export const openLogger = (settings: Settings, options: LoggerOptions): Logger => {
  const { connection, surroundings, memory } = settings;
  const { bytesMax = 32 * 1_048_576, intervalMs = 1_000, timeoutMs = 30_000 } = options;
  const { exitMs = 5_000, onLoss = () => undefined } = options;
  const queue = openQueue(bytesMax, onLoss);
  const headersOf = (key: string): Readonly<Record<string, string>> => ({
    ...credentials({ schemes: 'KB' }, connection),
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
  });
  const post: SenderSettings['post'] = async ({ method, path }, body, key, signal) => {
    const headers = headersOf(key);
    const asked = { method, path, headers, body, timeoutMs, signal };
    await tryOnce(connection, asked, async (answer) => {
      await answer.text();
      remember(memory, answer.headers);
    });
  };
  const { inBackground } = surroundings;
  const enoughBytes = Math.min(240_000, bytesMax / 2);
  const sender = openSender({ queue, post, newKey: uuid, intervalMs, enoughBytes, inBackground });
  let leave: (() => void) | null = null;
  // Who logs nothing has nothing to do at the end.
  const onBegin = (): void => {
    if (exitMs > 0) leave ??= surroundings.beforeLeaving(leaving);
  };
  const { stir } = sender;
  const { project } = settings;
  const { ambient } = surroundings;
  const tracing = openTracing({
    project,
    place: options,
    queue,
    ambient,
    isOpen: sender.isOpen,
    onBegin,
    stir,
  });
  const leaving = {
    withinMs: exitMs,
    close: tracing.close,
    isEmpty: () => queue.all().length === 0,
    flush: sender.flush,
    rest: () => requests(queue.all(), connection.url, headersOf),
    settle: (taken: number) => {
      const sets = batches(queue.all());
      sets.slice(0, taken).forEach(queue.taken);
      sender.stop();
      const left = sets.slice(taken).flat();
      if (left.length > 0) queue.lose(left, 'left', null);
    },
  };
  return {
    trace: tracing.trace,
    span: tracing.span,
    logged: queue.logged,
    flush: (withinMs = 30_000) => sender.flush(withinMs),
    close: async () => {
      tracing.close();
      const isDone = await sender.flush(exitMs);
      leave?.();
      leaving.settle(0);
      return isDone;
    },
  };
};

const batches = (parcels: readonly Parcel[]): readonly (readonly Parcel[])[] => {
  const sets: (readonly Parcel[])[] = [];
  for (let left = parcels; left.length > 0;) {
    const count = together(left);
    sets.push(left.slice(0, count));
    left = left.slice(count);
  }
  return sets;
};

const requests = (
  parcels: readonly Parcel[],
  url: string,
  headersOf: (key: string) => Readonly<Record<string, string>>,
): readonly PlainRequest[] =>
  batches(parcels).flatMap((set) => {
    const [first] = set;
    if (first === undefined) return [];
    const { method, path } = first;
    return [{ url: `${url}${path}`, method, headers: headersOf(uuid()), body: bodyOf(set) }];
  });
