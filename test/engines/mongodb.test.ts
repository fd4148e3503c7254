import { openMongoDocuments } from '../../engines/mongodb/documents.js';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import { documentsSuite } from '../suites/documents.js';
import { recordsSuite } from '../suites/records.js';
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

  recordsSuite('MongoDB', async () => {
    const url = server().url();
    let records = await openMongoRecords({ url });
    return {
      records,
      reopen: async () => {
        await records.close();
        records = await openMongoRecords({ url });
        return records;
      },
      close: async () => {
        await records.close();
        await dropDatabase(url);
      },
    };
  });
});
