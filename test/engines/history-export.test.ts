import { historyExportSuite, type ExportEngines } from '../suites/history-export.js';
import { startEventStoreServer } from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { isLongRun } from '../support/runs.js';
import { withMongo, dropDatabase } from '../support/with-mongo.js';

const eventStore = async (): Promise<ExportEngines> => {
  const { dir, remove } = await temporaryFolder();
  const server = await startEventStoreServer({ dir });
  return {
    eventStoreUrl: server.url,
    mongodbUrl: null,
    close: async () => {
      await server.close();
      await remove();
    },
  };
};

historyExportSuite('SQLite', async () => ({
  eventStoreUrl: null,
  mongodbUrl: null,
  close: () => Promise.resolve(),
}));
if (isLongRun) historyExportSuite('an EventStoreDB test server', eventStore);

withMongo('exports with MongoDB', (server) => {
  const mongo = async (): Promise<ExportEngines> => {
    const mongodbUrl = server().url();
    return { eventStoreUrl: null, mongodbUrl, close: () => dropDatabase(mongodbUrl) };
  };
  if (isLongRun) historyExportSuite('SQLite and MongoDB', mongo);
  historyExportSuite('an EventStoreDB test server and MongoDB', async () => {
    const [log, documents] = await Promise.all([eventStore(), mongo()]);
    return {
      ...log,
      mongodbUrl: documents.mongodbUrl,
      close: async () => {
        await log.close();
        await documents.close();
      },
    };
  });
});
