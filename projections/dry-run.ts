import { throwIfAborted } from '../kernel/query-context.js';
import {
  logStart,
  type Clock,
  type EventReader,
  type EventPage,
  type StoredEvent,
} from '../kernel/ports.js';
import { decodeEvent } from './page-reader.js';
import type { RunnerNeeds } from './runner.js';
import { batchEventsMax, type Subscription } from './subscription.js';

/** Result of a dry run: what a rebuild would fold and how long it would take. */
export type DryRun = {
  readonly name: string;
  /** Events by type, of the types that the read model subscribes to. */
  readonly events: Readonly<Record<string, number>>;
  /** Events of all types. */
  readonly log_events: number;
  /** Number of events folded to estimate the time of all of them. */
  readonly sample: number;
  readonly seconds: number;
};

type Needs = Pick<RunnerNeeds, 'checkedDecode' | 'parking'> & {
  readonly reader: EventReader;
  readonly clock: Clock;
};

/**
 * Sample size: enough batches for a mean, and a second or two at most. The last batch may exceed
 * it.
 */
const sampleMax = 2_000;

/**
 * Counts the whole log and folds a sample of its first events into a shadow copy that is then
 * discarded. The estimate: the time that reading took plus the fold time of all events at the
 * sample's rate.
 */
export const dryRun = async (
  { reader, checkedDecode, parking, clock }: Needs,
  { readModel }: Subscription,
  signal: AbortSignal,
): Promise<DryRun> => {
  const decode = await checkedDecode();
  const began = clock.milliseconds();
  const counts = new Map<string, number>();
  const copy = await readModel.shadow();
  let foldedMs = 0;
  let sample = 0;
  let logEvents = 0;
  const fold = async (
    events: readonly StoredEvent[],
    { erased, through }: Pick<EventPage, 'erased' | 'through'>,
  ): Promise<void> => {
    const since = clock.milliseconds();
    const read = events.map((one) => decodeEvent(one, decode));
    const { apply } = await copy.model.fold(read, null, erased);
    await apply({ position: through, fence: parking.fence() });
    foldedMs += clock.milliseconds() - since;
    sample += events.length;
  };
  try {
    for (let position = logStart; ;) {
      // Yields to the event loop: a store may respond synchronously, which would block other
      // requests.
      await new Promise((resolve) => setImmediate(resolve));
      throwIfAborted({ signal });
      const page = await reader.page(position, batchEventsMax);
      const { events } = page;
      if (page.through <= position) break;
      position = page.through;
      logEvents += events.length;
      const wanted = events.filter(({ type }) => readModel.eventTypes?.includes(type) ?? true);
      for (const { type } of wanted) counts.set(type, (counts.get(type) ?? 0) + 1);
      const hasEvents = wanted.length + page.erased.length > 0;
      if (sample < sampleMax && hasEvents) await fold(wanted, page);
    }
  } finally {
    await copy.discard();
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const readMs = clock.milliseconds() - began - foldedMs;
  return {
    name: readModel.name,
    events: Object.fromEntries([...counts].sort(([, one], [, other]) => other - one)),
    log_events: logEvents,
    sample,
    seconds: Math.ceil((readMs + (foldedMs * all) / Math.max(sample, 1)) / 1_000),
  };
};
