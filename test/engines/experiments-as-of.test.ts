import { randomBytes } from 'node:crypto';
import { experimentsAsOfSuite } from '../suites/experiments-as-of.js';
import { startApp, type App } from '../support/app.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { withMongo } from '../support/with-mongo.js';

withMongo('experiments as of a past position on EventStoreDB and MongoDB', (mongo) => {
  let app: App;
  let eventstore: EventStoreServer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  experimentsAsOfSuite(async () => {
    folder = await temporaryFolder();
    eventstore = await startEventStoreServer({ dir: folder.dir });
    app = await startApp(undefined, {
      ASSAY_EVENTSTORE_URL: eventstore.url,
      ASSAY_MONGODB_URL: mongo().url(),
      ASSAY_SECRET_KEY: randomBytes(32).toString('base64'),
    });
    return app;
  });
  after(async () => {
    await app.close();
    await eventstore.close();
    await folder.remove();
  });
});
