import { join } from 'node:path';
import { openMongoDataKeys } from '../../engines/mongodb/data-keys.js';
import { openDataKeys } from '../../engines/node/data-keys.js';
import { diskFiles } from '../../engines/node/files.js';
import { dataKeysSuite } from '../suites/data-keys.js';
import { temporaryFolder } from '../support/folder.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

dataKeysSuite('files', async () => {
  const folder = await temporaryFolder();
  const dir = join(folder.dir, 'data-keys');
  return {
    keys: openDataKeys(diskFiles, dir),
    another: async () => openDataKeys(diskFiles, dir),
    close: () => folder.remove(),
  };
});

withMongo('MongoDB, for data keys', (server) => {
  dataKeysSuite('MongoDB', async () => {
    const url = server().url();
    const keys = await openMongoDataKeys({ url });
    return {
      keys,
      another: () => openMongoDataKeys({ url }),
      close: async () => {
        await keys.close();
        await dropDatabase(url);
      },
    };
  });
});
