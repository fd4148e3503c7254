import { boundedMap } from '../../kernel/bounded-map.js';
import { openCounter } from '../../kernel/counter.js';

/** Cached stream ends: requests read facts of few streams, again and again. */
const endsMax = 50_000;

/**
 * Cache of the last revision of streams: the single writer need not read it again until it writes
 * to the stream. A read of the file takes a lock, and a tenth of a millisecond, for nothing.
 */
export type StreamEndCache = {
  /** `none` without events. Null when it must be read. */
  readonly of: (stream: string) => number | 'none' | null;
  /** Records a revision in the event-loop tick in which it was read. */
  readonly note: (stream: string, end: number | 'none') => void;
  /** Bypasses the cache for these streams while `write` runs. */
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

/** Disabled cache, for readers in another thread or process than the writer. */
export const noStreamEndCache: Pick<StreamEndCache, 'of' | 'note'> = {
  of: () => null,
  note: () => undefined,
};
