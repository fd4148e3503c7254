import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { assert, asyncProperty, integer, property, string } from 'fast-check';
import { openDataKeys } from '../../engines/node/data-keys.js';
import { diskFiles } from '../../engines/node/files.js';
import { randomIds } from '../../engines/node/ids.js';
import { textSeal } from '../../engines/node/text-seal.js';
import { openVault } from '../../engines/node/vault.js';
import type { SealContext, Vault } from '../../kernel/vault.js';
import { temporaryFolder } from '../support/folder.js';
import { testClock } from '../support/test-log.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const place: SealContext = {
  organizationId: 'organization',
  integrationId: 'integration',
  provider: 'writer',
  version: 1,
};
const atOnce = 500;
/** 96 random bits. */
const nonceBytes = 12;

/** Each byte of it changed, one at a time, by the bits of `mask`. */
const changed = (base64: string, mask: number): readonly string[] => {
  const bytes = Buffer.from(base64, 'base64');
  return [...bytes.keys()].map((at) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ mask;
    return copy.toString('base64');
  });
};

describe('sealed content', function () {
  this.timeout(60_000 * runs(1));
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const masterKey = randomBytes(32);
  const seed = drawSeed('sealed texts');
  before(async () => {
    folder = await temporaryFolder();
  });
  after(() => folder.remove());

  const keysIn = (name: string) => openDataKeys(diskFiles, join(folder.dir, name));
  const vaultIn = (name: string): Vault =>
    openVault({
      keys: keysIn(name),
      clock: testClock(),
      ids: randomIds,
      masterKey,
      fingerprintKey: masterKey,
    });
  const opens = async (opening: Promise<string>): Promise<boolean> =>
    opening.then(
      () => true,
      () => false,
    );

  it('never repeats a nonce under its key, in any process', async () => {
    const vaults = [vaultIn('nonces'), vaultIn('nonces')];
    const { data_key_id: key } = await (vaults[0] as Vault).seal(place, 'the first makes the key');
    const nonces = new Set<string>();
    for (let sealed = 0; sealed < runs(10_000); sealed += atOnce) {
      const some = await Promise.all(
        Array.from({ length: atOnce }, (_, at) =>
          (vaults[at % 2] as Vault).seal(place, 'the same text'),
        ),
      );
      for (const { data_key_id, iv } of some) {
        expect(data_key_id).to.equal(key);
        expect(Buffer.from(iv, 'base64')).to.have.length(nonceBytes);
        nonces.add(iv);
      }
      expect(nonces.size).to.equal(sealed + atOnce);
    }
  });

  it('never repeats a nonce of texts under one lasting key', () => {
    const { seal } = textSeal(masterKey);
    const nonces = new Set<string>();
    for (let sealed = 0; sealed < runs(10_000); sealed += 1) {
      const bytes = Buffer.from(seal('the same text', 'place'), 'base64');
      nonces.add(bytes.toString('hex', 0, nonceBytes));
    }
    expect(nonces.size).to.equal(runs(10_000));
  });

  it('does not open after a change of any byte', () =>
    assert(
      asyncProperty(
        string({ maxLength: 60 }),
        integer({ min: 1, max: 255 }),
        async (text, mask) => {
          const vault = vaultIn('bytes');
          const sealed = await vault.seal(place, text);
          expect(await vault.open(place, sealed)).to.equal(text);
          const wrong = (['iv', 'ciphertext', 'tag'] as const).flatMap((part) =>
            changed(sealed[part], mask).map((bytes) => ({ ...sealed, [part]: bytes })),
          );
          const opened = await Promise.all(wrong.map((one) => opens(vault.open(place, one))));
          expect(opened.filter(Boolean)).to.deep.equal([]);
        },
      ),
      { seed, numRuns: runs(40) },
    ));

  it('does not open after a change of any byte of its wrapped data key', async () => {
    const sealed = await vaultIn('wrapped').seal(place, 'secret');
    const [key] = await keysIn('wrapped').all();
    if (key === undefined) throw new Error('no data key');
    const wrong = (['iv', 'ciphertext', 'tag'] as const).flatMap((part) =>
      changed(key[part], 1 + (seed % 255)).map((bytes) => ({ ...key, [part]: bytes })),
    );
    for (const one of wrong) {
      await keysIn('wrapped').update(() => [one]);
      expect(await opens(vaultIn('wrapped').open(place, sealed))).to.equal(false);
    }
    await keysIn('wrapped').update(() => [key]);
    expect(await vaultIn('wrapped').open(place, sealed)).to.equal('secret');
  });

  it('does not open as a text of one key after a change of any byte or of its place', () =>
    assert(
      property(
        string({ maxLength: 60 }),
        string({ maxLength: 40 }),
        integer({ min: 1, max: 255 }),
        (text, where, mask) => {
          const { seal, open } = textSeal(masterKey);
          const sealed = seal(text, where);
          expect(open(sealed, where)).to.equal(text);
          expect(open(sealed, `${where}x`)).to.equal(null);
          expect(changed(sealed, mask).map((one) => open(one, where))).to.deep.equal(
            changed(sealed, mask).map(() => null),
          );
        },
      ),
      { seed, numRuns: runs(100) },
    ));
});
