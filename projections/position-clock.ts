import { logStart, type Position } from '../kernel/ports.js';

/**
 * When the log was first seen to reach a position. An event carries the time of its request, which
 * may have come long before: it was still being sent or decided, or waited for its turn.
 */
export type PositionClock = {
  /** The head of the log at a time, in milliseconds of the clock. */
  readonly recordHead: (head: Position, at: number) => void;
  /** Null: it was there at the first look. */
  readonly reachedAt: (position: Position) => number | null;
  /** When it was first seen to be beyond the position, at the first look or later; null: never. */
  readonly passedAt: (position: Position) => number | null;
};

/** Beyond it every second one is dropped: an age is then too young by one step, a tenth or so. */
const samplesMax = 1_000;

export const openPositionClock = (): PositionClock => {
  let first: { readonly head: Position; readonly at: number } | null = null;
  let noted: { readonly head: Position; readonly at: number }[] = [];
  return {
    recordHead: (head, at) => {
      first ??= { head, at };
      if (head <= (noted.at(-1)?.head ?? first.head)) return;
      if (noted.length >= samplesMax) noted = noted.filter((_, index) => index % 2 === 1);
      noted.push({ head, at });
    },
    reachedAt: (position) => {
      if (position <= (first?.head ?? logStart)) return null;
      return noted.find(({ head }) => head >= position)?.at ?? null;
    },
    passedAt: (position) => {
      if (first !== null && position < first.head) return first.at;
      return noted.find(({ head }) => head > position)?.at ?? null;
    },
  };
};
