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
 * Throws Fault `not-found` unless a service has used the folder or the log is elsewhere, `invalid`
 * where its log is lost, `conflict` beside a restoring that broke off: commands that only read
 * create nothing.
 */
export const requireLog = ({ dataDir, eventStoreUrl }: EngineChoice): void => {
  if (eventStoreUrl !== null) return;
  refuseLost(dataDir);
  if (hasLog(dataDir)) return;
  refuseHalfRestored(dataDir);
  throw new Fault('not-found', `no data folder ${dataDir}; set ASSAY_DATA_DIR to the service’s`);
};

/**
 * The log of a service, read-only: harmless while one is running. Throws Fault when there is none.
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
