import { openMutex } from '../../kernel/concurrency.js';
import { type Position } from '../../kernel/ports.js';
import { countUpTo } from './sorted-positions.js';

/** Largest exact lag: counting reads the counted events. */
export const lagMax = 1_000;
/** Log ranges cached at once, one for each group of read models that are far apart. */
const rangesMax = 8;
/** Positions cached per range. */
const keptMax = 4 * lagMax;

/**
 * Reads positions of at most `limit` events after `after`, in order; `through` is how far it read.
 */
export type ReadPositions = (
  after: Position,
  limit: number,
) => Promise<{ readonly positions: readonly Position[]; readonly through: Position }>;

/** Cached positions of all events between two positions. */
type PositionRange = { from: Position; through: Position; positions: Position[] };

/**
 * Counts the events after a position (lag), exact up to `lagMax`. Positions are cached, so that a
 * repeated count, or one for a read model a little further on, reads only newer events: readiness
 * counts for all read models, again and again, just when the log is busy.
 */
export const openLagCounter = (read: ReadPositions): ((after: Position) => Promise<number>) => {
  const exclusive = openMutex();
  /** Most recently used first (LRU). */
  let ranges: readonly PositionRange[] = [];
  const rangeOf = (after: Position): PositionRange => {
    const found = ranges.find(({ from, through }) => from <= after && after <= through) ?? {
      from: after,
      through: after,
      positions: [],
    };
    ranges = [found, ...ranges.filter((range) => range !== found)].slice(0, rangesMax);
    return found;
  };
  return (after) =>
    exclusive(async () => {
      const range = rangeOf(after);
      const passed = countUpTo(range.positions, after);
      for (;;) {
        const known = range.positions.length - passed;
        if (known >= lagMax) break;
        const { positions, through } = await read(range.through, lagMax - known);
        if (through <= range.through) break;
        range.positions.push(...positions);
        range.through = through;
      }
      const count = Math.min(lagMax, range.positions.length - passed);
      trimRange(range);
      return count;
    });
};

const trimRange = (range: PositionRange): void => {
  const gone = range.positions.length - keptMax;
  if (gone <= 0) return;
  range.from = range.positions[gone - 1] ?? range.from;
  range.positions = range.positions.slice(gone);
};
