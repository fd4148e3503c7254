import { boundedMap } from '../../kernel/bounded-map.js';
import { openCounter } from '../../kernel/counter.js';

/** Facts that requests ask for again and again are of few streams. */
const endsMax = 50_000;

/**
 * Where streams end, as they were read last: whoever writes alone need not look again until it has
 * written to them. A look at the file takes a lock, and a tenth of a millisecond, for nothing.
 */
export type StreamEndCache = {
  /** `none`: there are no events of it. Null: it has to be looked up. */
  readonly of: (stream: string) => number | 'none' | null;
  /** What was found, told in the turn of the loop in which it was. */
  readonly note: (stream: string, end: number | 'none') => void;
  /** Nothing is known of these while `write` is at work. */
  readonly invalidateDuring: <T>(streams: readonly string[], write: () => Promise<T>) => Promise<T>;
};

export const openStreamEndCache = (): StreamEndCache => {
  const ends = boundedMap<string, number | 'none'>(endsMax);
  const writing = openCounter();
  return {
    of: (stream) => ends.get(stream) ?? null,
    note: (stream, end) => {
      if (writing.count(stream) === 0) ends.set(stream, end);
    },
    invalidateDuring: async (streams, write) => {
      for (const stream of streams) {
        ends.delete(stream);
        writing.add(stream, 1);
      }
      try {
        return await write();
      } finally {
        for (const stream of streams) writing.add(stream, -1);
      }
    },
  };
};

/** For those who read what others write. */
export const noStreamEndCache: Pick<StreamEndCache, 'of' | 'note'> = {
  of: () => null,
  note: () => undefined,
};
