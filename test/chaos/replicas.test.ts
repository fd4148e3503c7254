import { expect } from 'chai';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folder.js';
import { freePort } from '../support/free-port.js';
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

type Name = 'one' | 'two';
type Statuses = readonly { readonly name: string; readonly rebuilding: string | null }[];
/** Each of both once; with ASSAY_TEST_RUNS=10 ten times. */
const kills = runs(2);
const spans = ['a', 'b', 'c'].map((name) => ({ type: 'tool', name }));

describeDistributed('records that each process folds for itself', describe, function () {
  this.timeout(240_000);
  const running = new Map<Name, ServiceProcess>();
  const ports = new Map<Name, readonly [string, string]>();
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let engines: EngineProcesses;
  let root = '';
  let run = '';
  let written = 0;

  /** `one` does everything, `two` only answers; each has its copy. */
  const spawn = async (name: Name, dir: string = name) => {
    const [port, opsPort] = ports.get(name) ?? [String(await freePort()), String(await freePort())];
    ports.set(name, [port, opsPort]);
    await mkdir(join(folder.dir, dir), { recursive: true });
    return spawnService({
      dir: join(folder.dir, dir),
      args: name === 'one' ? ['serve'] : ['serve', '--roles', 'query'],
      env: {
        ASSAY_RECORDS: 'replica',
        ASSAY_EVENTSTORE_URL: engines.eventstore.url,
        ASSAY_MONGODB_URL: engines.mongo.url,
        ASSAY_NATS_URL: engines.nats.url,
        ASSAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        ASSAY_PORT: port,
        ASSAY_OPS_PORT: opsPort,
      },
    });
  };
  const start = async (name: Name): Promise<void> => {
    running.set(name, await (await spawn(name)).ready);
  };
  const of = (name: Name): ServiceProcess => {
    const found = running.get(name);
    if (found === undefined) throw new RangeError(`${name} does not run`);
    return found;
  };
  before(async () => {
    folder = await temporaryFolder();
    engines = await startEngineProcesses(folder.dir);
    await start('one');
    await start('two');
    const made = await retryUntilAccepted<{ id: string }>(() =>
      of('one').client.send('POST', '/v2/projects', { body: { name: 'copied' } }),
    );
    root = `/v2/projects/${made.body.id}`;
    const stream = await of('one').client.call<{ id: string }>('POST', `${root}/log_streams`, {
      body: { name: 'main' },
    });
    run = stream.body.id;
  });
  after(async () => {
    await Promise.all([...running.values()].map((one) => one.kill()));
    await engines?.stop();
    await folder.remove();
  });

  const write = async (count: number): Promise<string> => {
    const ids = Array.from({ length: count }, (_, n) => uuid(written + n));
    const traces = ids.map((id) => ({ id, name: id, input: 'to Oslo', spans }));
    const reply = await retryUntilAccepted(() =>
      of('one').client.send('POST', `${root}/traces`, { body: { log_stream_id: run, traces } }),
    );
    written += count;
    return reply.position ?? '';
  };
  /** Counts of all records by the process `name`; `min`: a position to read at. */
  const counted = async (name: Name, min: string | null) => {
    const headers = min === null ? {} : { 'X-Min-Position': min };
    const ask = (path: string, body: object) =>
      of(name).client.send<never>('POST', `${root}/${path}`, { body, headers });
    const search = await ask('traces/search', { log_stream_id: run, limit: 1_000 });
    const count = await ask('spans/count', { log_stream_id: run });
    return { status: [search.status, count.status], search: search.body, count: count.body };
  };
  /** Never from a part of the log: 503 until it has all. */
  const answersAll = async (name: Name, min: string): Promise<object> => {
    let found: object | null = null;
    await pollUntil(`${name} answers`, 60_000, async () => {
      const { status, search, count } = await counted(name, min).catch(() => nothing);
      expect(status.filter((one) => one !== 503 && one !== 200)).to.deep.equal([]);
      if (status.includes(503)) return false;
      expect((search as { records: unknown[] }).records, name).to.have.length(written);
      expect(count, name).to.deep.include({ total_count: written * spans.length });
      found = search;
      return true;
    });
    return found ?? {};
  };
  const nothing = { status: [503], search: {}, count: {} };
  const readyz = async (name: Name) => {
    const answer = await fetch(`${of(name).opsUrl}/readyz`);
    const { projections } = (await answer.json()) as { projections: Statuses };
    return { status: answer.status, projections };
  };

  it('answer a read at the position of a write with that write, in each process', async () => {
    for (let at = 0; at < 5; at += 1) {
      const min = await write(3);
      const [one, two] = await Promise.all([answersAll('one', min), answersAll('two', min)]);
      expect(one).to.deep.equal(two);
    }
  });

  it('are complete after each kill -9 during writes: no record lost or doubled', async () => {
    for (let kill = 0; kill < kills; kill += 1) {
      const name = kill % 2 === 0 ? 'two' : 'one';
      const writing = write(20);
      await of(name).kill();
      await start(name);
      const min = await writing;
      await answersAll(name, min);
      expect(await write(1)).not.to.equal('');
    }
    const min = await write(1);
    expect(await answersAll('one', min)).to.deep.equal(await answersAll('two', min));
  });

  it('are rebuilt from the log once lost, and queried when they are complete', async () => {
    const min = await write(200);
    await of('two').kill();
    await rm(join(folder.dir, 'two'), { recursive: true });
    await start('two');
    // Without a position too: who was answered by a whole one is not answered from less.
    await answersAll('two', min);
    const { search, status } = await counted('two', null);
    expect(status).to.deep.equal([200, 200]);
    expect((search as { records: unknown[] }).records).to.have.length(written);
    await pollUntil('two is ready', 20_000, async () => (await readyz('two')).status === 200);
    const { projections } = await readyz('two');
    expect(projections.map(({ name }) => name)).to.deep.equal(['records']);
  });

  it('are verified, rebuilt and reported by their process', async () => {
    const json = async (name: Name, ...args: readonly string[]) => {
      const { code, output } = await runAssay('', ...args, '--json', '--ops', of(name).opsUrl);
      expect(code, output).to.equal(0);
      return JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
        readonly read_models?: readonly { readonly name: string }[];
      };
    };
    expect(await json('two', 'verify')).to.have.property('equal', true);
    expect(await json('one', 'verify')).to.have.property('equal', true);
    await json('two', 'rebuild', 'records');
    await answersAll('two', await write(1));
    const other = await runAssay('', 'rebuild', 'project_list', '--ops', of('two').opsUrl);
    expect([other.code, other.output]).to.deep.equal([
      1,
      'assay: this process does not fold; send the command to one with the role projections\n',
    ]);
  });

  it('belong to one process of a folder', async () => {
    const [port, opsPort] = ports.get('two') ?? ['', ''];
    ports.delete('two');
    const second = await spawn('two');
    ports.set('two', [port, opsPort]);
    const said = await second.ready.then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(said).to.contain('another process');
  });
});
