import { start, type Position } from '../../kernel/ports.js';
import { countUpTo } from './positions.js';
import type { Stored } from './stored-event.js';

/** Events whose types are kept, some 100 bytes each; twice as many between two clearings. */
const usualKeptMax = 25_000;

type PassedTypes = {
  /** `events` are all of the log after `after` up to `through`, in its order. */
  readonly note: (
    after: Position,
    events: readonly Pick<Stored, 'position' | 'type'>[],
    through: Position,
  ) => void;
  /**
   * Up to where the log is known to have no event of these types after `after`; `after` itself when
   * the next one is of them, or nothing is known.
   */
  readonly without: (types: readonly string[], after: Position) => Position;
};

/**
 * Which types came where in the part of the log that was read last. Workers that each look for a
 * few rare types follow the log one behind the other: the first reads it for all of them.
 */
export const openPassedTypes = (keptMax = usualKeptMax): PassedTypes => {
  let from = start;
  let to = start;
  let positions: Position[] = [];
  let types: string[] = [];
  const clear = (): void => {
    const gone = positions.length - keptMax;
    if (gone <= keptMax) return;
    from = positions[gone - 1] ?? from;
    positions = positions.slice(gone);
    types = types.slice(gone);
  };
  return {
    note: (after, events, through) => {
      if (through <= to) return;
      if (after < from || after > to) {
        from = to = after;
        positions = [];
        types = [];
      }
      for (const { position, type } of events) {
        if (position <= to) continue;
        positions.push(position);
        types.push(type);
      }
      to = through;
      clear();
    },
    without: (wanted, after) => {
      if (after < from || after >= to) return after;
      const first = countUpTo(positions, after);
      for (let at = first; at < types.length; at += 1) {
        if (!wanted.includes(types[at] ?? '')) continue;
        return at === first ? after : (positions[at - 1] ?? after);
      }
      return to;
    },
  };
};
