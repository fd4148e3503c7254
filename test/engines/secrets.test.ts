import { expect } from 'chai';
import { assert, property, uint8Array } from 'fast-check';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFiles } from '../../engines/node/files.js';
import {
  isValidApiKey,
  encodeApiKey,
  openSecrets,
  ensureSecretKey,
} from '../../engines/node/secrets.js';
import { temporaryFolder } from '../support/folder.js';
import { runs } from '../support/runs.js';

const known = 'asy_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0osngO';
const secrets = openSecrets(Buffer.alloc(32, 1));

it('derives the notification space of an installation from its key', () => {
  const other = openSecrets(Buffer.alloc(32, 2));
  expect(secrets.notificationSpace).to.match(/^assay\.[0-9a-f]{32}$/);
  expect(openSecrets(Buffer.alloc(32, 1)).notificationSpace).to.equal(secrets.notificationSpace);
  expect(other.notificationSpace).to.not.equal(secrets.notificationSpace);
});

describe('API key values', () => {
  it("have the form of the contract's known answer", () =>
    expect(encodeApiKey(Uint8Array.from({ length: 32 }, (_, index) => index))).to.equal(known));

  it('carry a checksum that any bytes pass and any changed digit fails', () =>
    assert(
      property(uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const value = encodeApiKey(bytes);
        expect(value).to.match(/^asy_[0-9A-Za-z]{49}$/);
        expect(isValidApiKey(value)).to.equal(true);
        for (let at = 4; at < value.length; at += 1) {
          const digit = value[at] === '0' ? '1' : '0';
          expect(isValidApiKey(value.slice(0, at) + digit + value.slice(at + 1))).to.equal(false);
        }
      }),
      { numRuns: runs(50) },
    ));

  it('are unique', () => {
    const minted = Array.from({ length: 100 }, secrets.mintKey);
    expect(new Set(minted).size).to.equal(100);
    expect(minted.every(isValidApiKey)).to.equal(true);
  });

  it('are rejected without a look-up when the checksum is wrong; other forms are looked up', () => {
    expect(secrets.hashKey(`${known.slice(0, -1)}P`)).to.equal(null);
    expect(secrets.hashKey('asy_')).to.equal(null);
    expect(secrets.hashKey('a value of another system')).to.match(/^[0-9a-f]{64}$/);
  });

  it('are hashed under the secret key: another one gives another hash', () => {
    const other = openSecrets(Buffer.alloc(32, 2));
    expect(secrets.hashKey(known)).to.equal(openSecrets(Buffer.alloc(32, 1)).hashKey(known));
    expect(secrets.hashKey(known)).not.to.equal(other.hashKey(known));
  });

  it('are displayed by their ends', () => {
    expect(secrets.truncate(known)).to.equal('asy_003a...sngO');
    expect(secrets.truncate('another-form-of-a-key-0123456789')).to.equal('anot...6789');
  });
});

describe('secret key of a data folder', () => {
  it('is created once, readable by its owner only', async () => {
    const { dir, remove } = await temporaryFolder();
    const path = join(dir, 'secret.key');
    const made = await ensureSecretKey(diskFiles, path);
    expect(made).to.have.length(32);
    expect(await ensureSecretKey(diskFiles, path)).to.deep.equal(made);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    await remove();
  });

  it('is not created over a file with other content', async () => {
    const { dir, remove } = await temporaryFolder();
    const path = join(dir, 'secret.key');
    await diskFiles.write(path, Buffer.from('torn'));
    const refused = await ensureSecretKey(diskFiles, path).catch((error: Error) => error.message);
    expect(refused).to.include('does not hold 32 bytes');
    await remove();
  });
});
