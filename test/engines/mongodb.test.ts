import { openMongoDocuments } from '../../engines/mongodb/documents.js';
import { documentsSuite } from '../suites/documents.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

withMongo('MongoDB', (server) => {
  documentsSuite('MongoDB', async () => {
    const url = server().url();
    let documents = await openMongoDocuments({ url });
    return {
      documents,
      reader: () => openMongoDocuments({ url }),
      reopen: async () => {
        await documents.close();
        documents = await openMongoDocuments({ url });
        return documents;
      },
      close: async () => {
        await documents.close();
        await dropDatabase(url);
      },
    };
  });
});
