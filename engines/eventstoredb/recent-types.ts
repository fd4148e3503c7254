import { logStart, type Position } from '../../kernel/ports.js';
import { countUpTo } from './sorted-positions.js';
import type { EsdbEvent } from './stored-event.js';

/** Events whose types are cached, some 100 bytes each; twice as many between two trims. */
const defaultKeptMax = 25_000;

type RecentTypes = {
  /** Records that `events` are all of the log after `after` up to `through`, in order. */
  readonly record: (
    after: Position,
    events: readonly Pick<EsdbEvent, 'position' | 'type'>[],
    through: Position,
  ) => void;
  /**
   * Position up to which the log has no event of these types after `after`; `after` itself when the
   * next one is of them, or the range is unknown.
   */
  readonly firstPositionWithout: (types: readonly string[], after: Position) => Position;
};

/**
 * Cache of event types by position in the last part of the log that was read. Workers that need a
 * few rare types follow the log one behind the other: the first reads it for all of them.
 */
export const openRecentTypes = (keptMax = defaultKeptMax): RecentTypes => {
  let from = logStart;
  let to = logStart;
  let positions: Position[] = [];
  let types: string[] = [];
  const trim = (): void => {
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
      trim();
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
