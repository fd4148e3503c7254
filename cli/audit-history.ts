import { systemClock } from '../engines/node/clock.js';
import { sha256 } from '../engines/node/digest.js';
import { openEngines, type EngineChoice } from '../engines/open.js';
import type { ExportNeeds } from '../service/history/exports.js';
import { historyCollection } from '../projections/history/collection.js';
import { openChains } from '../projections/history/chains.js';
import { requireLog } from '../service/read-log.js';

export type HistoryRead = ExportNeeds & {
  /** How many events of the log are not folded yet; exact up to 1,000 only on EventStoreDB. */
  readonly behind: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** A running service folds within milliseconds; without one nobody does. */
const lookEveryMs = 50;
const looksMax = 100;

/**
 * The log and its history, read-only: harmless while a service is running. Throws Fault when there
 * is no log.
 */
export const openHistory = async (choice: EngineChoice): Promise<HistoryRead> => {
  requireLog(choice);
  const engines = await openEngines(choice);
  const bus = await engines.bus(null);
  const log = await engines.reader(bus);
  const documents = await engines.documents('read-alone');
  const behind = async () => log.lag(await documents.checkpoint(historyCollection));
  return {
    log,
    chains: openChains(documents, sha256),
    clock: systemClock,
    sha256,
    behind,
    settled: async () => {
      const { signal } = new AbortController();
      for (let looks = 0; looks < looksMax && (await behind()) > 0; looks += 1) {
        await systemClock.wait(lookEveryMs, signal);
      }
    },
    close: async () => {
      await documents.close();
      await log.close();
      await bus.close();
    },
  };
};
