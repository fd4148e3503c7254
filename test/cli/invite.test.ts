import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { inviteCommand } from '../../service/invite-command.js';
import { opsCaller } from '../../cli/ops-client.js';
import { clientOf } from '../support/client.js';
import { filesContaining } from '../support/files-containing.js';
import { temporaryFolder } from '../support/folder.js';
import { bearer, type Token } from '../support/logins.js';
import { runAssay, startService, type ServiceProcess } from '../support/service-process.js';
import { programName } from '../support/test-environment.js';

const link = /http:\/\/127\.0\.0\.1:\d+\/console\/invitation#token=(inv_[0-9A-Za-z_-]{64})/;
const password = 'correct horse battery';
const email = 'admin@localhost';

describe('a link for an admin without a password', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  const start = async (): Promise<void> => {
    service = await startService({ dir: folder.dir, env: { ASSAY_CONSOLE: 'on' } });
  };
  const tokenIn = (output: string): string => link.exec(output)?.[1] ?? '';
  const accept = async (token: string) =>
    clientOf({ url: service.url, apiKey: null }).send<Token>('POST', '/v2/invitations/accept', {
      body: { token, password },
    });

  beforeEach(async () => {
    folder = await temporaryFolder();
    await start();
  });
  afterEach(async () => {
    await service.kill();
    await folder.remove();
  });

  it('is printed by the first start, works once, and stands nowhere else', async () => {
    const output = service.output();
    const token = tokenIn(output);
    expect(output).to.include(`${service.url}/console/invitation#token=${token}`);
    const logLines = output.split('\n').filter((line) => line.startsWith('{'));
    expect(logLines.join('\n')).not.to.include(token.slice(4, 40));
    expect(await filesContaining(folder.dir, token)).to.deep.equal([]);
    const { status, body } = await accept(token);
    expect(status).to.equal(200);
    const headers = bearer(body.access_token);
    const me = await clientOf({ url: service.url, apiKey: null }).call<{ email: string }>(
      'GET',
      '/v2/current_user',
      { headers },
    );
    expect(me.body).to.include({ email, role: 'admin' });
    expect((await accept(token)).status).to.equal(401);
  });

  it('is printed once; a later start names the command that makes another', async () => {
    const token = tokenIn(service.output());
    await service.stop();
    await start();
    expect(service.output()).not.to.match(link);
    expect(service.output()).to.include(
      `ASSAY_DATA_DIR=${folder.dir} ${programName} invite ${email}`,
    );
    expect((await accept(token)).status).to.equal(200);
    await service.stop();
    await start();
    expect(service.output()).not.to.include(' invite ');
  });

  it('is made again by `assay invite`, beside a running service and without one', async () => {
    const first = tokenIn(service.output());
    const beside = await runAssay(folder.dir, 'invite', email);
    expect([beside.code, beside.output]).to.satisfy(
      ([code, output]: [number, string]) => code === 0 && output.startsWith(`${service.url}/`),
      beside.output,
    );
    expect((await accept(first)).status).to.equal(401);
    await service.stop();
    const { code, output } = await runAssay(folder.dir, 'invite', email, '--json');
    expect(code, output).to.equal(0);
    const alone = JSON.parse(output) as { link: string; email: string };
    expect(alone.email).to.equal(email);
    await start();
    expect((await accept(tokenIn(beside.output))).status).to.equal(401);
    expect((await accept(tokenIn(alone.link))).status).to.equal(200);
    const forgotten = await runAssay(folder.dir, 'invite', email);
    expect((await accept(tokenIn(forgotten.output))).status).to.equal(200);
  });

  it('is made for users only', async () => {
    const { code, output } = await runAssay(folder.dir, 'invite', 'grace@example.org');
    expect([code, output]).to.deep.equal([
      1,
      'assay: No user has the e-mail grace@example.org. ' +
        'New users are invited with POST /v2/invite_users.\n',
    ]);
  });

  it('is refused to accounts of this machine that cannot read the data folder', async () => {
    const ask = (folder_token?: string) =>
      opsCaller(service.opsUrl, { opsToken: null })(inviteCommand, { email, folder_token }).catch(
        (error: unknown) => String(error),
      );
    for (const sent of [undefined, '', 'a'.repeat(32)]) {
      expect(await ask(sent)).to.match(/access to the data folder of the service/);
    }
    const file = JSON.parse(await readFile(join(folder.dir, 'service.json'), 'utf8')) as {
      token: string;
    };
    expect(await ask(file.token)).to.include({ email });
  });
});
