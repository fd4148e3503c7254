import type { Clock, EventLog, Files, Ids } from '../../kernel/ports.js';
import { openBookmark } from '../work/bookmark.js';
import { openDatasetErasures } from './datasets.js';
import { openErasures, type Erasures, type RunErasureNeeds } from './reactions.js';
import { openRecordErasures } from './records.js';
import { startWorker, type Worker } from '../work/worker.js';

type ErasingNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly unlinkDataset: RunErasureNeeds['unlinkDataset'];
  /** Where the bookmark is kept; without it the log is looked through once more. */
  readonly path: string;
  /** Told why a step failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** `pending`: when each of the deletions was asked for that are not done with. */
export type Erasing = Worker & Pick<Erasures, 'pending'>;

/** How soon a deletion is noticed, and a step that failed tried again. */
const restMs = 1_000;
/**
 * After each step, which takes as long: what is deleted goes within seconds all the same, and
 * requests find the thread free every other moment.
 */
const breathMs = 5;

/**
 * Erases what was deleted, from now until `stop`, in small steps between which others have their
 * turn.
 */
export const startErasing = (needs: ErasingNeeds): Erasing => {
  const kept = openBookmark(needs);
  let erasures: Erasures | null = null;
  const begin = async (): Promise<Erasures> => {
    const from = { ...needs, after: await kept.read() };
    const runs = both(openErasures(from), openRecordErasures(from));
    return both(runs, openDatasetErasures(from));
  };
  const step = async (signal: AbortSignal): Promise<boolean> => {
    erasures ??= await begin();
    if (await erasures.step()) {
      await needs.clock.wait(breathMs, signal);
      return true;
    }
    await kept.write(erasures.bookmark(), needs.clock.milliseconds());
    return false;
  };
  const worker = startWorker({ ...needs, restMs }, step, async () => {
    if (erasures !== null) await kept.write(erasures.bookmark(), Infinity);
  });
  return { ...worker, pending: () => erasures?.pending() ?? [] };
};

/** In turn, so that neither waits for all of the other. */
const both = (one: Erasures, other: Erasures): Erasures => ({
  step: async () => {
    const worked = await one.step();
    return (await other.step()) || worked;
  },
  pending: () => [...one.pending(), ...other.pending()],
  bookmark: () => (one.bookmark() < other.bookmark() ? one.bookmark() : other.bookmark()),
});
