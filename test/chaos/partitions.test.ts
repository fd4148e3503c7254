import { expect } from 'chai';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { partitionOf } from '../../kernel/records/partitions.js';
import { temporaryFolder } from '../support/folder.js';
import { retryUntilAccepted } from '../support/retry-until-accepted.js';
import { uuid } from '../support/recorded-project.js';
import { runAssay, spawnService, type ServiceProcess } from '../support/service-process.js';
import {
  describeDistributed,
  startEngineProcesses,
  type EngineProcesses,
} from '../support/distributed-service.js';
import { runs } from '../support/runs.js';
import { pollUntil } from '../support/poll-until.js';

/** Kills of the process that holds the lease. */
const kills = runs(1);
const spans = ['a', 'b', 'c'].map((name) => ({ type: 'tool', name }));

describeDistributed('records that several processes fold in parts', describe, function () {
  this.timeout(240_000);
  const running = new Map<string, ServiceProcess>();
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let engines: EngineProcesses;
  /** Number of records written by project; both parts of two have some. */
  const written = new Map<string, number>();
  let ids = 0;

  const start = async (name: string, count: number, partition?: string): Promise<void> => {
    await mkdir(join(folder.dir, name), { recursive: true });
    const folds = ['serve', '--roles', 'projections', '--partition', partition ?? ''];
    const { ready } = spawnService({
      dir: join(folder.dir, name),
      args: partition === undefined ? ['serve'] : folds,
      env: {
        ASSAY_RECORDS_PARTITIONS: String(count),
        ASSAY_EVENTSTORE_URL: engines.eventstore.url,
        ASSAY_MONGODB_URL: engines.mongo.url,
        ASSAY_NATS_URL: engines.nats.url,
        ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    });
    running.set(name, await ready);
  };
  const of = (name: string): ServiceProcess => {
    const found = running.get(name);
    if (found === undefined) throw new RangeError(`${name} does not run`);
    return found;
  };
  const kill = async (name: string): Promise<void> => {
    await of(name).kill();
    running.delete(name);
  };
  before(async () => {
    folder = await temporaryFolder();
    engines = await startEngineProcesses(folder.dir);
    await start('api', 2);
    await Promise.all([start('first', 2, '1/2'), start('second', 2, '2/2')]);
    await start('spare', 2, '1/2');
    const parts = (): number => new Set([...written.keys()].map((id) => partitionOf(id, 2))).size;
    while (parts() < 2 || written.size < 3) {
      const body = { name: `part ${written.size}` };
      const made = await retryUntilAccepted<{ id: string }>(() =>
        of('api').client.send('POST', '/v2/projects', { body }),
      );
      written.set(made.body.id, 0);
    }
  });
  after(async () => {
    await Promise.all([...running.values()].map((one) => one.kill()));
    await engines?.stop();
    await folder.remove();
  });

  /** Writes to each project; returns the position of the last write. */
  const write = async (count: number, name = 'api'): Promise<string> => {
    let last = '';
    for (const [project, before] of written) {
      ids += count;
      const traces = Array.from({ length: count }, (_, n) => ({
        id: uuid(ids - n),
        name: `trace ${n}`,
        input: 'to Oslo',
        spans,
      }));
      const path = `/v2/projects/${project}/traces`;
      const reply = await retryUntilAccepted(() =>
        of(name).client.send('POST', path, { body: { traces } }),
      );
      last = reply.position ?? '';
      written.set(project, before + count);
    }
    return last;
  };
  /** All of each project, as of a position: 503 until it is there, and never from less. */
  const hasAll = async (min: string, name = 'api', withinMs = 60_000): Promise<void> => {
    await pollUntil(`all records as ${name} has them`, withinMs, async () => {
      for (const [project, count] of written) {
        const path = `/v2/projects/${project}/spans/count`;
        const headers = { 'X-Min-Position': min };
        const { status, body } = await of(name).client.send<{ total_count: number }>('POST', path, {
          body: {},
          headers,
        });
        expect(status).to.be.oneOf([200, 503]);
        if (status === 503) return false;
        expect(body.total_count, project).to.equal(count * spans.length);
      }
      return true;
    });
  };

  it('answer a read at the position of a write with that write, whatever its part', async () => {
    for (let at = 0; at < 3; at += 1) await hasAll(await write(3));
  });

  it('go on within ten seconds of a kill -9, in the process that stood by', async () => {
    let [holder, spare] = ['first', 'spare'];
    for (let one = 0; one < kills; one += 1) {
      const writing = write(20);
      await kill(holder);
      const min = await writing;
      await hasAll(min, 'api', 10_000);
      await start(holder, 2, '1/2');
      [holder, spare] = [spare, holder];
    }
  });

  it('are what a replay of the log gives, in each part', async () => {
    for (const name of ['api', 'second']) {
      const { code, output } = await runAssay('', 'verify', '--json', '--ops', of(name).opsUrl);
      expect(code, output).to.equal(0);
      const { verified } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
        readonly verified: readonly { readonly name: string }[];
      };
      const names = verified.map((one) => one.name);
      if (name === 'api') expect(names).to.include('project_list').and.not.include('records');
      else expect(names).to.deep.equal(['records']);
    }
  });

  it('are filled from the log for another count, beside the old ones', async () => {
    const min = await write(20);
    await start('wider', 3);
    const { status, body } = await of('wider').client.send<{ code: string }>(
      'POST',
      `/v2/projects/${[...written.keys()][0]}/spans/count`,
      { body: {} },
    );
    // Nobody folds its parts yet: less than all is no answer.
    expect([status, body.code]).to.deep.equal([503, 'read_model_filling']);
    await Promise.all(['1/3', '2/3', '3/3'].map((part) => start(part, 3, part)));
    await hasAll(min, 'wider');
    const more = await write(5, 'wider');
    await Promise.all([hasAll(more, 'wider'), hasAll(more, 'api')]);
    for (const name of ['first', 'spare', 'second', 'api'].filter((one) => running.has(one)))
      await kill(name);
    await hasAll(await write(5, 'wider'), 'wider');
  });

  it('are whole again in one part before it answers, once it folds the lists', async () => {
    const min = await write(5, 'wider');
    await hasAll(min, 'wider');
    await start('narrow', 1);
    const [project = '', count = 0] = [...written][0] ?? [];
    const asked = () =>
      of('narrow').client.send<{ total_count?: number; code?: string }>(
        'POST',
        `/v2/projects/${project}/spans/count`,
        { body: {} },
      );
    // The lists are folded by who has the lease, and nobody folds these records.
    const { status, body } = await asked();
    expect([status, body.code]).to.deep.equal([503, 'read_model_filling']);
    await kill('wider');
    await pollUntil('the one part has all', 60_000, async () => {
      const told = await asked();
      if (told.status === 200) expect(told.body.total_count).to.equal(count * spans.length);
      return told.status === 200;
    });
    await hasAll(await write(5, 'narrow'), 'narrow');
  });
});
