import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import { freePort } from '../support/free-port.js';
import { bareEnvironment, drawSeed, repository } from '../support/test-environment.js';
import { runs } from '../support/runs.js';
import {
  startService,
  type ServiceProcess,
  type ServiceStartOptions,
} from '../support/service-process.js';

type Ran = { readonly code: number | null; readonly output: string };
const client = join(repository, 'clients/python');

/** A Python of the system with the client in its path, and the service in its environment. */
const python = (service: ServiceProcess, ...args: readonly string[]): ChildProcess =>
  spawn('python3', ['-B', ...args], {
    cwd: client,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...bareEnvironment(), ASSAY_URL: service.url, ASSAY_API_KEY: service.apiKey },
  });
const ended = async (child: ChildProcess): Promise<Ran> => {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
};

describe('the Python client', function () {
  this.timeout(600_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let start: ServiceStartOptions;
  before(async () => {
    folder = await temporaryFolder();
    start = { dir: folder.dir, env: { ASSAY_PORT: String(await freePort()) } };
    service = await startService(start);
  });
  after(async () => {
    await service.stop();
    await folder.remove();
  });

  it('is up to date with the description of the interface', async () => {
    const { code, output } = await ended(python(service, 'generate.py', '--check'));
    expect(code, output).to.equal(0);
  });

  it('passes its own tests', async () => {
    const { code, output } = await ended(python(service, '-m', 'unittest', 'discover', '-t', '.'));
    expect(code, output).to.equal(0);
    expect(output).to.match(/Ran (?:[6-9]\d|\d{3,}) tests/);
    expect(output).to.match(/^OK$/m);
  });

  it('neither loses nor doubles records while the service is killed', async () => {
    const seed = drawSeed('when the service is killed');
    const spans = runs(200);
    const made = await service.client.call<{ readonly id: string }>('POST', '/v2/projects', {
      body: { name: 'killed' },
    });
    const project = made.body.id;
    const recording = python(service, '-m', 'tests.killed', project, String(spans));
    const over = ended(recording);
    const lines: string[] = [];
    let kills = 0;
    for await (const line of createInterface({ input: recording.stdout ?? process.stdin })) {
      lines.push(line);
      if (!/^\d+$/.test(line)) continue;
      // Two of twenty steps; each falls into what the step before left to be sent.
      if ((Number(line) + seed) % 9 === 2 && lines.length <= 18) {
        kills += 1;
        await service.kill();
        recording.stdin?.write('\n');
        service = await startService(start);
      } else recording.stdin?.write('\n');
    }
    const { code, output } = await over;
    expect(code, output).to.equal(0);
    expect(kills).to.be.at.least(2);
    const [whole, ...figures] = (lines.at(-1) ?? '').split(' ');
    const [sent, dropped, waiting, traces = 0, ...found] = figures.map(Number);
    expect([whole, sent, dropped, waiting], output).to.deep.equal(['True', traces * 5, 0, 0]);
    expect(traces).to.be.at.least(spans / 4);
    expect(found, output).to.deep.equal([traces, traces, traces * 4, traces * 4]);
  });
});
