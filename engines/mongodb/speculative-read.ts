import type { Snapshot } from './snapshot.js';

/** Not the checkpoint, which moves without the rows. */
export type SnapshotRows = Pick<Snapshot, 'rows' | 'visible'>;
type SnapshotRead<T> = (rows: SnapshotRows) => Promise<T>;
/** Null: the model was never written. */
export type SpeculativeRead = <T>(question: SnapshotRead<T>) => Promise<T | null>;

/**
 * Puts questions to a model as it is when they are asked. While nothing is written a question does
 * not wait for the look at how the model is: it is put to how it was at the last look, and that is
 * the answer when nothing has changed, since the rows of a commit stay as they are. While things
 * are written that would mostly be in vain, so it waits; and while other servers come and go, since
 * one that has just begun to lead may not show yet what was seen on the one before. `changes` says
 * how often they did.
 */
export const openSpeculativeRead = (
  look: () => Promise<Snapshot | null>,
  changes: () => number,
): SpeculativeRead => {
  let last: Snapshot | null = null;
  let isStill = false;
  let changed = changes();
  return async (question) => {
    const before = changes();
    const guess = isStill && changed === before ? last : null;
    const early = guess === null ? null : question(guess);
    // It has failed to nobody when the model is another one.
    early?.catch(() => null);
    const now = await look();
    isStill = isSame(last, now);
    last = now;
    changed = changes();
    if (now === null) return null;
    return early !== null && isSame(guess, now) && changed === before ? early : question(now);
  };
};

const isSame = (one: Snapshot | null, other: Snapshot | null): boolean =>
  one !== null && other !== null && one.generation === other.generation && one.seq === other.seq;
