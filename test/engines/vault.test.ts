import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDataKeys } from '../../engines/node/data-keys.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { openVault } from '../../engines/node/vault.js';
import { Fault } from '../../kernel/fault.js';
import type { SealContext, Vault } from '../../kernel/vault.js';
import { temporaryFolder } from '../support/folder.js';
import { testClock } from '../support/test-log.js';

const place: SealContext = {
  organizationId: 'organization',
  integrationId: 'integration',
  provider: 'writer',
  version: 1,
};
const refused = async (opening: Promise<string>): Promise<void> => {
  const error = await opening.then(
    (text) => text,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(Fault).and.include({ code: 'unavailable' });
};

describe('the vault', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let clock: ReturnType<typeof testClock>;
  const masterKey = randomBytes(32);
  const fingerprintKey = randomBytes(32);
  beforeEach(async () => {
    folder = await temporaryFolder();
    clock = testClock();
  });
  afterEach(() => folder.remove());

  const path = () => join(folder.dir, 'data-keys');
  const opened = (more: Partial<Parameters<typeof openVault>[0]> = {}): Vault =>
    openVault({
      keys: openDataKeys(diskFiles, path()),
      clock,
      ids: randomIds,
      masterKey,
      fingerprintKey,
      ...more,
    });

  it('opens what it sealed, also after it was opened again', async () => {
    const sealed = await opened().seal(place, 'the secret ☃');
    expect(sealed).to.include({ v: 1 });
    expect(Buffer.from(sealed.iv, 'base64')).to.have.length(12);
    expect(Buffer.from(sealed.tag, 'base64')).to.have.length(16);
    expect(await opened().open(place, sealed)).to.equal('the secret ☃');
  });

  it('never seals the same text alike', async () => {
    const vault = opened();
    const [one, other] = [await vault.seal(place, 'same'), await vault.seal(place, 'same')];
    expect(one.ciphertext).to.not.equal(other.ciphertext);
    expect(one.iv).to.not.equal(other.iv);
    expect(one.data_key_id).to.equal(other.data_key_id);
  });

  it('does not open a ciphertext that was moved to another place', async () => {
    const vault = opened();
    const sealed = await vault.seal(place, 'secret');
    await vault.seal({ ...place, organizationId: 'another' }, 'theirs');
    for (const moved of [
      { ...place, organizationId: 'another' },
      { ...place, integrationId: 'another' },
      { ...place, provider: 'openai' },
      { ...place, version: 2 },
    ]) {
      await refused(vault.open(moved, sealed));
    }
  });

  it('does not open what was changed by a bit, or sealed under another master key', async () => {
    const vault = opened();
    const sealed = await vault.seal(place, 'secret');
    for (const part of ['iv', 'ciphertext', 'tag'] as const) {
      const bytes = Buffer.from(sealed[part], 'base64');
      bytes[0] = (bytes[0] ?? 0) ^ 1;
      await refused(vault.open(place, { ...sealed, [part]: bytes.toString('base64') }));
    }
    const tag = Buffer.from(sealed.tag, 'base64').subarray(0, 4).toString('base64');
    await refused(vault.open(place, { ...sealed, tag }));
    await refused(opened({ masterKey: randomBytes(32) }).open(place, sealed));
  });

  it('keeps data keys wrapped, in a file that only its owner reads', async () => {
    const vault = opened();
    await vault.seal(place, 'secret');
    const keys = await openDataKeys(diskFiles, path()).all();
    expect(keys).to.have.length(1);
    expect(keys[0]).to.have.all.keys(
      'id',
      'organization_id',
      'created_at',
      'replaced_at',
      'iv',
      'ciphertext',
      'tag',
    );
    const file = join(path(), `${keys[0]?.id}.json`);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
  });

  it('makes one data key per organisation for all who seal at once', async () => {
    const vault = opened();
    const sealed = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const organizationId = at % 2 === 0 ? 'one' : 'other';
        return vault.seal({ ...place, organizationId }, String(at));
      }),
    );
    expect(new Set(sealed.map(({ data_key_id: id }) => id)).size).to.equal(2);
  });

  it('seals with a new data key after a year or a renewal, opens with the old one', async () => {
    const vault = opened();
    const first = await vault.seal(place, 'first');
    const renewed = await vault.rotateDataKey(place.organizationId);
    const second = await vault.seal(place, 'second');
    expect(second.data_key_id).to.equal(renewed).and.not.equal(first.data_key_id);
    clock.move(366 * 86_400);
    const third = await vault.seal(place, 'third');
    expect(third.data_key_id).to.not.equal(renewed);
    expect(await vault.open(place, first)).to.equal('first');
    expect(await vault.open(place, second)).to.equal('second');
  });

  it('destroys data keys that are neither used, nor sealing, nor replaced just now', async () => {
    const vault = opened();
    const first = await vault.seal(place, 'first');
    await vault.rotateDataKey(place.organizationId);
    const none = new Set<never>();
    expect(await vault.destroyUnused(place.organizationId, none, clock.now())).to.equal(0);
    clock.move(1);
    const used = new Set([first.data_key_id]);
    expect(await vault.destroyUnused(place.organizationId, used, clock.now())).to.equal(0);
    expect(await vault.destroyUnused('another', none, clock.now())).to.equal(0);
    expect(await vault.destroyUnused(place.organizationId, none, clock.now())).to.equal(1);
    await refused(vault.open(place, first));
    await refused(opened().open(place, first));
  });

  it('loses no data key when two processes with one folder make some at once', async () => {
    const both = [opened(), opened()];
    const sealed = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        Promise.all(
          both.map((vault) => vault.seal({ ...place, organizationId: `${at}` }, `text ${at}`)),
        ),
      ),
    );
    for (const [at, pair] of sealed.entries()) {
      for (const one of pair) {
        expect(await opened().open({ ...place, organizationId: `${at}` }, one)).to.equal(
          `text ${at}`,
        );
      }
    }
  });

  it('knows at once what another process did to data keys', async () => {
    const [mine, theirs] = [opened(), opened()];
    const first = await mine.seal(place, 'first');
    const renewed = await theirs.rotateDataKey(place.organizationId);
    const second = await mine.seal(place, 'second');
    expect(second.data_key_id).to.equal(renewed);
    clock.move(1);
    await theirs.destroyUnused(place.organizationId, new Set(), clock.now());
    expect(await mine.open(place, second)).to.equal('second');
    await refused(mine.open(place, first));
  });

  it('tells texts apart by a keyed fingerprint', () => {
    const vault = opened();
    expect(vault.fingerprint('a')).to.equal(opened().fingerprint('a')).and.have.length(64);
    expect(vault.fingerprint('a')).to.not.equal(vault.fingerprint('b'));
    expect(opened({ fingerprintKey: randomBytes(32) }).fingerprint('a')).to.not.equal(
      vault.fingerprint('a'),
    );
  });
});
