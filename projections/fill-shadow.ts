import { checkAsked } from '../kernel/asking.js';
import type { Asking, Decode, Envelope, EventReader, Page, Position } from '../kernel/ports.js';
import { batchEventsMax } from './subscription.js';
import type { PageBegun } from './building.js';
import { decoded } from './pages.js';
import { skippedKey, type Exceptions } from './parking.js';
import { skippedType, type Gap, type Poison, type Sink } from './read-model.js';

export type Progress = {
  readonly name: string;
  readonly position: Position;
  readonly head: Position;
  /** Since this work began or was gone on with, rests included. */
  readonly events_per_second: number;
  /** Null: nothing is known yet. */
  readonly eta_seconds: number | null;
};

/** How far a copy is after a page of so many events. */
export type PageTaken = Pick<Progress, 'position' | 'head'> & { readonly events: number };

export type Filling = Asking & {
  readonly reader: EventReader;
  readonly decode: Decode;
  readonly sink: Sink;
  readonly fence: number;
  /** Parked streams are folded up to where they are parked, skipped events are skipped. */
  readonly exceptions: Exceptions;
  /** Before the copy takes a page with events, and what of it could not be folded. */
  readonly taking?: (page: PageBegun, poisons: readonly Poison[]) => Promise<void>;
  /** After each page; the next one is not written before it. */
  readonly taken?: (taken: PageTaken) => Promise<void>;
};

export type CaughtUp = {
  readonly position: Position;
  /** Of streams that could not be folded and were not known as parked. */
  readonly poisons: ReadonlyMap<string, Poison>;
};

/** A page on its way into the copy. */
type Writing = {
  readonly applied: Promise<void>;
  /** `taken` has heard of it, and the rest that it took is over. */
  readonly settled: Promise<void>;
};
const nothingWritten: Writing = { applied: Promise.resolve(), settled: Promise.resolve() };

/**
 * Folds the log into a copy from `from` up to `until` exactly, or to the end as of each page when
 * it is null. Only what the copy may hear is read, and it is written where it heard something, and
 * at the end; while a page is written, the next one is folded. Throws when the log has a gap, the
 * store fails or nobody wants the copy any more: it is simply built again.
 */
export const fillShadow = async (
  filling: Filling,
  from: CaughtUp,
  until: Position | null,
): Promise<CaughtUp> => {
  const { reader, sink, fence, taking, taken, signal } = filling;
  const poisons = new Map(from.poisons);
  const asking = { ...(signal && { signal }) };
  let { position } = from;
  let written = position;
  let writing = nothingWritten;
  const types = heardBy(sink);
  try {
    for (;;) {
      if (until !== null && position >= until) break;
      await new Promise((resolve) => setImmediate(resolve));
      checkAsked(asking);
      const page = await reader.page(position, batchEventsMax, types);
      if (page.through <= position) {
        if (writing === nothingWritten) break;
        // Meanwhile more may have come.
        await writing.settled;
        writing = nothingWritten;
        continue;
      }
      const through = until !== null && page.through > until ? until : page.through;
      const first = earliest([...page.events, ...page.erased]);
      const { events, erased } = heard(filling, page, through, poisons);
      const folded = first === null ? null : await sink.fold(events, writing.applied, erased);
      await writing.settled;
      checkAsked(asking);
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
const heard = (
  { exceptions, decode }: Pick<Filling, 'exceptions' | 'decode'>,
  page: Page,
  through: Position,
  poisons: CaughtUp['poisons'],
): Pick<Page, 'events' | 'erased'> => {
  const upTo = <E extends Envelope>(events: readonly E[]): readonly E[] =>
    events.filter((event) => event.position <= through);
  const events = upTo(page.events)
    .filter(({ stream, revision }) => {
      const parked = exceptions.parked.get(stream) ?? poisons.get(stream);
      return parked === undefined || revision < parked.revision;
    })
    .map((event) =>
      exceptions.skipped.has(skippedKey(event.stream, event.revision))
        ? { ...event, type: skippedType, data: {} }
        : decoded(event, decode),
    );
  return { events, erased: upTo(page.erased) };
};

/** Types of the events that a copy has to be given; undefined: all. */
export const heardBy = ({ types, countsRevisions }: Sink): Sink['types'] =>
  countsRevisions === true ? undefined : types;

const gapError = ({ stream, expected, found }: Gap): RangeError =>
  new RangeError(`${stream} has revision ${found} where ${expected} is next`);

/** Of events of one page, which come in two lists. */
export const earliest = <E extends Envelope>(events: readonly E[]): E | null =>
  events.reduce<E | null>(
    (first, one) => (first === null || one.position < first.position ? one : first),
    null,
  );
