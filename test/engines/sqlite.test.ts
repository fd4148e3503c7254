import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { eventLogSuite } from '../suites/event-log.js';
import { temporaryFolder } from '../support/folder.js';

eventLogSuite('SQLite', async () => {
  const { dir, remove } = await temporaryFolder();
  const bus = openBus(dir);
  let log = await openEventLog({ dir, bus });
  return {
    log,
    reopen: async () => {
      await log.close();
      log = await openEventLog({ dir, bus });
      return log;
    },
    close: async () => {
      await log.close();
      await bus.close();
      await remove();
    },
  };
});
