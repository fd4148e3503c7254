import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { AssayFault } from '../../../clients/typescript/src/fault.js';
import { openQueue, type Loss } from '../../../clients/typescript/src/logger/queue.js';
import { openSender } from '../../../clients/typescript/src/logger/sender.js';
import { openWarnings } from '../../../clients/typescript/src/logger/warnings.js';
import { Assay, type AssayOptions } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { freePort } from '../../support/free-port.js';
import { bareEnvironment, program } from '../../support/test-environment.js';
import { refusal, scriptedServer } from '../../support/scripted-server.js';
import { pollUntil } from '../../support/poll-until.js';

const run = promisify(execFile);
const project = '11111111-1111-4111-8111-111111111111';

/** Warnings of a client that logs a trace with these options. */
const saidWith = async (options: AssayOptions) => {
  const lines: string[] = [];
  const logger = { intervalMs: 5, exitMs: 100, onWarning: (line: string) => lines.push(line) };
  const assay = new Assay({ ...options, logger: { ...logger, ...options.logger } });
  for (let i = 0; i < 3; i += 1) {
    assay.trace('t', () => i);
    const isWhole = await assay.flush();
    expect(isWhole, 'flushed').to.equal(assay.logged().lost === 0);
  }
  expect(await assay.flush(), 'nothing was lost since').to.equal(true);
  await assay.close();
  return lines;
};

describe('warnings of the TypeScript logger about lost records', () => {
  it('name the cause once, and what to do', async () => {
    const { url, apiKey } = await sharedApp();
    const cases: readonly (readonly [AssayOptions, RegExp])[] = [
      [{ url, apiKey, project: randomUUID() }, /: 1 record lost: Project not found; check ASSAY_P/],
      [{ url, apiKey: 'x'.repeat(40), project }, /1 record lost: .*; check ASSAY_API_KEY$/],
      [{ url, apiKey: '', project }, /1 record lost: .*; set ASSAY_API_KEY, or give/],
      [{ url, apiKey }, /name one by new Assay\({ project }\) or ASSAY_PROJECT$/],
    ];
    for (const [options, line] of cases) {
      const lines = await saidWith(options);
      expect(lines.length, lines.join('\n')).to.equal(1);
      expect(lines[0])
        .to.match(/^assay: /)
        .and.match(line);
    }
    const viewers = await scriptedServer([refusal(403, 'forbidden')]);
    const [line] = await saidWith({ url: viewers.url, project });
    expect(line).to.contain('1 record lost: This is forbidden.; logging takes a key with the role');
    await viewers.close();
  });

  it('go to the console by default', async () => {
    const client = join(dirname(program), 'clients/typescript/src/node.js');
    const text = `
      const { Assay } = await import(${JSON.stringify(client)});
      const assay = new Assay({ url: 'http://127.0.0.1:9' });
      assay.trace('t', () => 1);
      console.log(await assay.flush());`;
    const args = ['--input-type=module', '-e', text];
    const { stdout, stderr } = await run(process.execPath, args, { env: bareEnvironment() });
    expect(stdout).to.equal('false\n');
    expect(stderr).to.match(/^assay: 1 record lost: .*ASSAY_PROJECT\n$/);
  });

  it('accept addresses with and without /v2, and refuse others than http', async () => {
    const { url, apiKey } = await sharedApp();
    const { id } = await new Assay({ url, apiKey }).projects.create({ name: randomUUID() });
    expect(await saidWith({ url: `${url}/v2/`, apiKey, project: id })).to.deep.equal([]);
    for (const wrong of ['localhost:8080', 'ftp://localhost', '']) {
      const make = () => new Assay({ url: wrong });
      expect(make).to.throw(TypeError, `The address "${wrong}" does not begin with http://`);
    }
  });

  it('repeat at most once a minute, and are few a minute', () => {
    const lines: string[] = [];
    let now = 0;
    const warn = openWarnings(
      (line) => {
        lines.push(line);
        throw new Error('from the hook');
      },
      () => now,
    );
    for (now = 0; now < 150_000; now += 1_000) warn('away', `at ${now}`);
    expect(lines).to.deep.equal(['assay: at 0', 'assay: at 60000', 'assay: at 120000']);
    for (let i = 0; i < 1_000; i += 1) warn(`matter ${i}`, 'x');
    expect(lines.length).to.be.within(20, 23);
  });
});

