import { join } from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readConfig } from '../../config.js';
import { sealingKey, trustedKey } from '../../engines/node/seal-keys.js';
import { newCosigner } from '../support/seal-witness.js';
import { startService } from '../../service/service.js';
import { appKey } from '../support/app.js';
import { temporaryFolder } from '../support/folder.js';

describe('the settings of seals', () => {
  it('bound the interval of seals and set their origin', () => {
    expect(readConfig({}).seals).to.deep.equal({
      origin: null,
      everyMs: 3_600_000,
      key: null,
      witnesses: [],
      dir: null,
    });
    const every = (text: string): number =>
      readConfig({ ASSAY_SEAL_EVERY: text }).seals.everyMs / 1_000;
    expect([every('60s'), every('15m'), every('24h')]).to.deep.equal([60, 900, 86_400]);
    for (const wrong of ['59s', '25h', '1', 'h', '1.5h', '-1h']) {
      expect(() => every(wrong), wrong).to.throw('ASSAY_SEAL_EVERY must be 60s to 24h');
    }
    for (const wrong of ['https://assay.example.org', 'a b', 'a+b', 'a\nb']) {
      expect(() => readConfig({ ASSAY_SEAL_ORIGIN: wrong }), wrong).to.throw('ASSAY_SEAL_ORIGIN');
    }
  });

  it('name witnesses by key and address', () => {
    const { vkey } = newCosigner('witness.example.org/w1');
    const two = `${vkey}@https://witness.example.org, ${vkey}@http://10.0.0.7:8000/w`;
    expect(readConfig({ ASSAY_SEAL_WITNESSES: two }).seals.witnesses).to.have.length(2);
    for (const wrong of ['https://witness.example.org', vkey, `${vkey}@ftp://x`]) {
      expect(() => readConfig({ ASSAY_SEAL_WITNESSES: wrong }), wrong).to.throw('<vkey>@<address>');
    }
  });

  it('may name a key file, which the start refuses if it is malformed', async () => {
    const { dir, remove } = await temporaryFolder();
    try {
      const path = join(dir, 'seal.pem');
      const config = readConfig({
        ASSAY_DATA_DIR: join(dir, 'data'),
        ASSAY_PORT: '0',
        ASSAY_OPS_PORT: '0',
        ASSAY_BOOTSTRAP_API_KEY: appKey,
        ASSAY_LOG_LEVEL: 'silent',
        ASSAY_SANDBOX: 'off',
        ASSAY_SEAL_KEY: path,
      });
      const started = () => startService(config).then((service) => service.close());
      const refused = (): Promise<string> => started().then(() => '', String);
      expect(await refused()).to.contain('seal.pem is not there');
      await writeFile(path, 'no key');
      expect(await refused()).to.contain('a private key on P-256');
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
      await writeFile(path, pem);
      await started();
      const signed = sealingKey({ pem }).sign('a', 'text\n');
      const trusted = trustedKey(publicKey.export({ format: 'pem', type: 'spki' }));
      expect(trusted.hasSigned({ text: 'text\n', signatures: [signed] })).to.equal(true);
    } finally {
      await remove();
    }
  });
});
