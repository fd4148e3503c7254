import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { bareEnvironment, program } from '../support/test-environment.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { asLines, untilFolded, runTransfer } from '../support/transfer-commands.js';

describe('a command whose output pipe closes', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  before(async () => {
    folder = await temporaryFolder();
    service = await startService({ dir: folder.dir });
    const sent = await runTransfer(
      service,
      ['import', '-', '--format', 'assay', '--project', 'air'],
      asLines([{ input: 'a flight' }]),
    );
    expect(sent.code, sent.stderr).to.equal(0);
    await untilFolded(service);
  });
  after(async () => {
    await service.stop();
    await folder.remove();
  });
  const unread = async (...args: readonly string[]) => {
    const { url, apiKey } = service;
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...bareEnvironment(),
        ASSAY_DATA_DIR: folder.dir,
        ASSAY_URL: url,
        ASSAY_API_KEY: apiKey,
      },
    });
    child.stdout.destroy();
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  };

  for (const command of [
    'inspect events --json',
    'inspect streams',
    'rebuild records --dry-run --json',
    'audit verify --json',
    'doctor --json',
    'parked list',
    'openapi',
  ]) {
    it(`ends without an error message: ${command}`, async () => {
      const { code, said } = await unread(...command.split(' '));
      expect([code, said]).to.deep.equal([141, '']);
    });
  }

  it('reports that an export is incomplete', async () => {
    const { code, said } = await unread('export', 'traces', '--project', 'air');
    const why = 'assay: the reader closed the output: it is incomplete\n';
    expect([code, said]).to.deep.equal([1, why]);
  });
});
