import { throwIfAborted } from '../kernel/query-context.js';
import type {
  QueryContext,
  Decode,
  Envelope,
  EventReader,
  EventPage,
  Position,
} from '../kernel/ports.js';
import { batchEventsMax } from './subscription.js';
import type { PageStart } from './shadow-build.js';
import { decodeEvent } from './page-reader.js';
import { skippedKey, type ParkedAndSkipped } from './parking.js';
import { skippedType, type Gap, type Poison, type Sink } from './read-model.js';

export type RebuildProgress = {
  readonly name: string;
  readonly position: Position;
  readonly head: Position;
  /** Speed since this work began or was resumed, pauses included. */
  readonly events_per_second: number;
  /** Null: nothing is known yet. */
  readonly eta_seconds: number | null;
};

/** Progress of a copy after a page of `events` events. */
export type PageProgress = Pick<RebuildProgress, 'position' | 'head'> & { readonly events: number };

export type FillShadowNeeds = QueryContext & {
  readonly reader: EventReader;
  readonly decode: Decode;
  readonly sink: Sink;
  readonly fence: number;
  /** Parked streams are folded up to where they are parked, skipped events are skipped. */
  readonly parkedAndSkipped: ParkedAndSkipped;
  /** Called before the copy takes a page with events, with those that could not be folded. */
  readonly beforePage?: (page: PageStart, poisons: readonly Poison[]) => Promise<void>;
  /** Called after each page; the next one is written once it resolves. */
  readonly afterPage?: (page: PageProgress) => Promise<void>;
};

export type FillCheckpoint = {
  readonly position: Position;
  /** Poison events of streams that could not be folded and were not parked yet. */
  readonly poisons: ReadonlyMap<string, Poison>;
};

/** A page that is being written to the copy. */
type PageWrite = {
  readonly applied: Promise<void>;
  /** Resolves after `afterPage`, including any pause that it makes. */
  readonly settled: Promise<void>;
};
const noPageWrite: PageWrite = { applied: Promise.resolve(), settled: Promise.resolve() };

/**
 * Folds the log into a copy from `from` up to `until` exactly, or to the end as of each page when
 * it is null. Reads only the event types that the copy folds; writes after each page that has some,
 * and at the end. Pipelined: the next page is folded while one is written. Throws when the log has
 * a gap, the store fails or the signal aborts: the copy can simply be built again.
 */
export const fillShadow = async (
  filling: FillShadowNeeds,
  from: FillCheckpoint,
  until: Position | null,
): Promise<FillCheckpoint> => {
  const { reader, sink, fence, beforePage, afterPage, signal } = filling;
  const poisons = new Map(from.poisons);
  const context = { ...(signal && { signal }) };
  let { position } = from;
  let written = position;
  let writing = noPageWrite;
  const types = typesToRead(sink);
  try {
    for (;;) {
      if (until !== null && position >= until) break;
      await new Promise((resolve) => setImmediate(resolve));
      throwIfAborted(context);
      const page = await reader.page(position, batchEventsMax, types);
      if (page.through <= position) {
        if (writing === noPageWrite) break;
        // More events may have been appended meanwhile.
        await writing.settled;
        writing = noPageWrite;
        continue;
      }
      const through = until !== null && page.through > until ? until : page.through;
      const first = earliestEvent([...page.events, ...page.erased]);
      const { events, erased } = eventsToFold(filling, page, through, poisons);
      const folded = first === null ? null : await sink.fold(events, writing.applied, erased);
      await writing.settled;
      throwIfAborted(context);
      if (folded !== null && first !== null) {
        if (folded.gap !== null) throw gapError(folded.gap);
        for (const one of folded.poisons) poisons.set(one.stream, one);
        await beforePage?.({ after: position, event: first.id }, folded.poisons);
        written = through;
      }
      position = through;
      const applied = folded?.apply({ position, fence }) ?? Promise.resolve();
      const { length } = page.events;
      const report = async (): Promise<void> => {
        const head = until ?? (await reader.head());
        await afterPage?.({ position: through, head, events: length });
      };
      writing = { applied, settled: applied.then(report) };
      // The failure reaches the code that awaits it, possibly a page later.
      writing.settled.catch(() => undefined);
    }
    await writing.settled;
  } catch (error) {
    // Wait for the write, so that the copy is not detached or closed under it; the first error
    // wins.
    await writing.settled;
    throw error;
  }
  if (written < position) await (await sink.fold([], null, [])).apply({ position, fence });
  return { position, poisons };
};

/** The events of this page that the copy still has to fold, up to `through`. */
const eventsToFold = (
  { parkedAndSkipped, decode }: Pick<FillShadowNeeds, 'parkedAndSkipped' | 'decode'>,
  page: EventPage,
  through: Position,
  poisons: FillCheckpoint['poisons'],
): Pick<EventPage, 'events' | 'erased'> => {
  const upTo = <E extends Envelope>(events: readonly E[]): readonly E[] =>
    events.filter((event) => event.position <= through);
  const events = upTo(page.events)
    .filter(({ stream, revision }) => {
      const parked = parkedAndSkipped.parked.get(stream) ?? poisons.get(stream);
      return parked === undefined || revision < parked.revision;
    })
    .map((event) =>
      parkedAndSkipped.skipped.has(skippedKey(event.stream, event.revision))
        ? { ...event, type: skippedType, data: {} }
        : decodeEvent(event, decode),
    );
  return { events, erased: upTo(page.erased) };
};

/** Event types that a copy has to be fed; undefined: all. */
export const typesToRead = ({ eventTypes, countsRevisions }: Sink): Sink['eventTypes'] =>
  countsRevisions === true ? undefined : eventTypes;

const gapError = ({ stream, expected, found }: Gap): RangeError =>
  new RangeError(`${stream} has revision ${found} where ${expected} is next`);

/** First event of one page, whose events come in two lists. */
export const earliestEvent = <E extends Envelope>(events: readonly E[]): E | null =>
  events.reduce<E | null>(
    (first, one) => (first === null || one.position < first.position ? one : first),
    null,
  );
