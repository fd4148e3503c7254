import { openMutex } from '../../kernel/concurrency.js';
import { type Position } from '../../kernel/ports.js';
import { countUpTo } from './sorted-positions.js';

/** Counting reads what it counts. */
export const lagMax = 1_000;
/** Places in the log from where on is counted: read models that are apart. */
const rangesMax = 8;
/** Positions of a stretch that are kept. */
const keptMax = 4 * lagMax;

/** Positions of at most `limit` events after `after`, in order, and how far was looked. */
export type ReadPositions = (
  after: Position,
  limit: number,
) => Promise<{ readonly positions: readonly Position[]; readonly through: Position }>;

/** All events between two positions. */
type PositionRange = { from: Position; through: Position; positions: Position[] };

/**
 * How many events come after a position, exact up to `lagMax`. What was read to count it is kept as
 * positions, so that asking again, or for a read model a little further on, reads only what came
 * since: readiness asks for all of them, again and again, just when the log has much to do.
 */
export const openLagCounter = (read: ReadPositions): ((after: Position) => Promise<number>) => {
  const oneByOne = openMutex();
  /** The one asked last comes first. */
  let stretches: readonly PositionRange[] = [];
  const stretchOf = (after: Position): PositionRange => {
    const found = stretches.find(({ from, through }) => from <= after && after <= through) ?? {
      from: after,
      through: after,
      positions: [],
    };
    stretches = [found, ...stretches.filter((one) => one !== found)].slice(0, rangesMax);
    return found;
  };
  return (after) =>
    oneByOne(async () => {
      const stretch = stretchOf(after);
      const passed = countUpTo(stretch.positions, after);
      for (;;) {
        const known = stretch.positions.length - passed;
        if (known >= lagMax) break;
        const { positions, through } = await read(stretch.through, lagMax - known);
        if (through <= stretch.through) break;
        stretch.positions.push(...positions);
        stretch.through = through;
      }
      const count = Math.min(lagMax, stretch.positions.length - passed);
      trimRange(stretch);
      return count;
    });
};

const trimRange = (stretch: PositionRange): void => {
  const gone = stretch.positions.length - keptMax;
  if (gone <= 0) return;
  stretch.from = stretch.positions[gone - 1] ?? stretch.from;
  stretch.positions = stretch.positions.slice(gone);
};
