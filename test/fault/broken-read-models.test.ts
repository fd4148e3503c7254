import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { cp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../engines/sqlite/database.js';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { markDamaged } from '../../engines/node/file-quarantine.js';
import { logStart } from '../../kernel/ports.js';
import { openRecords } from '../../engines/duckdb/records.js';
import {
  positionAt,
  dumpAll,
  faultOf,
  checkpointAt,
  sampleCollection,
  writesOf,
} from '../suites/sample-documents.js';
import { temporaryFolder } from '../support/folder.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

const garbage = randomBytes(200_000);
const recordsFile = async (dir: string): Promise<string> =>
  (await readdir(dir)).find((name) => /^records-v.*\.duckdb$/.test(name)) ?? '';

/** Pages of the file in its middle, so that it opens. */
const damaged = async (path: string): Promise<void> => {
  const { size } = await stat(path);
  const file = await open(path, 'r+');
  for (let at = 8_192; at < size; at += 12_288) await file.write(randomBytes(4_096), 0, 4_096, at);
  await file.close();
};

describe('a folder whose read models are broken', function () {
  let used: Awaited<ReturnType<typeof temporaryFolder>>;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let root = '';
  const logged = async ({ client }: ServiceProcess): Promise<void> => {
    const project = await client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'broken by night' },
    });
    root = `/v2/projects/${project.body.id}`;
    await client.call('POST', `${root}/traces`, {
      body: { traces: [{ input: 'a', output: 'canary-answer' }] },
    });
  };
  const hasAll = async ({ client }: ServiceProcess): Promise<void> => {
    await pollUntil('what was logged', 20_000, async () => {
      const found = await client.send('POST', `${root}/traces/search`, { body: {} });
      return JSON.stringify(found.body).includes('canary-answer');
    });
  };
  before(async () => {
    used = await temporaryFolder();
    const service = await startService({ dir: used.dir });
    await logged(service);
    await service.stop();
  });
  after(() => used.remove());
  beforeEach(async () => {
    folder = await temporaryFolder();
    await cp(used.dir, folder.dir, { recursive: true });
  });
  afterEach(() => folder.remove());

  it('starts, sets them aside with a warning, and rebuilds them', async () => {
    const { dir } = folder;
    await rm(join(dir, 'documents.sqlite-wal'), { force: true });
    await writeFile(join(dir, 'documents.sqlite'), garbage);
    const records = await recordsFile(dir);
    await writeFile(join(dir, records), garbage);
    await writeFile(join(dir, 'records.live'), 'garbage');
    await writeFile(join(dir, 'scoring'), garbage);
    const service = await startService({ dir });
    await hasAll(service);
    expect(service.output()).to.include('documents.sqlite was damaged: set aside');
    expect(service.output()).to.include('the records were dropped');
    await service.stop();
    const left = await readdir(dir);
    expect(left).to.include('broken-documents.sqlite').and.to.include(`broken-${records}`);
    const { code, output } = await runAssay(dir, 'verify');
    expect(code, output).to.equal(0);
  });

  for (const command of [['verify'], ['rebuild', '--all']]) {
    it(`sets them aside likewise for assay ${command.join(' ')}`, async () => {
      await damaged(join(folder.dir, 'documents.sqlite'));
      await writeFile(join(folder.dir, await recordsFile(folder.dir)), garbage);
      const first = await runAssay(folder.dir, ...command);
      expect(first.output).to.include('damaged and set aside as broken-documents.sqlite');
      expect(first.output).to.include('damaged and set aside as broken-records');
      expect(first.code, first.output).to.equal(0);
      const second = await runAssay(folder.dir, 'verify');
      expect(second.output).not.to.include('damaged');
      expect(second.code, second.output).to.equal(0);
    });
  }
});

