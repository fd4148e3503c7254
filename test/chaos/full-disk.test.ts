import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, type Reply } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { describeWithTool, ownMounts } from '../support/required-tools.js';
import { pollUntil } from '../support/poll-until.js';
import { newRun } from './kill-loop.js';
import type { Target } from './load.js';

const mebibyte = 2 ** 20;
const diskMebibytes = 48;

describeWithTool(ownMounts, 'a service whose disk is full', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let target: Target;
  let filler = '';
  let refused: Reply<unknown>;
  const acknowledged: string[] = [];
  const others: number[] = [];

  const write = async (): Promise<Reply<unknown>> => {
    const traces = [{ id: crypto.randomUUID(), input: 'x'.repeat(100_000) }];
    const body = { log_stream_id: target.run, traces };
    const reply = await service.client.send('POST', `${target.root}/traces`, { body });
    if (reply.status === 200) acknowledged.push(...traces.map(({ id }) => id));
    else others.push(reply.status);
    return reply;
  };
  const ready = async (): Promise<number> => {
    const ops = clientOf({ url: service.opsUrl, apiKey: null });
    const { status } = await ops.send('GET', '/readyz');
    ops.close();
    return status;
  };

  before(async () => {
    folder = await temporaryFolder();
    // A disk of its own that only the service sees, gone with it; no root needed.
    const mount = `mount -t tmpfs -o size=${diskMebibytes}m tmpfs "$ASSAY_DATA_DIR"`;
    const prefix = ['unshare', '-Urm', 'sh', '-c', `${mount} && exec "$@"`, 'sh'];
    service = await startService({ dir: folder.dir, prefix });
    target = await newRun(service.client, 'full');
    await write();
    filler = join(`/proc/${service.pid}/root`, folder.dir, 'filler');
    for (let full = false; !full;)
      try {
        appendFileSync(filler, Buffer.alloc(mebibyte / 16));
      } catch {
        full = true;
      }
    await pollUntil('a write is refused', 20_000, async () => {
      refused = await write();
      return refused.status !== 200;
    });
  });
  after(async () => {
    await service.kill();
    await folder.remove();
  });

  it('neither records nor applies a decision of an operator', async () => {
    const ruling = { name: 'records', reason: 'INC-7', operator: 'ada' };
    const ops = clientOf({ url: service.opsUrl, apiKey: null });
    const { status } = await ops.send('POST', '/operate/resume', { body: ruling });
    ops.close();
    expect(status).to.equal(503);
  });

  it('refuses writes with 503 and Retry-After', () => {
    expect(refused.status, JSON.stringify(refused.body)).to.equal(503);
    expect(refused.headers['retry-after']).to.match(/^\d+$/);
    expect(refused.body).to.have.property('detail').that.is.a('string');
  });

  it('is not ready but alive', async () => {
    await pollUntil('/readyz is red', 2_000, async () => (await ready()) === 503);
    expect((await service.client.send('GET', '/v2/healthcheck')).status).to.equal(200);
  });

  it('still answers reads', async () => {
    const { root, run } = target;
    const body = { log_stream_id: run };
    const searched = await service.client.send('POST', `${root}/traces/search`, { body });
    expect(searched.status, JSON.stringify(searched.body)).to.equal(200);
    expect((await service.client.send('GET', root)).status).to.equal(200);
  });

  it('accepts writes within 5 s of space, without a restart, and lost nothing', async () => {
    rmSync(filler);
    await pollUntil('a write is accepted', 5_000, async () => (await write()).status === 200);
    await pollUntil('/readyz is green', 5_000, async () => (await ready()) === 200);
    expect(new Set(others)).to.deep.equal(new Set([503]));
    const body = { log_stream_id: target.run, limit: 1_000 };
    const searched = await service.client.call<{ records: readonly { id: string }[] }>(
      'POST',
      `${target.root}/traces/search`,
      { body },
    );
    expect(searched.body.records.map(({ id }) => id)).to.include.members(acknowledged);
  });

  it('shuts down in order', async () => {
    expect(await service.stop()).to.deep.equal({ code: 0, signal: null });
  });
});
