import { filled, listedAt, type Named } from '../named.js';
import type { Leaving, PlainRequest } from '../surroundings.js';
import { uuid } from '../uuid.js';
import { bodyOf, together, type Parcel } from './parcels.js';
import type { Queue } from './queue.js';
import type { Sender } from './sender.js';
import type { Tracing } from './tracing.js';

type LeavingSettings = {
  readonly tracing: Tracing;
  readonly queue: Queue;
  readonly sender: Sender;
  /** What records are logged into, each after what it is within. */
  readonly names: readonly Named[];
  readonly url: string;
  readonly headersOf: (key: string) => Readonly<Record<string, string>>;
  readonly withinMs: number;
};

/** What the end of the program asks of a logger. */
export const leavingOf = (settings: LeavingSettings): Leaving => {
  const { tracing, queue, sender, names, url, headersOf, withinMs } = settings;
  return {
    withinMs,
    close: tracing.close,
    isEmpty: () => queue.all().length === 0,
    flush: sender.flush,
    rest: () => ({
      names: names
        .filter(({ id }) => id === null)
        .map((one) => ({
          url: filled(`${url}${listedAt(one)}`, ...names),
          name: one.name,
          standIn: one.standIn,
          headers: headersOf(uuid()),
        })),
      requests: requests(queue.all(), headersOf).map(({ url: path, body, ...request }) => ({
        ...request,
        url: filled(`${url}${path}`, ...names),
        body: filled(body, ...names),
      })),
    }),
    settle: (taken) => {
      const sets = batches(queue.all());
      sets.slice(0, taken).forEach(queue.taken);
      sender.stop();
      const left = sets.slice(taken).flat();
      if (left.length > 0) queue.lose(left, 'left', sender.trouble());
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
  headersOf: (key: string) => Readonly<Record<string, string>>,
): readonly PlainRequest[] =>
  batches(parcels).flatMap((set) => {
    const [first] = set;
    if (first === undefined) return [];
    const { method, path } = first;
    return [{ url: path, method, headers: headersOf(uuid()), body: bodyOf(set) }];
  });
