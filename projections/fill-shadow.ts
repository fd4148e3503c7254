import { checkAsked } from '../kernel/asking.js';
import type { Asking, Decode, Envelope, EventReader, Position } from '../kernel/ports.js';
import { batchEventsMax } from './subscription.js';
import { decoded } from './pages.js';
import { skippedKey, type Exceptions } from './parking.js';
import { skippedType, type Poison, type Sink } from './read-model.js';

export type Progress = {
  readonly name: string;
  readonly position: Position;
  readonly head: Position;
};

export type Filling = Asking & {
  readonly reader: EventReader;
  readonly decode: Decode;
  readonly sink: Sink;
  readonly fence: number;
  /** Parked streams are folded up to where they are parked, skipped events are skipped. */
  readonly exceptions: Exceptions;
  readonly progress?: (progress: Progress) => void;
};

export type CaughtUp = {
  readonly position: Position;
  /** Of streams that could not be folded and were not known as parked. */
  readonly poisons: ReadonlyMap<string, Poison>;
};

/**
 * Folds the log into a copy from `from` up to `until` exactly, or to the end as of each page when
 * it is null. Throws when the log has a gap, the store fails or nobody wants the copy any more: it
 * is simply built again.
 */
export const fillShadow = async (
  { reader, decode, sink, fence, exceptions, progress, signal }: Filling,
  from: CaughtUp,
  until: Position | null,
): Promise<CaughtUp> => {
  const poisons = new Map(from.poisons);
  let { position } = from;
  for (;;) {
    if (until !== null && position >= until) break;
    await new Promise((resolve) => setImmediate(resolve));
    checkAsked({ ...(signal && { signal }) });
    const page = await reader.page(position, batchEventsMax);
    if (page.through <= position) break;
    const through = until !== null && page.through > until ? until : page.through;
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
    const folded = await sink.fold(events, null, upTo(page.erased));
    if (folded.gap !== null) {
      const { stream, expected, found } = folded.gap;
      throw new RangeError(`${stream} has revision ${found} where ${expected} is next`);
    }
    for (const one of folded.poisons) poisons.set(one.stream, one);
    await folded.apply({ position: through, fence });
    position = through;
    progress?.({ name: sink.name, position, head: until ?? (await reader.head()) });
  }
  return { position, poisons };
};
