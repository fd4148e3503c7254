import { systemClock } from '../engines/node/clock.js';
import { sha256 } from '../engines/node/digest.js';
import { openEngines, type EngineChoice } from '../engines/open.js';
import type { ExportNeeds } from './exports/bundle-pages.js';
import { historyCollection } from './collection.js';
import { openChainReader } from './chain-reader.js';
import { requireLog } from '../service/log-reader.js';

export type HistoryReader = ExportNeeds & {
  /** Number of events not folded yet; exact up to 1,000 only on EventStoreDB. */
  readonly eventsBehind: () => Promise<number>;
  readonly close: () => Promise<void>;
};

/** A running service folds within milliseconds; without one nothing folds. */
const pollIntervalMs = 50;
const pollsMax = 100;

/**
 * The log and its history, read-only: safe beside a running service. Throws Fault when there is no
 * log.
 */
export const openHistoryReader = async (choice: EngineChoice): Promise<HistoryReader> => {
  requireLog(choice);
  const engines = await openEngines(choice);
  const bus = await engines.bus(null);
  const log = await engines.reader(bus);
  const documents = await engines.documents('read-alone');
  const behind = async () => log.lag(await documents.checkpoint(historyCollection));
  return {
    log,
    chains: openChainReader(documents, sha256),
    clock: systemClock,
    sha256,
    eventsBehind: behind,
    waitUntilFolded: async () => {
      const { signal } = new AbortController();
      for (let looks = 0; looks < pollsMax && (await behind()) > 0; looks += 1) {
        await systemClock.wait(pollIntervalMs, signal);
      }
    },
    close: async () => {
      await documents.close();
      await log.close();
      await bus.close();
    },
  };
};
