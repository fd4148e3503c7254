import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.js';
import { runs } from '../support/runs.js';
import { runAssayWith } from '../support/service-process.js';

/** Ends of each kind; in npm run test:long ten. */
const ends = runs(1);

describe('a service that ends before it is ready', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
  });
  after(() => folder.remove());
  const codes = async (dir: string, environment: Readonly<Record<string, string>>) => {
    const seen: (number | null)[] = [];
    for (let times = 0; times < ends; times += 1) {
      seen.push((await runAssayWith({ ASSAY_DATA_DIR: dir, ...environment }, 'serve')).code);
    }
    return seen;
  };
  const refusals = Array.from({ length: ends }, () => 1);

  it('exits with 1 each time when the data folder is a file', async () => {
    const file = join(folder.dir, 'file');
    await writeFile(file, '');
    expect(await codes(file, {})).to.deep.equal(refusals);
  });

  it('exits with 1 each time when its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const ASSAY_OPS_PORT = String((taken.address() as AddressInfo).port);
    const ports = { ASSAY_OPS_PORT, ASSAY_PORT: '0' };
    expect(await codes(join(folder.dir, 'data'), ports)).to.deep.equal(refusals);
    taken.close();
  });
});
