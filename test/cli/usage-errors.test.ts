import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../config.js';
import { temporaryFolder } from '../support/folder.js';
import { runAssay } from '../support/service-process.js';

describe('usage errors', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
  });
  after(() => folder.remove());
  /** Output of a failing command: one line without a stack. */
  const said = async (dir: string, ...args: readonly string[]): Promise<string> => {
    const { code, output } = await runAssay(dir, ...args);
    // `audit seal` has 1 for a contradiction alone.
    expect(code, output).to.equal(args[1] === 'seal' ? 2 : 1);
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(lines, output).to.have.length(1);
    return lines[0] ?? '';
  };

  it('name a malformed number', async () => {
    const numbers = [
      ['demo', '--runs', 'abc'],
      ['demo', '--seed', '1.5'],
      ['inspect', 'events', '--limit', '0'],
    ];
    const sentences = await Promise.all(numbers.map((args) => said(folder.dir, ...args)));
    expect(sentences).to.deep.equal([
      "assay: --runs takes a whole number of at least 1, not 'abc'",
      "assay: --seed takes a whole number of at least 0, not '1.5'",
      "assay: --limit takes a whole number of at least 1, not '0'",
    ]);
  });

  it('name a folder that does not exist, without creating it', async () => {
    const dir = join(folder.dir, 'not-there');
    const commands = [['verify'], ['rebuild', '--all'], ['parked', 'list'], ['keys', 'rotate']];
    commands.push(['invite', 'admin@localhost']);
    for (const command of [...commands, ['audit', 'seal'], ['inspect', 'projections']]) {
      const sentence = `assay: no data folder ${dir}; set ASSAY_DATA_DIR to the service’s`;
      expect(await said(dir, ...command)).to.equal(sentence);
    }
    expect(existsSync(dir)).to.equal(false);
  });

  it('name a folder that is a file or cannot be created', async () => {
    const file = join(folder.dir, 'file');
    await writeFile(file, '');
    expect(await said(file, 'serve')).to.equal(
      `assay: ${file} is a file: set ASSAY_DATA_DIR to a folder (EEXIST)`,
    );
    expect(await said(join(file, 'below'), 'serve')).to.match(/is a file: set ASSAY_DATA_DIR/);
    expect(await said('/proc/nobody/below', 'serve')).to.match(/cannot be made there: set ASSAY/);
  });

  it('name one port for both listeners, and a malformed e-mail', () => {
    const read = (environment: Readonly<Record<string, string>>) => () => readConfig(environment);
    const both = { ASSAY_PORT: '9000', ASSAY_OPS_PORT: '9000' };
    expect(read(both)).to.throw('ASSAY_OPS_PORT must not be ASSAY_PORT, which is 9000 too');
    expect(read({ ...both, ASSAY_HOST: '0.0.0.0' })).to.throw('must not be ASSAY_PORT');
    expect(read({ ...both, ASSAY_HOST: '10.0.0.1' })).not.to.throw();
    expect(read({ ASSAY_PORT: '0', ASSAY_OPS_PORT: '0' })).not.to.throw();
    expect(read({ ASSAY_BOOTSTRAP_EMAIL: 'nobody' })).to.throw(
      "ASSAY_BOOTSTRAP_EMAIL must be an e-mail: a name, @ and a host, not 'nobody'",
    );
  });
});
