import {
  hasLog,
  openEngines,
  refuseHalfRestored,
  refuseLost,
  type EngineChoice,
} from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader } from '../kernel/ports.js';

/**
 * Read-only commands create nothing: throws Fault `not-found` unless a service has used the folder
 * or the log is remote, `invalid` when its log is lost, `conflict` after an interrupted restore.
 */
export const requireLog = ({ dataDir, eventStoreUrl }: EngineChoice): void => {
  if (eventStoreUrl !== null) return;
  refuseLost(dataDir);
  if (hasLog(dataDir)) return;
  refuseHalfRestored(dataDir);
  throw new Fault('not-found', `no data folder ${dataDir}; set ASSAY_DATA_DIR to the service’s`);
};

/**
 * Opens the log of a service read-only: safe beside a running service. Throws Fault when there is
 * none.
 */
export const openReadOnlyLog = async (
  choice: EngineChoice,
): Promise<{ reader: EventReader; close: () => Promise<void> }> => {
  requireLog(choice);
  const engines = await openEngines(choice);
  const bus = await engines.bus(null);
  const reader = await engines.reader(bus);
  return {
    reader,
    close: async () => {
      await reader.close();
      await bus.close();
    },
  };
};
