import { substituteIds, listPath, type NamedProjectOrStream } from '../named-resource.js';
import type { ExitFlush, PendingRequest } from '../runtime.js';
import { uuid } from '../uuid.js';
import { bodyOf, batchSize, type BatchPart } from './batch-parts.js';
import type { Queue } from './queue.js';
import type { Sender } from './sender.js';
import type { Tracing } from './tracing.js';

type ExitFlushSettings = {
  readonly tracing: Tracing;
  readonly queue: Queue;
  readonly sender: Sender;
  /** Project and log stream of the records, parents first. */
  readonly names: readonly NamedProjectOrStream[];
  readonly url: string;
  readonly headersOf: (key: string) => Readonly<Record<string, string>>;
  readonly withinMs: number;
};

/** Adapter of a logger for the flush at program exit. */
export const exitFlushOf = (settings: ExitFlushSettings): ExitFlush => {
  const { tracing, queue, sender, names, url, headersOf, withinMs } = settings;
  return {
    withinMs,
    close: tracing.close,
    isEmpty: () => queue.all().length === 0,
    flush: sender.flush,
    pending: () => ({
      names: names
        .filter(({ id }) => id === null)
        .map((one) => ({
          url: substituteIds(`${url}${listPath(one)}`, ...names),
          name: one.name,
          standIn: one.standIn,
          headers: headersOf(uuid()),
        })),
      requests: requests(queue.all(), headersOf).map(({ url: path, body, ...request }) => ({
        ...request,
        url: substituteIds(`${url}${path}`, ...names),
        body: substituteIds(body, ...names),
      })),
    }),
    acknowledge: (taken) => {
      const sets = requestBatches(queue.all());
      sets.slice(0, taken).forEach(queue.acknowledge);
      sender.stop();
      const left = sets.slice(taken).flat();
      if (left.length > 0) queue.discard(left, 'left', sender.lastFault());
    },
  };
};

const requestBatches = (parcels: readonly BatchPart[]): readonly (readonly BatchPart[])[] => {
  const sets: (readonly BatchPart[])[] = [];
  for (let left = parcels; left.length > 0;) {
    const count = batchSize(left);
    sets.push(left.slice(0, count));
    left = left.slice(count);
  }
  return sets;
};

const requests = (
  parcels: readonly BatchPart[],
  headersOf: (key: string) => Readonly<Record<string, string>>,
): readonly PendingRequest[] =>
  requestBatches(parcels).flatMap((set) => {
    const [first] = set;
    if (first === undefined) return [];
    const { method, path } = first;
    return [{ url: path, method, headers: headersOf(uuid()), body: bodyOf(set) }];
  });
