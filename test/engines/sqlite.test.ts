import { openBus } from '../../engines/memory/bus.js';
import { openDocumentReader } from '../../engines/sqlite/document-reader.js';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { documentsSuite } from '../suites/documents.js';
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

documentsSuite('SQLite', async () => {
  const { dir, remove } = await temporaryFolder();
  let documents = await openDocuments({ dir });
  return {
    documents,
    reader: () => openDocumentReader({ dir }),
    reopen: async () => {
      await documents.close();
      documents = await openDocuments({ dir });
      return documents;
    },
    close: async () => {
      await documents.close();
      await remove();
    },
  };
});