describe('a broken file of a read model', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());
  const thing = { key: 'a', scope: 'here', fields: {}, body: 1 };

  it('is detected by the first read of the damage, and set aside at the next opening', async () => {
    const told: string[] = [];
    const broken = ({ file }: { readonly file: string }): void => void told.push(file);
    const first = await openDocuments({ dir: folder.dir, broken });
    await first.apply(sampleCollection, writesOf(thing), checkpointAt(1));
    await first.close();
    markDamaged(join(folder.dir, 'documents.sqlite'));
    const second = await openDocuments({ dir: folder.dir, broken });
    expect(await dumpAll(second, sampleCollection)).to.deep.equal([]);
    await second.close();
    await (await openDocuments({ dir: folder.dir, broken })).close();
    expect(told).to.deep.equal(['broken-documents.sqlite']);
  });

  const inFile = (dir: string, work: (database: Database) => void): void => {
    const database = openDatabase(join(dir, 'documents.sqlite'));
    work(database);
    database.close();
  };

  it('is noted where a row is not what was written, for the next opening', async () => {
    const first = await openDocuments({ dir: folder.dir });
    await first.apply(sampleCollection, writesOf(thing, { ...thing, key: 'b' }), checkpointAt(1));
    expect(first.damage?.()).to.equal(null);
    inFile(folder.dir, (file) => file.exec(`UPDATE documents_1 SET body = '2' WHERE key = 'a'`));
    expect(await faultOf(first.get(sampleCollection, 'a'))).to.equal('unavailable');
    expect((await first.get(sampleCollection, 'b'))?.body).to.equal(1);
    expect(first.damage?.()).to.match(/the next start sets it aside/);
    await first.close();
    const second = await openDocuments({ dir: folder.dir });
    expect([await second.get(sampleCollection, 'a'), second.damage?.()]).to.deep.equal([
      null,
      null,
    ]);
    await second.close();
  });

  it('is known by its checkpoint too, which is never believed against its checksum', async () => {
    const first = await openDocuments({ dir: folder.dir });
    await first.apply(sampleCollection, writesOf(thing), checkpointAt(1));
    await first.close();
    inFile(folder.dir, (file) => file.exec(`UPDATE generations SET position = '00000000000000ff'`));
    const told: string[] = [];
    const second = await openDocuments({
      dir: folder.dir,
      broken: ({ cause }) => void told.push(cause),
    });
    expect(await second.checkpoint(sampleCollection)).to.equal(logStart);
    expect(told).to.deep.equal(['Error: a row of generations is not as it was written']);
    await second.close();
  });

  it('gets checksums if an older build wrote none, and keeps its content', async () => {
    const first = await openDocuments({ dir: folder.dir });
    await first.apply(sampleCollection, writesOf(thing), checkpointAt(1));
    await first.close();
    inFile(folder.dir, (file) => {
      for (const table of ['generations', 'documents_1']) {
        file.exec(`ALTER TABLE ${table} DROP COLUMN sum`);
      }
      file.pragma('user_version = 0');
    });
    const old = await openDocuments({ dir: folder.dir, readOnly: true });
    expect((await old.get(sampleCollection, 'a'))?.body, 'read before').to.equal(1);
    await old.close();
    const second = await openDocuments({ dir: folder.dir });
    expect((await second.get(sampleCollection, 'a'))?.body).to.equal(1);
    expect(await second.checkpoint(sampleCollection)).to.equal(positionAt(1));
    inFile(folder.dir, (file) => file.exec(`UPDATE documents_1 SET body = '2'`));
    expect(await faultOf(second.get(sampleCollection, 'a'))).to.equal('unavailable');
    await second.close();
  });

  it('is kept once', async () => {
    const old = join(folder.dir, 'broken-documents.sqlite');
    await writeFile(join(folder.dir, 'documents.sqlite'), garbage);
    await (await openDocuments({ dir: folder.dir })).close();
    expect((await stat(old)).size).to.equal(garbage.length);
    await writeFile(join(folder.dir, 'documents.sqlite'), garbage.subarray(100_000));
    await (await openDocuments({ dir: folder.dir })).close();
    expect((await stat(old)).size).to.equal(100_000);
  });

  it('is set aside when it holds the records too', async () => {
    const first = await openRecords({ dir: folder.dir });
    await first.close();
    const name = await recordsFile(folder.dir);
    await writeFile(join(folder.dir, name), garbage);
    const seen: (string | undefined)[] = [];
    const again = await openRecords({ dir: folder.dir, onIncident: ({ kept }) => seen.push(kept) });
    await again.close();
    expect(seen).to.deep.equal([`broken-${name}`]);
    expect((await stat(join(folder.dir, `broken-${name}`))).size).to.equal(garbage.length);
  });
});
