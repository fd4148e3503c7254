import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Assay, type LoggerOptions } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { bareEnvironment, program } from '../../support/test-environment.js';
import { refusal, scriptedServer } from '../../support/scripted-server.js';
import { pollUntil } from '../../support/poll-until.js';

const run = promisify(execFile);

/** A client of the real service for a project of this name; what it says, and what it asks. */
const clientOf = async (project: string, options: LoggerOptions = {}) => {
  const { url, apiKey } = await sharedApp();
  const [lines, asked]: [string[], string[]] = [[], []];
  const noting: typeof fetch = (to, init) => {
    asked.push(`${init?.method} ${new URL(new Request(to).url).pathname}`);
    return fetch(to, init);
  };
  const onWarning = (line: string) => lines.push(line);
  const logger = { intervalMs: 5, onWarning, ...options };
  return { assay: new Assay({ url, apiKey, project, fetch: noting, logger }), lines, asked };
};

describe('the TypeScript client of a project that is given by its name', () => {
  it('creates it when it logs, says so, and looks it up once', async () => {
    const name = `travel ${randomUUID()}`;
    const { assay, lines, asked } = await clientOf(` ${name} `);
    for (const trace of ['a', 'b']) {
      assay.trace(trace, () => assay.span('s', () => 1));
      expect(await assay.flush()).to.equal(true);
    }
    const found = await assay.traces.search();
    expect(found.records.map((one) => one.name).sort()).to.deep.equal(['a', 'b']);
    expect(lines).to.deep.equal([`assay: made project ${name}`]);
    expect(asked.slice(0, 2)).to.deep.equal(['GET /v2/projects', 'POST /v2/projects']);
    expect(asked.filter((one) => one.endsWith('/projects')).length).to.equal(2);
    const again = await clientOf(name);
    expect(await again.assay.traces.count()).to.include({ total_count: 2 });
    again.assay.trace('c', () => 1);
    expect(await again.assay.traces.count()).to.include({ total_count: 3 });
    expect(again.lines).to.deep.equal([]);
    expect(again.asked.filter((one) => one.endsWith('/projects')).length).to.equal(1);
    await Promise.all([assay.close(), again.assay.close()]);
  });

  it('creates no project for a read, which fails with not_found', async () => {
    const name = `nowhere ${randomUUID()}`;
    const { assay } = await clientOf(name);
    const fault: unknown = await assay.traces.count().catch((error: unknown) => error);
    expect(fault).to.include({ name: 'AssayFault', code: 'not_found' });
    expect(String(fault)).to.contain(`no project of the name "${name}"`);
    expect(await assay.projects.list({ project_name: name })).to.deep.equal([]);
  });

  it('finds it in a read that began before the logger created it', async () => {
    const { url, apiKey } = await sharedApp();
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
    let asked = 0;
    const first: typeof fetch = async (...what) => {
      const answer = await fetch(...what);
      asked += 1;
      if (asked === 1) await held;
      return answer;
    };
    const logger = { intervalMs: 5, onWarning: () => undefined };
    const project = `late ${randomUUID()}`;
    const assay = new Assay({ url, apiKey, project, fetch: first, logger });
    const read = assay.traces.count();
    await pollUntil('the read was answered', 10_000, async () => asked === 1);
    assay.trace('t', () => 1);
    expect(await assay.flush()).to.equal(true);
    goOn();
    expect(await read).to.include({ total_count: 1 });
    await assay.close();
  });

  it('logs into a log stream by name, created when needed, also concurrently', async () => {
    const name = `streams ${randomUUID()}`;
    const several = await Promise.all(
      [1, 2, 3].map(() => clientOf(name, { logStream: 'nightly' })),
    );
    for (const { assay } of several) assay.trace('t', () => 1);
    for (const { assay } of several) expect(await assay.flush()).to.equal(true);
    const [{ assay, lines } = expect.fail('none')] = several;
    const streams = await assay.logStreams.list();
    const nightly = streams.find((one) => one.name === 'nightly');
    expect(await assay.traces.count({ log_stream_id: nightly?.id ?? '' })).to.include({
      total_count: 3,
    });
    const said = [lines, ...several.slice(1).map((one) => one.lines)].flat().sort();
    expect(said).to.deep.equal(['assay: made log stream nightly', `assay: made project ${name}`]);
    await Promise.all(several.map((one) => one.assay.close()));
  });

  it('creates it at process.exit if nothing was sent before', async () => {
    const { url, apiKey } = await sharedApp();
    const name = `left ${randomUUID()}`;
    const client = join(dirname(program), 'clients/typescript/src/node.js');
    const text = `
      const { Assay } = await import(${JSON.stringify(client)});
      const assay = new Assay({ logger: { logStream: 'nightly' } });
      assay.trace('last', () => 1);
      process.exit();`;
    const said = { ASSAY_URL: url, ASSAY_API_KEY: apiKey, ASSAY_PROJECT: name };
    const args = ['--input-type=module', '-e', text];
    await run(process.execPath, args, { env: { ...bareEnvironment(), ...said } });
    const { assay } = await clientOf(name);
    const { records } = await assay.traces.search();
    expect(records.map((one) => one.name)).to.deep.equal(['last']);
    expect((await assay.logStreams.list()).map((one) => one.name)).to.include('nightly');
  });

  it('queues records while the lookup fails, and loses them if it is forbidden', async () => {
    const projects = { status: 200, body: [] };
    const script = [refusal(503, 'unavailable'), null, projects, refusal(403, 'forbidden')];
    const server = await scriptedServer(script);
    const lines: string[] = [];
    const onWarning = (line: string) => lines.push(line);
    const assay = new Assay({ url: server.url, project: 'travel', logger: { onWarning } });
    for (let i = 0; i < 5; i += 1) assay.trace('t', () => i);
    expect(await assay.flush()).to.equal(false);
    expect(assay.logged()).to.include({ sent: 0, lost: 5, waiting: 0 });
    expect(server.received.length).to.equal(4);
    expect(lines.length).to.equal(1);
    expect(lines[0]).to.match(/^assay: 5 records lost: No project "travel": This is forbidden/);
    await assay.close();
    await server.close();
  });
});
