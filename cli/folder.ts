import { existsSync } from 'node:fs';
import { openBus } from '../engines/memory/bus.js';
import { openEventReader } from '../engines/sqlite/event-log.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader } from '../kernel/ports.js';

/**
 * The log of a data folder, read-only: harmless beside a running service. Throws Fault when there
 * is none.
 */
export const openFolder = async (
  dir: string,
): Promise<{ reader: EventReader; close: () => Promise<void> }> => {
  if (!existsSync(dir)) {
    throw new Fault('not-found', `no data folder ${dir}; set ASSAY_DATA_DIR to the service’s`);
  }
  const bus = openBus(`assay:${dir}`);
  const reader = await openEventReader({ dir, bus });
  return {
    reader,
    close: async () => {
      await reader.close();
      await bus.close();
    },
  };
};