describe('warnings of the TypeScript logger during an outage', () => {
  it('come once per outage, with the last error', async () => {
    const told: (string | undefined)[] = [];
    let answer: AssayFault | null = new AssayFault('Too many failed credentials', {
      code: 'too_many_requests',
      status: 429,
    });
    let posts = 0;
    const queue = openQueue(1_000, () => undefined);
    const sender = openSender({
      queue,
      post: async () => {
        posts += 1;
        if (answer !== null) throw answer;
        return [];
      },
      newKey: randomUUID,
      intervalMs: 1,
      enoughBytes: 1,
      inBackground: () => undefined,
      troubleMs: 20,
      onTrouble: (fault) => told.push(fault?.message),
    });
    const log = (): void => {
      queue.reserve(10);
      const where = { method: 'POST', path: '/traces', head: '[', tail: ']', item: '1' } as const;
      queue.enqueue([{ ...where, records: 1, bytes: 10, isTrace: true, fate: { isLost: false } }]);
      sender.wake();
    };
    log();
    const refused = answer.message;
    await pollUntil('it was tried again after it was told', 5_000, async () => posts > 2);
    expect(told).to.deep.equal([refused]);
    expect(sender.lastFault()?.message).to.equal(refused);
    answer = null;
    expect(await sender.flush(5_000)).to.equal(true);
    expect([told.length, sender.lastFault()]).to.deep.equal([1, null]);
    sender.stop();
  });

  it('name the address and the cause, also when the program ends', async () => {
    const lines: string[] = [];
    const url = `http://localhost:${await freePort()}`;
    const onWarning = (line: string) => lines.push(line);
    const assay = new Assay({ url, project, logger: { exitMs: 100, onWarning } });
    assay.trace('t', () => 1);
    expect(await assay.flush(100)).to.equal(false);
    const away = 'The service cannot be reached: connection refused';
    await pollUntil('it says so', 10_000, async () => lines.length > 0);
    expect(await assay.close()).to.equal(false);
    expect(lines).to.deep.equal([
      `assay: ${url}: ${away}; still trying`,
      `assay: 1 record lost: the client was closed before ${url} took them: ${away}`,
    ]);
  });

  it('name the one record that the service rejects, and why', async () => {
    const losses: Loss[] = [];
    const queue = openQueue(1_000, (loss) => losses.push(loss));
    const sender = openSender({
      queue,
      post: async () => [{ index: 1, id: null, loc: [], msg: 'Input should be a valid string' }],
      newKey: randomUUID,
      intervalMs: 1,
      enoughBytes: 1,
      inBackground: () => undefined,
      troubleMs: 1_000,
      onTrouble: () => undefined,
    });
    const where = { method: 'POST', path: '/traces', head: '[', tail: ']', item: '1' } as const;
    const parcels = [0, 1, 2].map(() => ({
      ...where,
      records: 1,
      bytes: 10,
      isTrace: true,
      fate: { isLost: false },
    }));
    for (const { bytes } of parcels) queue.reserve(bytes);
    queue.enqueue(parcels);
    expect(await sender.flush(5_000)).to.equal(true);
    expect(queue.logged()).to.include({ sent: 2, lost: 1, waiting: 0 });
    expect(losses.map(({ error }) => error?.message)).to.deep.equal([
      'Input should be a valid string',
    ]);
    expect(parcels.map(({ fate }) => fate.isLost)).to.deep.equal([false, true, false]);
    sender.stop();
  });
});
