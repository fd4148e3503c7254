import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../engines/sqlite/database.js';
import { temporaryFolder } from '../support/folder.js';

describe('SQLite connection', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Database;
  const file = (): string => join(folder.dir, 'some.sqlite');
  beforeEach(async () => {
    folder = await temporaryFolder();
    database = openDatabase(file());
    database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE, body BLOB)');
  });
  afterEach(async () => {
    database.close();
    await folder.remove();
  });
  const put = (name: string): unknown =>
    database.prepare('INSERT INTO items (name) VALUES (?)').run(name);
  const names = (): readonly unknown[] =>
    database.prepareValue('SELECT name FROM items ORDER BY id').all();
  const codeOf = (work: () => unknown): unknown => {
    try {
      work();
      return null;
    } catch (error) {
      return (error as { readonly code?: unknown }).code;
    }
  };

  it('returns rows as objects, as lists of cells and as first cells', () => {
    put('a');
    put('b');
    const sql = 'SELECT id, name FROM items WHERE id > ? ORDER BY id';
    expect(
      database
        .prepare(sql)
        .all(0)
        .map((row) => ({ ...(row as object) })),
    ).to.deep.equal([
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ]);
    expect(database.prepareCells(sql).get(1)).to.deep.equal([2, 'b']);
    expect(database.prepareValue(sql).all(0)).to.deep.equal([1, 2]);
    expect(database.prepareValue(sql).get(2)).to.equal(undefined);
  });

  it('restarts a statement after a loop over its rows was left', () => {
    for (const name of ['a', 'b', 'c']) put(name);
    const all = database.prepareCells('SELECT name FROM items ORDER BY id');
    for (const [name] of all.iterate()) if (name === 'b') break;
    expect([...all.iterate()]).to.deep.equal([['a'], ['b'], ['c']]);
  });

  it('names the result code of SQLite in each error, from every method', () => {
    put('a');
    expect(codeOf(() => put('a'))).to.equal('SQLITE_CONSTRAINT_UNIQUE');
    expect(codeOf(() => database.exec('no SQL'))).to.equal('SQLITE_ERROR');
    expect(codeOf(() => database.prepare('SELECT * FROM nothing'))).to.equal('SQLITE_ERROR');
    const missing = join(folder.dir, 'no', 'folder.sqlite');
    expect(codeOf(() => openDatabase(missing))).to.equal('SQLITE_CANTOPEN');
    expect(codeOf(() => openDatabase(folder.dir))).to.equal('SQLITE_CANTOPEN_ISDIR');
    const reader = openDatabase(file(), { readOnly: true });
    expect(codeOf(() => reader.exec('DELETE FROM items'))).to.equal('SQLITE_READONLY');
    reader.close();
    database.exec('BEGIN IMMEDIATE');
    const other = openDatabase(file(), { busyTimeoutMs: 0 });
    expect(codeOf(() => other.exec('BEGIN IMMEDIATE'))).to.equal('SQLITE_BUSY');
    other.close();
    database.exec('COMMIT');
  });

  it('names the damage of a file, row by row too', async () => {
    const broken = join(folder.dir, 'broken.sqlite');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(broken, 'no file of SQLite '.repeat(100));
    const opened = openDatabase(broken);
    expect(codeOf(() => opened.pragma('user_version'))).to.equal('SQLITE_NOTADB');
    expect(codeOf(() => opened.exec('BEGIN IMMEDIATE'))).to.equal('SQLITE_NOTADB');
    opened.close();
    await rm(broken);
  });

  it('rolls back a transaction that throws, and one within it with it', () => {
    const failing = (): void => {
      database.transaction('immediate', () => {
        put('outer');
        database.transaction('immediate', () => put('inner'));
        throw new TypeError('on purpose');
      });
    };
    expect(failing).to.throw(TypeError, 'on purpose');
    expect(names()).to.deep.equal([]);
    expect(database.inTransaction()).to.equal(false);
    expect(database.transaction('deferred', () => put('kept') !== null)).to.equal(true);
    expect(names()).to.deep.equal(['kept']);
  });

  it('throws the error of an SQL function unchanged', () => {
    class Refused extends Error {}
    database.define('refuse', { deterministic: true }, () => {
      throw new Refused('on purpose');
    });
    database.define('joined', { deterministic: true }, (...cells) => cells.join('+'));
    const select = database.prepareValue<[], string>("SELECT joined(1, 'a', NULL)");
    expect(select.get()).to.equal('1+a+');
    expect(() => database.prepare('SELECT refuse()').get()).to.throw(Refused, 'on purpose');
  });

  it('stores numbers as integers where the column says so, and bytes unchanged', () => {
    const body = Buffer.from([0, 255, 7]);
    database.prepare('INSERT INTO items VALUES (?, ?, ?)').run(2 ** 40, 'a', body);
    const types = database.prepareCells('SELECT typeof(id), typeof(body), body FROM items').get();
    expect(types).to.deep.equal(['integer', 'blob', new Uint8Array(body)]);
  });

  it('closes once, however often it is called', () => {
    database.close();
    database.close();
    expect(database.isOpen()).to.equal(false);
  });
});
