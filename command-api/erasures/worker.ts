import type { Clock, EventLog, Files, Ids } from '../../kernel/ports.js';
import { openWorkerCursor } from '../work/worker-cursor.js';
import { deletedDatasets } from './dataset-erasures.js';
import { openResourceErasures } from './resource-erasures.js';
import { deletedPromptTemplates } from './prompt-text-erasures.js';
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
  /** Path of the stored cursor; without it the log is scanned again. */
  readonly path: string;
  /** Reports a failed step, which is retried. */
  readonly onError: (error: unknown) => void;
};

/** `pending`: times of the deletions that are not complete. */
type ErasureWorker = Worker & Pick<ErasureProcess, 'pending'>;

/** Polling interval: delay until a deletion is noticed, or a failed step is retried. */
const restMs = 1_000;
/**
 * Pause after each step, as long as the step: keeps the event loop free for requests every other
 * moment, while deletions still complete within seconds.
 */
const yieldMs = 5;

/** Starts the erasure worker, which runs until `stop` in small steps and yields between them. */
export const startErasureWorker = (needs: ErasureWorkerNeeds): ErasureWorker => {
  const cursor = openWorkerCursor(needs);
  let erasures: ErasureProcess | null = null;
  const begin = async (): Promise<ErasureProcess> => {
    const from = { ...needs, after: await cursor.read() };
    const runs = alternate(openRunErasures(from), openRecordErasures(from));
    const resources = alternate(
      openResourceErasures(from, deletedDatasets(needs.log)),
      openResourceErasures(from, deletedPromptTemplates(needs.log)),
    );
    return alternate(runs, resources);
  };
  const step = async (signal: AbortSignal): Promise<boolean> => {
    erasures ??= await begin();
    if (await erasures.step()) {
      await needs.clock.wait(yieldMs, signal);
      return true;
    }
    await cursor.write(erasures.cursor(), needs.clock.milliseconds());
    return false;
  };
  const worker = startWorker({ ...needs, restMs }, step, async () => {
    if (erasures !== null) await cursor.write(erasures.cursor(), Infinity);
  });
  return { ...worker, pending: () => erasures?.pending() ?? [] };
};

/** Round robin: alternates the steps of two processes, so that neither starves. */
const alternate = (one: ErasureProcess, other: ErasureProcess): ErasureProcess => ({
  step: async () => {
    const worked = await one.step();
    return (await other.step()) || worked;
  },
  pending: () => [...one.pending(), ...other.pending()],
  cursor: () => (one.cursor() < other.cursor() ? one.cursor() : other.cursor()),
});
