import type { Snapshot } from './snapshot.js';

/** Snapshot without its checkpoint, which moves without the rows. */
export type SnapshotRows = Pick<Snapshot, 'rows' | 'visible'>;
type SnapshotRead<T> = (rows: SnapshotRows) => Promise<T>;
/** Runs a query on the current snapshot; null before the first write. */
export type SpeculativeRead = <T>(question: SnapshotRead<T>) => Promise<T | null>;

/**
 * Speculative reads: while nothing is written, a query runs on the last snapshot at once, and its
 * result counts if the state read meanwhile is unchanged, since a commit's rows never change.
 * During writes that would mostly be wasted, so the query waits for the state; also after a
 * failover, since a new primary may not show yet what the old one did. `changes` counts failovers.
 */
export const openSpeculativeRead = (
  readSnapshot: () => Promise<Snapshot | null>,
  changes: () => number,
): SpeculativeRead => {
  let last: Snapshot | null = null;
  let isUnchanged = false;
  let changed = changes();
  return async (question) => {
    const before = changes();
    const guessed = isUnchanged && changed === before ? last : null;
    const speculative = guessed === null ? null : question(guessed);
    // A failure on an outdated snapshot concerns no caller.
    speculative?.catch(() => null);
    const now = await readSnapshot();
    isUnchanged = isSame(last, now);
    last = now;
    changed = changes();
    if (now === null) return null;
    return speculative !== null && isSame(guessed, now) && changed === before
      ? speculative
      : question(now);
  };
};

const isSame = (one: Snapshot | null, other: Snapshot | null): boolean =>
  one !== null && other !== null && one.generation === other.generation && one.seq === other.seq;
