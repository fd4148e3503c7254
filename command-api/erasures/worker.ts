import type { Clock, EventLog, Files, Ids } from '../../kernel/ports.js';
import { openBookmark } from '../access/bookmark.js';
import { openDatasetErasures } from './datasets.js';
import { openErasures, type Erasures, type RunErasureNeeds } from './reactions.js';
import { openRecordErasures } from './records.js';

export type ErasingNeeds = {
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

/** How soon a deletion is noticed, and a step that failed tried again. */
const restMs = 1_000;

/**
 * Erases what was deleted, from now until `stop`, in small steps between which others have their
 * turn.
 */
export const startErasing = (needs: ErasingNeeds): { stop: () => Promise<void> } => {
  const { clock, trouble } = needs;
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    const kept = openBookmark(needs.files, needs.path);
    const after = await kept.read();
    const erasures = both(
      both(openErasures({ ...needs, after }), openRecordErasures({ ...needs, after })),
      openDatasetErasures({ ...needs, after }),
    );
    while (!end.signal.aborted) {
      try {
        const worked = await erasures.step();
        if (worked) await turn();
        else {
          const now = clock.milliseconds();
          await kept.write(erasures.bookmark(), now);
          await clock.wait(restMs, end.signal);
        }
      } catch (error) {
        trouble(error);
        await clock.wait(restMs, end.signal);
      }
    }
    await kept.write(erasures.bookmark(), Infinity).catch(trouble);
  };
  const ended = loop();
  ended.catch(trouble);
  return {
    stop: async () => {
      end.abort();
      await ended.catch(() => null);
    },
  };
};

/** In turn, so that neither waits for all of the other. */
const both = (one: Erasures, other: Erasures): Erasures => ({
  step: async () => {
    const worked = await one.step();
    return (await other.step()) || worked;
  },
  bookmark: () => (one.bookmark() < other.bookmark() ? one.bookmark() : other.bookmark()),
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
