import type { Snapshot } from './snapshot.js';

/** Not the checkpoint, which moves without the rows. */
export type SnapshotRows = Pick<Snapshot, 'rows' | 'visible'>;
type Question<T> = (rows: SnapshotRows) => Promise<T>;
/** Null: the model was never written. */
export type AskModel = <T>(question: Question<T>) => Promise<T | null>;

/**
 * Puts questions to a model as it is when they are asked. While nothing is written a question does
 * not wait for the look at how the model is: it is put to how it was at the last look, and that is
 * the answer when nothing has changed, since the rows of a commit stay as they are. While things
 * are written that would mostly be in vain, so it waits.
 */
export const openAskAhead = (look: () => Promise<Snapshot | null>): AskModel => {
  let last: Snapshot | null = null;
  let isStill = false;
  return async (question) => {
    const guess = isStill ? last : null;
    const early = guess === null ? null : question(guess);
    // It has failed to nobody when the model is another one.
    early?.catch(() => null);
    const now = await look();
    isStill = isSame(last, now);
    last = now;
    if (now === null) return null;
    return early !== null && isSame(guess, now) ? early : question(now);
  };
};

const isSame = (one: Snapshot | null, other: Snapshot | null): boolean =>
  one !== null && other !== null && one.generation === other.generation && one.seq === other.seq;
