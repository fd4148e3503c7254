import { expect } from 'chai';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../config.js';
import { backup } from '../../cli/backup.js';
import { Fault } from '../../kernel/fault.js';
import { temporaryFolder } from '../support/folder.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';
import { programName } from '../support/test-environment.js';

type Row = {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly to_do: string;
};

describe('a service that is backed up, lost and restored', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let data: string;
  let kept: string;
  let keys: string;
  before(async () => {
    folder = await temporaryFolder();
    [data, kept, keys] = ['data', 'backup', 'keys'].map((name) => join(folder.dir, name)) as [
      string,
      string,
      string,
    ];
  });
  after(() => folder.remove());
  const named = async ({ client }: ServiceProcess, name: string): Promise<void> => {
    await client.call('POST', '/v2/projects', { body: { name } });
  };
  const ran = async (dir: string, ...args: readonly string[]): Promise<string> => {
    const { code, output } = await runAssay(dir, ...args);
    expect(code, output).to.equal(0);
    return output;
  };

  it('restores what it had at the last backup, taken while it ran', async () => {
    const service = await startService({ dir: data });
    await named(service, 'before the first');
    const first = JSON.parse(await ran(data, 'backup', kept, '--keys', keys, '--json')) as {
      added: number;
    };
    const over = new AbortController();
    const writing = (async () => {
      for (let count = 0; !over.signal.aborted; count += 1) await named(service, `amid ${count}`);
    })();
    await named(service, 'before the second');
    const again = await ran(data, 'backup', kept, '--keys', keys);
    over.abort();
    await writing;
    expect(first.added).to.be.greaterThan(0);
    expect(again).to.match(/has the log up to position [0-9a-f]{16}: \d+ events came to it/);
    await service.kill();
    expect((await stat(join(keys, 'secret.key'))).mode & 0o777).to.equal(0o600);
    expect(await readdir(join(kept, 'log'))).not.to.include('secret.key');

    const used = await runAssay(data, 'restore', kept, '--keys', keys);
    expect([used.code, used.output]).to.deep.equal([
      1,
      `assay: ${data} is not empty: move it away first (mv ${data} ${data}.old), ` +
        'and keep it until the restored one is well\n',
    ]);
    await rename(data, `${data}.old`);
    expect(await ran(data, 'restore', kept, '--keys', keys)).to.include('Start the service');
    const restored = await startService({ dir: data });
    await pollUntil('the projects', 20_000, async () => {
      const { body } = await restored.client.send('GET', '/v2/projects/all');
      return ['before the first', 'before the second'].every((name) =>
        JSON.stringify(body).includes(name),
      );
    });
    await restored.stop();
    await ran(data, 'verify');
  });

  it('names what is missing: a key, a backup', async () => {
    const elsewhere = join(folder.dir, 'elsewhere');
    const without = await ran(elsewhere, 'restore', kept);
    expect(without).to.include('secret.key is not in ').and.to.include('before you start');
    const none = await runAssay(join(folder.dir, 'new'), 'restore', folder.dir);
    expect([none.code, none.output]).to.deep.equal([
      1,
      `assay: no backup in ${folder.dir}: ${join(folder.dir, 'log')} has no log\n`,
    ]);
    expect(existsSync(join(folder.dir, 'new'))).to.equal(false);
  });

  it('refuses a malformed key, and to replace another one', async () => {
    const other = join(folder.dir, 'other');
    await (await startService({ dir: other })).stop();
    const before = await readFile(join(keys, 'secret.key'), 'utf8');
    const replaced = await runAssay(other, 'backup', join(folder.dir, 'others'), '--keys', keys);
    expect(replaced.code, replaced.output).to.equal(1);
    expect(replaced.output).to.include('is another key than');
    await writeFile(join(other, 'secret.key'), '');
    const cut = await runAssay(other, 'backup', join(folder.dir, 'others'));
    expect(cut.code, cut.output).to.equal(1);
    expect(cut.output).to.include('does not hold 32 bytes');
    await rm(join(other, 'secret.key'));
    expect(await ran(other, 'backup', join(folder.dir, 'others'))).to.include(
      'secret.key was not found',
    );
    expect(await readFile(join(keys, 'secret.key'), 'utf8')).to.equal(before);
  });

  it('names a file that is not a log', async () => {
    const broken = join(folder.dir, 'broken');
    await cp(kept, broken, { recursive: true });
    const file = join(broken, 'log', 'log.sqlite');
    await writeFile(file, 'garbage'.repeat(2_000));
    const changed = await runAssay(data, 'backup', broken, '--keys', keys);
    expect(changed.code, changed.output).to.equal(1);
    expect(changed.output).to.include(`${file} is not as it was written: the backup in `);
    // As a backup that was never finished.
    await rm(join(broken, 'log', 'backup.json'));
    const into = await runAssay(data, 'backup', broken, '--keys', keys);
    const from = await runAssay(join(folder.dir, 'from'), 'restore', broken, '--keys', keys);
    for (const { code, output } of [into, from]) {
      expect(code, output).to.equal(1);
      expect(output).to.include(`${file} is damaged or not a log of this service (SQLITE_NOTADB)`);
    }
  });

  it('refuses an unfinished backup, and an interrupted restore', async () => {
    const unfinished = join(folder.dir, 'unfinished');
    await cp(kept, unfinished, { recursive: true });
    await rm(join(unfinished, 'log', 'backup.json'));
    const half = join(folder.dir, 'half');
    await mkdir(join(half, 'restoring'), { recursive: true });
    const started = await runAssay(half, 'serve');
    expect([started.code, await readdir(half)]).to.deep.equal([1, ['restoring']]);
    expect(started.output).to.include(`give ${programName} restore again`);
    const diagnosis = (await findings(half)).get('folder');
    expect(diagnosis).to.include({ state: 'bad' });
    expect(`${diagnosis?.found}: ${diagnosis?.to_do}`).to.equal(
      started.output.trim().replace('assay: ', ''),
    );
    expect((await runAssay(half, 'inspect', 'events')).output).to.equal(started.output);
    const said = await ran(half, 'restore', unfinished, '--keys', keys);
    expect(said).to.include('This backup was never finished');
    expect(await readdir(half))
      .to.include('log.sqlite')
      .and.not.to.include('restoring');
  });

  it('refuses a target inside or around the data folder, by a link too', async () => {
    const config = readConfig({ ASSAY_DATA_DIR: data });
    const link = join(folder.dir, 'link');
    await symlink(data, link);
    const names = await readdir(data);
    const outside = join(folder.dir, 'outside');
    const asked: readonly (readonly [string, string?])[] = [
      [data],
      [join(data, 'new', 'backup')],
      [join(link, 'backup')],
      [outside, join(data, 'keys')],
      [folder.dir],
    ];
    for (const [to, keysIn] of asked) {
      const options = keysIn === undefined ? {} : { keys: keysIn };
      const said: unknown = await backup(config, to, options).catch((error: unknown) => error);
      expect(said, to).to.be.instanceOf(Fault).that.has.property('code', 'invalid');
      expect(String(said)).to.include(`the data folder ${data}: choose`);
    }
    expect(await readdir(data)).to.deep.equal(names);
    expect(existsSync(outside)).to.equal(false);
  });

  it('refers to the backup of EventStoreDB if the log is there', async () => {
    const config = readConfig({
      ASSAY_DATA_DIR: data,
      ASSAY_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
      ASSAY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    });
    const said: unknown = await backup(config, kept, {}).catch((error: unknown) => error);
    expect(String(said)).to.include('EventStoreDB, which has its own backup');
  });

  const findings = async (dir: string): Promise<ReadonlyMap<string, Row>> => {
    const { output } = await runAssay(dir, 'doctor', '--json');
    const rows = output.split('\n').filter((line) => line.startsWith('{'));
    return new Map(rows.map((line) => JSON.parse(line) as Row).map((row) => [row.check, row]));
  };

  it('passes the doctor, running or not', async () => {
    const table = await runAssay(data, 'doctor');
    expect(table.output).to.include('events are as stored');
    const idle = await findings(data);
    const checks = ['folder', 'permissions', 'secret key', 'log', 'log settings', 'documents'];
    for (const check of [...checks, 'records', 'runtime', 'clock']) {
      expect(idle.get(check), check).to.include({ state: 'good', to_do: '' });
    }
    const service = await startService({ dir: data });
    const busy = await findings(data);
    expect(busy.get('service')).to.include({ found: 'runs on this folder' });
    expect(busy.get('log')).to.include({ state: 'good' });
    await service.stop();
  });

  it('fails the doctor, which says what is wrong and what to do', async () => {
    const dir = `${data}.old`;
    await writeFile(join(dir, 'documents.sqlite'), 'garbage'.repeat(2_000));
    await rename(join(dir, 'secret.key'), join(dir, 'lost.key'));
    await chmod(dir, 0o755);
    const found = await findings(dir);
    expect(found.get('documents')).to.include({ state: 'bad' });
    expect(found.get('documents')?.to_do).to.include('sets the file aside and builds it anew');
    expect(found.get('secret key')).to.include({ state: 'bad' });
    expect(found.get('permissions')).to.include({ state: 'warning' });
    const none = await runAssay(join(folder.dir, 'nowhere'), 'doctor');
    expect([none.code, none.output.includes('is not there')]).to.deep.equal([1, true]);
    expect(existsSync(join(folder.dir, 'nowhere'))).to.equal(false);
  });
});
