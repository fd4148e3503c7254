import { hasLog, openFolder } from '../engines/open.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader } from '../kernel/ports.js';

/** Throws Fault `not-found` unless a service has been here: commands that only look make nothing. */
export const requireFolder = (dir: string): void => {
  if (hasLog(dir)) return;
  throw new Fault('not-found', `no data folder ${dir}; set ASSAY_DATA_DIR to the service’s`);
};

/**
 * The log of a data folder, read-only: harmless beside a running service. Throws Fault when there
 * is none.
 */
export const openLogOf = async (
  dir: string,
): Promise<{ reader: EventReader; close: () => Promise<void> }> => {
  requireFolder(dir);
  const folder = await openFolder(dir);
  const bus = folder.bus();
  const reader = await folder.reader(bus);
  return {
    reader,
    close: async () => {
      await reader.close();
      await bus.close();
    },
  };
};
