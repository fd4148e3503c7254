import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../engines/sqlite/database.js';
import { openForWriting, logFile } from '../../engines/sqlite/log-schema.js';
import { positionsOfTypes } from '../../engines/sqlite/log-statements.js';
import { temporaryFolder } from '../support/folder.js';
import { repository } from '../support/test-environment.js';

describe('events of a few types on SQLite', () => {
  const planOf = async (prepare: (dir: string) => void): Promise<string> => {
    const { dir, remove } = await temporaryFolder();
    try {
      prepare(dir);
      openForWriting(dir).close();
      const database = openDatabase(logFile(dir), { readOnly: true });
      const steps = database
        .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${positionsOfTypes}`)
        .all('[]', 0, 1);
      database.close();
      return steps.map(({ detail }) => detail).join('; ');
    } finally {
      await remove();
    }
  };
  const ofTheIndex =
    'SEARCH events USING COVERING INDEX events_type (type=? AND rowid>? AND rowid<?)';

  it('are found without reading the others', async () => {
    expect(await planOf(() => undefined)).to.include(ofTheIndex);
  });

  it('are found so in a log that predates the index', async () => {
    const plan = await planOf((dir) => {
      const database = openForWriting(dir);
      database.exec('DROP INDEX events_type');
      database.close();
    });
    expect(plan).to.include(ofTheIndex);
  });
});

describe('a statement with a bound limit on SQLite', () => {
  it('is not compiled again before each run, as it is by a bare LIMIT ?', () => {
    const folder = join(repository, 'engines/sqlite');
    const bare = readdirSync(folder).filter((name) => {
      const source = readFileSync(join(folder, name), 'utf8').replaceAll('`LIMIT ?`', '');
      return /\bLIMIT \?(?! \+ 0)/.test(source);
    });
    expect(bare).to.deep.equal([]);
  });
});
