import { logStart, type Position } from '../../kernel/ports.js';
import { countUpTo } from './sorted-positions.js';
import type { EsdbEvent } from './stored-event.js';

/** Events whose types are kept, some 100 bytes each; twice as many between two clearings. */
const defaultKeptMax = 25_000;

type RecentTypes = {
  /** `events` are all of the log after `after` up to `through`, in its order. */
  readonly record: (
    after: Position,
    events: readonly Pick<EsdbEvent, 'position' | 'type'>[],
    through: Position,
  ) => void;
  /**
   * Up to where the log is known to have no event of these types after `after`; `after` itself when
   * the next one is of them, or nothing is known.
   */
  readonly firstPositionWithout: (types: readonly string[], after: Position) => Position;
};

/**
 * Which types came where in the part of the log that was read last. Workers that each look for a
 * few rare types follow the log one behind the other: the first reads it for all of them.
 */
export const openRecentTypes = (keptMax = defaultKeptMax): RecentTypes => {
  let from = logStart;
  let to = logStart;
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
    record: (after, events, through) => {
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
    firstPositionWithout: (wanted, after) => {
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
