import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../config.js';
import { openBus } from '../../engines/memory/bus.js';
import { openEventLog } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import { streamNameOf } from '../../kernel/ports.js';
import { loadSecretKey } from '../../service/secret-key.js';
import { temporaryFolder } from '../support/folder.js';
import { append, newEvent } from '../support/projector.js';

describe('the secret key of a data folder', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const key = (environment: Readonly<Record<string, string>> = {}) =>
    loadSecretKey(readConfig({ ASSAY_DATA_DIR: folder.dir, ...environment }), folder.dir);
  const refusal = async (): Promise<string> => {
    const fault: unknown = await key().catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Fault);
    return (fault as Fault).message;
  };
  const log = async (events: number): Promise<void> => {
    const bus = openBus(randomUUID());
    const opened = await openEventLog({ dir: folder.dir, bus });
    if (events > 0) await append(opened, streamNameOf('room', 'a'), 0, newEvent('Said', {}));
    await opened.close();
    await bus.close();
  };
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('is 32 bytes in base64 or base64url and nothing else', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const read = (text: string) => readConfig({ ASSAY_SECRET_KEY: text }).secretKey;
    const base64 = bytes.toString('base64');
    for (const text of [base64, base64.slice(0, -1), bytes.toString('base64url')]) {
      expect(read(text)).to.equal(text);
    }
    const others = [`!!!!${base64}`, `${base64}!`, `${base64}${base64}`, base64.slice(1)];
    for (const text of [...others, `${base64.slice(0, 20)} ${base64.slice(20)}`]) {
      expect(() => read(text), text).to.throw('ASSAY_SECRET_KEY must be 32 bytes in base64');
    }
  });

  it('is generated once, for an empty log', async () => {
    await log(0);
    const made = await key();
    expect(made).to.have.length(32);
    expect(Buffer.from(await key()).equals(made)).to.equal(true);
  });

  it('is not generated beside a log with events, unless a key is given', async () => {
    await log(1);
    expect(await refusal()).to.match(/secret\.key is missing, .*ASSAY_SECRET_KEY.*void/);
    const given = Buffer.alloc(32, 7).toString('base64');
    expect(await key({ ASSAY_SECRET_KEY: given })).to.have.length(32);
    await writeFile(join(folder.dir, 'secret.key'), given);
    expect(await key()).to.have.length(32);
  });

  it('must be the first one used with the log, until secret.check is removed', async () => {
    await log(0);
    await key();
    await log(1);
    const first = await key();
    await writeFile(join(folder.dir, 'secret.key'), Buffer.alloc(32, 7).toString('base64'));
    expect(await refusal()).to.match(/secret\.key is not the key that this log was written with/);
    const other = { ASSAY_SECRET_KEY: Buffer.alloc(32, 8).toString('base64') };
    const fault: unknown = await key(other).catch((error: unknown) => error);
    expect(String(fault)).to.match(/ASSAY_SECRET_KEY is not the key .* remove .*secret\.check/);
    const given = { ASSAY_SECRET_KEY: Buffer.from(first).toString('base64') };
    expect(Buffer.from(await key(given)).equals(first)).to.equal(true);
    await rm(join(folder.dir, 'secret.check'));
    expect(await key(other)).to.have.length(32);
    expect(await refusal()).to.include('is not the key');
  });

  it('is refused with a reason when it is damaged', async () => {
    await writeFile(join(folder.dir, 'secret.key'), 'short');
    expect(await refusal()).to.match(/secret\.key does not hold 32 bytes in base64/);
  });
});
