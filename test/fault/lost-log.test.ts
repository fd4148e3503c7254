import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBus } from '../../engines/memory/bus.js';
import { openEngines, type Engines } from '../../engines/open.js';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { findTruncatedLog } from '../../engines/sqlite/lost-log.js';
import { Fault } from '../../kernel/fault.js';
import { projectorStateCollection } from '../../projections/parking.js';
import {
  checkpointAt,
  sampleDocument,
  sampleCollection,
  writesOf,
} from '../suites/sample-documents.js';
import { appendOne } from '../suites/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { runAssay, spawnService, startService } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

const embedded = { eventStoreUrl: null, mongodbUrl: null, natsUrl: null };

describe('a data folder whose log is lost', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let engines: Engines;
  beforeEach(async () => {
    folder = await temporaryFolder();
    engines = await openEngines({ dataDir: folder.dir, ...embedded });
  });
  afterEach(() => folder.remove());
  const logged = async (events: number): Promise<void> => {
    const bus = openBus(folder.dir);
    const log = await openEventLog({ dir: folder.dir, bus });
    for (let count = 0; count < events; count += 1) {
      await appendOne(log, appendOf(newStream(), 'none', newEvent('said')));
    }
    await log.close();
    await bus.close();
  };
  const folded = async (place: number): Promise<void> => {
    const documents = await openDocuments({ dir: folder.dir });
    await documents.apply(sampleCollection, writesOf(sampleDocument('a')), checkpointAt(place));
    await documents.close();
  };
  /** Message of a refused start, or `starts`. */
  const refusal = (): string => {
    try {
      engines.lock()();
      return 'starts';
    } catch (error) {
      expect(error).to.be.instanceOf(Fault).with.property('code', 'invalid');
      return (error as Fault).message;
    }
  };
  const log = () => join(folder.dir, 'log.sqlite');

  it('is not one where only a projector’s state, which follows no log, is further', async () => {
    await logged(3);
    const documents = await openDocuments({ dir: folder.dir });
    const one = [{ key: 'a', document: { key: 'a', scope: '', fields: {}, body: {} } }];
    await documents.apply(projectorStateCollection, one, checkpointAt(10));
    await documents.close();
    expect(findTruncatedLog(folder.dir)).to.equal(null);
    await folded(10);
    expect(findTruncatedLog(folder.dir)).to.match(/^the log ends at 0{15}3, and .* up to 0{15}a$/);
  });

  it('is refused while read models show how far it went, with what to do', async () => {
    await folded(10);
    const missing = refusal();
    expect(missing).to.include(`${log()} is missing, yet read models were folded from a log`);
    expect(missing).to.match(/up to position 000000000000000a: put it back.* assay restore/);
    expect(missing).to.match(/begin anew.*empty folder.*documents\.sqlite\* and records-v\*/);
    await writeFile(log(), '');
    await writeFile(`${log()}-wal`, 'the newest');
    const emptied = `${log()} has no events, yet`;
    expect(refusal()).to.include(emptied);
    expect(await readFile(`${log()}-wal`, 'utf8')).to.equal('the newest');
    await rm(log());
    await logged(0);
    expect(refusal()).to.include(emptied);
  });

  it('is refused where the read models cannot be read', async () => {
    await writeFile(join(folder.dir, 'documents.sqlite'), 'garbage'.repeat(2_000));
    expect(refusal()).to.include('is missing, yet documents.sqlite is there and cannot be read');
  });

  it('is not one that was never used, or whose log has events, however few', async () => {
    expect(refusal()).to.equal('starts');
    await folded(0);
    expect(refusal()).to.equal('starts');
    await logged(0);
    expect(refusal()).to.equal('starts');
    await logged(1);
    await folded(10);
    expect(refusal()).to.equal('starts');
  });
});

describe('a service whose log was lost', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let dir = '';
  let kept = '';
  beforeEach(async () => {
    folder = await temporaryFolder();
    [dir, kept] = [join(folder.dir, 'data'), join(folder.dir, 'kept')];
    await mkdir(kept);
    const service = await startService({ dir });
    await service.client.call('POST', '/v2/projects', { body: { name: 'of long ago' } });
    await pollUntil('it is folded', 20_000, () => hasProject(service));
    await service.stop();
    await cp(join(dir, 'log.sqlite'), join(kept, 'log.sqlite'));
  });
  afterEach(() => folder.remove());
  type Running = Awaited<ReturnType<typeof startService>>;
  const hasProject = async ({ client }: Running): Promise<boolean> => {
    const { body } = await client.send('GET', '/v2/projects/all');
    return JSON.stringify(body).includes('of long ago');
  };
  const refused = async (): Promise<string> => {
    const { child, ready } = spawnService({ dir });
    const said: unknown = await ready.then(
      (service) => service.stop(),
      (error: unknown) => error,
    );
    expect(child.exitCode, String(said)).to.equal(1);
    return String(said);
  };
  /** The files of the folder and what is in them; SQLite may make a memory of its own beside. */
  const files = async (): Promise<readonly string[]> => {
    const names = (await readdir(dir, { withFileTypes: true }))
      .filter((entry) => entry.isFile() && !/^lock\.|-(shm|wal)$/.test(entry.name))
      .map(({ name }) => name)
      .sort();
    const hashed = async (name: string): Promise<string> =>
      `${name} ${createHash('sha256')
        .update(await readFile(join(dir, name)))
        .digest('hex')}`;
    return Promise.all(names.map(hashed));
  };

  it('does not start and changes nothing, until the log is there again', async () => {
    await rm(join(dir, 'log.sqlite'));
    const before = await files();
    const said = await refused();
    expect(said).to.match(/log\.sqlite is missing, yet .* up to position [0-9a-f]{16}: put it/);
    expect(await files()).to.deep.equal(before);
    for (const command of [['rebuild', '--all'], ['doctor']]) {
      const { code, output } = await runAssay(dir, ...command);
      expect([code, output.includes('log.sqlite is missing, yet read models')], output).to.eql([
        1,
        true,
      ]);
    }
    expect(await files()).to.deep.equal(before);
    await cp(join(kept, 'log.sqlite'), join(dir, 'log.sqlite'));
    const service = await startService({ dir });
    expect(await hasProject(service)).to.equal(true);
    await service.stop();
  });

  it('begins anew once the read models are moved away, as advised', async () => {
    await truncate(join(dir, 'log.sqlite'), 0);
    expect(await refused()).to.include('log.sqlite has no events, yet read models');
    const { code, output } = await runAssay(dir, 'doctor');
    expect([code, output.includes('has no events, yet')], output).to.eql([1, true]);
    for (const name of await readdir(dir)) {
      if (/^(documents\.sqlite|records-v)/.test(name)) {
        await rename(join(dir, name), join(kept, name));
      }
    }
    const service = await startService({ dir });
    expect(await hasProject(service)).to.equal(false);
    await service.stop();
  });
});
