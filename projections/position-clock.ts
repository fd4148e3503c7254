import { logStart, type Position } from '../kernel/ports.js';

/**
 * Records when the log first reached a position, for lag in time. The event's own time is that of
 * its request, which may be much older: sending, deciding and queueing take time.
 */
export type PositionClock = {
  /** The head of the log at a time, in milliseconds of the clock. */
  readonly recordHead: (head: Position, at: number) => void;
  /** Null: the log had reached it at the first sample. */
  readonly reachedAt: (position: Position) => number | null;
  /** First time the log was seen beyond the position, at the first sample or later; null: never. */
  readonly passedAt: (position: Position) => number | null;
};

/**
 * Beyond this, every second sample is dropped: an age is then too low by one step, a tenth or so.
 */
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
