import type { Clock, EventLog, Files, Ids } from '../../kernel/ports.js';
import { openWorkerCursor } from '../work/worker-cursor.js';
import { openDatasetErasures } from './dataset-erasures.js';
import {
  openRunErasures,
  type ErasureProcess,
  type RunErasureNeeds,
} from './run-and-project-erasures.js';
import { openRecordErasures } from './record-erasures.js';
import { startWorker, type Worker } from '../work/polling-loop.js';

type ErasureWorkerNeeds = {
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
type ErasureWorker = Worker & Pick<ErasureProcess, 'pending'>;

/** How soon a deletion is noticed, and a step that failed tried again. */
const restMs = 1_000;
/**
 * After each step, which takes as long: what is deleted goes within seconds all the same, and
 * requests find the thread free every other moment.
 */
const yieldMs = 5;

/**
 * Erases what was deleted, from now until `stop`, in small steps between which others have their
 * turn.
 */
export const startErasureWorker = (needs: ErasureWorkerNeeds): ErasureWorker => {
  const kept = openWorkerCursor(needs);
  let erasures: ErasureProcess | null = null;
  const begin = async (): Promise<ErasureProcess> => {
    const from = { ...needs, after: await kept.read() };
    const runs = alternate(openRunErasures(from), openRecordErasures(from));
    return alternate(runs, openDatasetErasures(from));
  };
  const step = async (signal: AbortSignal): Promise<boolean> => {
    erasures ??= await begin();
    if (await erasures.step()) {
      await needs.clock.wait(yieldMs, signal);
      return true;
    }
    await kept.write(erasures.cursor(), needs.clock.milliseconds());
    return false;
  };
  const worker = startWorker({ ...needs, restMs }, step, async () => {
    if (erasures !== null) await kept.write(erasures.cursor(), Infinity);
  });
  return { ...worker, pending: () => erasures?.pending() ?? [] };
};

/** In turn, so that neither waits for all of the other. */
const alternate = (one: ErasureProcess, other: ErasureProcess): ErasureProcess => ({
  step: async () => {
    const worked = await one.step();
    return (await other.step()) || worked;
  },
  pending: () => [...one.pending(), ...other.pending()],
  cursor: () => (one.cursor() < other.cursor() ? one.cursor() : other.cursor()),
});
