import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openBus } from '../engines/memory/bus.js';
import { openEventReader } from '../engines/sqlite/event-log.js';
import { Fault } from '../kernel/fault.js';
import type { EventReader } from '../kernel/ports.js';

/** Throws Fault `not-found` unless a service has been here: commands that only look make nothing. */
export const requireFolder = (dir: string): void => {
  if (existsSync(join(dir, 'log.sqlite'))) return;
  throw new Fault('not-found', `no data folder ${dir}; set ASSAY_DATA_DIR to the service’s`);
};

/**
 * The log of a data folder, read-only: harmless beside a running service. Throws Fault when there
 * is none.
 */
export const openFolder = async (
  dir: string,
): Promise<{ reader: EventReader; close: () => Promise<void> }> => {
  requireFolder(dir);
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
