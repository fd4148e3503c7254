import { expect } from 'chai';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../kernel/seeded-random.js';
import { backupFindings } from '../../cli/doctor/backup.js';
import type { Finding } from '../../cli/doctor/finding.js';
import { keyFindings } from '../../cli/doctor/keys.js';
import { restore } from '../../cli/backup.js';
import { readConfig } from '../../config.js';
import { openWorkerCursor } from '../../command-api/work/worker-cursor.js';
import { systemClock } from '../../engines/node/clock.js';
import { openDataKeys } from '../../engines/node/data-keys.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openSecrets } from '../../engines/node/secrets.js';
import { openVault } from '../../engines/node/vault.js';
import { dataKeysFolder, erasingFile, keyCheckFile, secretKeyFile } from '../../engines/open.js';
import { logFile } from '../../engines/sqlite/log-schema.js';
import { logStart, type Position } from '../../kernel/ports.js';
import type { SealedText } from '../../kernel/vault.js';
import { loadSecretKey } from '../../service/secret-key.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import { openByteFlipFixture, findOnlyFile, type ByteFlipFixture } from './byte-flip-fixture.js';
import { answerOrFault, countFlips, forEachFlip, type FlipFindings } from './byte-flips.js';

const flips = runs(100);
const ofDoctor = (findings: readonly Finding[]): string | null =>
  findings.find(({ state }) => state !== 'good')?.found ?? null;
const tell = () => undefined;

describe('keys and a backup with one flipped byte', function () {
  this.timeout(60_000 + flips * 1_000);
  let world: ByteFlipFixture;
  before(async () => {
    world = await openByteFlipFixture();
  });
  after(() => world?.remove());
  const config = () => readConfig({ ASSAY_DATA_DIR: world.data });
  const place = { organizationId: '', integrationId: 'i', provider: 'p', version: 1 };

  /** The key, and what a secret that was sealed before opens to. */
  const served = (sealed: SealedText, organizationId: string): Promise<string> =>
    answerOrFault(async () => {
      const key = await loadSecretKey(config(), world.data);
      const keys = openDataKeys(diskFiles, dataKeysFolder(world.data));
      const needs = { keys, clock: systemClock, ids: randomIds, ...openSecrets(key) };
      const text = await openVault(needs).open({ ...place, organizationId }, sealed);
      const all = await keys.all();
      return { key: Buffer.from(key).toString('hex'), text, all };
    });

  it('is found in each file of keys, or changes nothing', async () => {
    const random = seededRandom(drawSeed('flips of keys'));
    const key = await loadSecretKey(config(), world.data);
    const keys = openDataKeys(diskFiles, dataKeysFolder(world.data));
    const [first] = await keys.all();
    const organizationId = first?.organization_id ?? '';
    const vault = openVault({ keys, clock: systemClock, ids: randomIds, ...openSecrets(key) });
    const sealed = await vault.seal({ ...place, organizationId }, 'a text');
    const truth = await served(sealed, organizationId);
    const check = await readFile(keyCheckFile(world.data));
    const ask = async (): Promise<FlipFindings> => {
      const doctor = ofDoctor(await keyFindings(config(), world.data));
      const answer = await served(sealed, organizationId);
      const isHealed = doctor !== null && (await readFile(keyCheckFile(world.data))).equals(check);
      const isRefused = answer.startsWith('refused: ');
      const wrong = isRefused || answer === truth ? null : answer;
      const service = isRefused ? 'refused' : isHealed ? 'healed' : 'same';
      return { service, wrong, doctor, audit: null };
    };
    const dataKey = await findOnlyFile(dataKeysFolder(world.data), /\.json$/);
    for (const file of [secretKeyFile(world.data), keyCheckFile(world.data), dataKey]) {
      const counts = await countFlips(file, flips, random, ask);
      process.stdout.write(`    ${file.slice(world.data.length)}: ${JSON.stringify(counts)}\n`);
      expect(counts.harmless, file).to.be.lessThan(flips / 2);
    }
  });

  it('costs a scan of the log if it is in the part that a worker scanned', async () => {
    const random = seededRandom(drawSeed('flips of a bookmark'));
    const path = erasingFile(world.data);
    const at = '0000000000000013' as Position;
    const log = { head: async () => 'ffffffffffffffff' as Position };
    await rm(path, { force: true });
    const bookmark = openWorkerCursor({ files: diskFiles, log, path });
    await bookmark.write(at, Infinity);
    const read: Position[] = [];
    await forEachFlip(path, flips, random, async () => void read.push(await bookmark.read()));
    expect([logStart, at]).to.include.members(read);
    await writeFile(path, `${at}\n`);
    expect(await bookmark.read(), 'as an earlier build wrote it').to.equal(at);
  });

  it('is found in each file of a backup, which is not restored then', async () => {
    const random = seededRandom(drawSeed('flips of a backup'));
    const [log, keys] = [join(world.backup, 'log'), join(world.backup, 'keys')];
    const to = join(world.data, '..', 'restored');
    const said = { json: true } as const;
    const ask = async (): Promise<FlipFindings> => {
      const doctor = ofDoctor(await backupFindings(world.backup, undefined, tell));
      if (doctor === null) return { service: 'same', wrong: null, doctor, audit: null };
      const code = await answerOrFault(() =>
        restore(readConfig({ ASSAY_DATA_DIR: to }), world.backup, said),
      );
      const wrong = code === 'refused: conflict' ? null : code;
      return { service: 'refused', wrong, doctor, audit: null };
    };
    const files = [
      logFile(log),
      join(log, 'backup.json'),
      join(log, 'secret.check'),
      join(keys, 'backup.json'),
      join(keys, 'secret.key'),
      await findOnlyFile(join(keys, 'data-keys'), /\.json$/),
    ];
    for (const file of files) {
      const counts = await countFlips(file, runs(file === logFile(log) ? 100 : 30), random, ask);
      process.stdout.write(`    ${file.slice(world.backup.length)}: ${JSON.stringify(counts)}\n`);
      if (!file.endsWith('backup.json')) expect(counts.harmless, file).to.equal(0);
    }
    expect(await readdir(join(world.data, '..'))).not.to.include('restored');
  });
});
