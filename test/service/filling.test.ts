import { expect } from 'chai';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { pollUntil } from '../support/poll-until.js';

/** A few seconds of folding, and a second of writing. */
const requests = 6;
const tracesOfRequest = 1_000;
const all = requests * tracesOfRequest;

type Ready = {
  readonly status: string;
  readonly read_models: {
    readonly cause: string | null;
    readonly filling: readonly { readonly name: string; readonly ratio: number }[];
  };
};
type Problem = {
  readonly code: string;
  readonly detail: string;
  readonly progress: { readonly read_model: string; readonly ratio: number };
};

describe('a service whose read models were lost', function () {
  this.timeout(180_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let root = '';
  const traces = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ input: `q${n}`, spans: [{ type: 'tool' }] }));
  before(async () => {
    folder = await temporaryFolder();
    const service = await startService({ dir: folder.dir });
    const made = await service.client.call<{ id: string }>('POST', '/v2/projects', {
      body: { name: 'restored' },
    });
    root = `/v2/projects/${made.body.id}`;
    for (let request = 0; request < requests; request += 1) {
      await service.client.call('POST', `${root}/traces`, {
        body: { traces: traces(tracesOfRequest) },
      });
    }
    await service.stop();
    for (const name of await readdir(folder.dir)) {
      if (/^(documents\.|records)/.test(name)) await rm(join(folder.dir, name));
    }
  });
  after(() => folder.remove());

  const ready = async (service: ServiceProcess) => {
    const answer = await fetch(`${service.opsUrl}/readyz`);
    return { code: answer.status, body: (await answer.json()) as Ready };
  };
  const count = ({ client }: ServiceProcess) =>
    client.send<{ total_count: number } & Problem>('POST', `${root}/traces/count`, { body: {} });

  it('is not ready and refuses reads until they are filled, but accepts writes', async () => {
    const service = await startService({ dir: folder.dir });
    const first = await ready(service);
    expect(first.code).to.equal(503);
    expect(first.body.read_models.filling.map(({ name }) => name)).to.include('records');
    expect(first.body.read_models.cause).to.match(/is being filled from the log: \d+ % done/);
    const written = await service.client.send('POST', `${root}/traces`, {
      body: { traces: traces(1) },
    });
    expect(written.status, JSON.stringify(written.body)).to.equal(200);
    let refused = 0;
    await pollUntil('the read models are whole', 60_000, async () => {
      const isReady = (await ready(service)).code === 200;
      const { status, body, headers } = await count(service);
      if (status === 503) {
        refused += 1;
        expect(isReady, 'ready, and refusing').to.equal(false);
        expect(body.code).to.equal('read_model_filling');
        expect(body.detail).to.include('The read model records is being filled from the log');
        expect(body.progress.read_model).to.equal('records');
        expect(Number(headers['retry-after'])).to.be.within(1, 30);
      } else {
        expect([status, body.total_count]).to.deep.equal([200, all + 1]);
      }
      expect((await fetch(`${service.opsUrl}/healthz`)).status).to.equal(200);
      return isReady;
    });
    expect(refused).to.be.greaterThan(0);
    await service.stop();
  });

  it('is ready at once on an ordinary restart', async () => {
    const service = await startService({ dir: folder.dir });
    const { code, body } = await ready(service);
    expect([code, body.read_models.filling]).to.deep.equal([200, []]);
    expect((await count(service)).body.total_count).to.equal(all + 1);
    await service.kill();
    const killed = await startService({ dir: folder.dir });
    expect((await ready(killed)).code).to.equal(200);
    await killed.stop();
  });
});
