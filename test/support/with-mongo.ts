import { MongoClient } from 'mongodb';
import { hasMongo, howToHaveMongo, startMongo, type MongoServer } from './mongo.js';

/**
 * Tests that need a MongoDB, one server for all of them. Without one they are skipped with
 * instructions; under `CI=true` that is a failure.
 */
export const withMongo = (title: string, tests: (server: () => MongoServer) => void): void => {
  describe(title, () => {
    if (!hasMongo) {
      skipMongo(title);
      return;
    }
    let server: MongoServer | null = null;
    before(async () => {
      server = await startMongo();
    });
    tests(() => {
      if (server === null) throw new Error('MongoDB is started before the first test, not earlier');
      return server;
    });
    // Runs after the tests' own clean-up.
    after(() => server?.stop());
  });
};

/** Placeholder for tests that need a MongoDB that is not available. */
export const skipMongo = (title: string): void => {
  it(howToHaveMongo, function () {
    if (process.env['CI'] === 'true') throw new Error(`in CI nothing may be ${howToHaveMongo}`);
    process.stdout.write(`    ${title}: ${howToHaveMongo}\n`);
    this.skip();
  });
};

export const dropDatabase = async (url: string): Promise<void> => {
  const client = new MongoClient(url);
  await client.db().dropDatabase();
  await client.close();
};
