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
  /** Since this work began or was gone on with, rests included. */
  readonly events_per_second: number;
  /** Null: nothing is known yet. */
  readonly eta_seconds: number | null;
};

/** How far a copy is after a page of so many events. */
export type PageProgress = Pick<RebuildProgress, 'position' | 'head'> & { readonly events: number };

export type FillShadowNeeds = QueryContext & {
  readonly reader: EventReader;
  readonly decode: Decode;
  readonly sink: Sink;
  readonly fence: number;
  /** Parked streams are folded up to where they are parked, skipped events are skipped. */
  readonly parkedAndSkipped: ParkedAndSkipped;
  /** Before the copy takes a page with events, and what of it could not be folded. */
  readonly taking?: (page: PageStart, poisons: readonly Poison[]) => Promise<void>;
  /** After each page; the next one is not written before it. */
  readonly taken?: (taken: PageProgress) => Promise<void>;
};

export type FillCheckpoint = {
  readonly position: Position;
  /** Of streams that could not be folded and were not known as parked. */
  readonly poisons: ReadonlyMap<string, Poison>;
};

/** A page on its way into the copy. */
type PageWrite = {
  readonly applied: Promise<void>;
  /** `taken` has heard of it, and the rest that it took is over. */
  readonly settled: Promise<void>;
};
const noPageWrite: PageWrite = { applied: Promise.resolve(), settled: Promise.resolve() };

/**
 * Folds the log into a copy from `from` up to `until` exactly, or to the end as of each page when
 * it is null. Only what the copy may hear is read, and it is written where it heard something, and
 * at the end; while a page is written, the next one is folded. Throws when the log has a gap, the
 * store fails or nobody wants the copy any more: it is simply built again.
 */
export const fillShadow = async (
  filling: FillShadowNeeds,
  from: FillCheckpoint,
  until: Position | null,
): Promise<FillCheckpoint> => {
  const { reader, sink, fence, taking, taken, signal } = filling;
  const poisons = new Map(from.poisons);
  const asking = { ...(signal && { signal }) };
  let { position } = from;
  let written = position;
  let writing = noPageWrite;
  const types = typesToRead(sink);
  try {
    for (;;) {
      if (until !== null && position >= until) break;
      await new Promise((resolve) => setImmediate(resolve));
      throwIfAborted(asking);
      const page = await reader.page(position, batchEventsMax, types);
      if (page.through <= position) {
        if (writing === noPageWrite) break;
        // Meanwhile more may have come.
        await writing.settled;
        writing = noPageWrite;
        continue;
      }
      const through = until !== null && page.through > until ? until : page.through;
      const first = earliestEvent([...page.events, ...page.erased]);
      const { events, erased } = eventsToFold(filling, page, through, poisons);
      const folded = first === null ? null : await sink.fold(events, writing.applied, erased);
      await writing.settled;
      throwIfAborted(asking);
      if (folded !== null && first !== null) {
        if (folded.gap !== null) throw gapError(folded.gap);
        for (const one of folded.poisons) poisons.set(one.stream, one);
        await taking?.({ after: position, event: first.id }, folded.poisons);
        written = through;
      }
      position = through;
      const applied = folded?.apply({ position, fence }) ?? Promise.resolve();
      const { length } = page.events;
      const tell = async (): Promise<void> => {
        const head = until ?? (await reader.head());
        await taken?.({ position: through, head, events: length });
      };
      writing = { applied, settled: applied.then(tell) };
      // Who waits for it hears of a failure, and that may be a page later.
      writing.settled.catch(() => undefined);
    }
    await writing.settled;
  } catch (error) {
    // A copy is not left or closed under its batch; and what failed first is the reason.
    await writing.settled;
    throw error;
  }
  if (written < position) await (await sink.fold([], null, [])).apply({ position, fence });
  return { position, poisons };
};

/** Of the page what the copy is given, up to `through`. */
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

/** Types of the events that a copy has to be given; undefined: all. */
export const typesToRead = ({ eventTypes, countsRevisions }: Sink): Sink['eventTypes'] =>
  countsRevisions === true ? undefined : eventTypes;

const gapError = ({ stream, expected, found }: Gap): RangeError =>
  new RangeError(`${stream} has revision ${found} where ${expected} is next`);

/** Of events of one page, which come in two lists. */
export const earliestEvent = <E extends Envelope>(events: readonly E[]): E | null =>
  events.reduce<E | null>(
    (first, one) => (first === null || one.position < first.position ? one : first),
    null,
  );
