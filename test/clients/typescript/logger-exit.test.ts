import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { bareEnvironment, program } from '../../support/test-environment.js';
import { scriptedServer, type Scripted } from '../../support/scripted-server.js';

const child = join(dirname(program), 'test/support/logging-child.js');
const taken: Scripted = { status: 200, body: {} };

/** A program that logs and ends so; what the service received, and what the program said. */
const ending = async (how: string, script: readonly Scripted[], exitMs = 2_000) => {
  const server = await scriptedServer(script);
  const memory = '--max-old-space-size=64';
  const running = spawn(process.execPath, [memory, child, how, server.url, String(exitMs)], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const begun = performance.now();
  let said = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('ready')) running.kill('SIGTERM');
  });
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null];
  const tookMs = performance.now() - begun;
  const traces = server.received.flatMap(
    ({ body }) => (JSON.parse(body) as { traces: readonly { readonly name: string }[] }).traces,
  );
  await server.close();
  return { code, signal, said, tookMs, received: server.received, traces };
};
const names = Array.from({ length: 10 }, (_, index) => `t${index}`);

describe('a program that logs with the TypeScript client', () => {
  it('sends what it logged when it has nothing more to do', async () => {
    const { code, traces, said } = await ending('idle', [taken]);
    expect([code, said]).to.deep.equal([0, '']);
    expect(traces.map(({ name }) => name)).to.deep.equal(names);
  });

  it('sends at process.exit and after an error, and ends as it would', async () => {
    const exited = await ending('exit', [taken]);
    expect([exited.code, exited.said]).to.deep.equal([3, '']);
    expect(exited.traces.map(({ name }) => name)).to.deep.equal(names);
    const failed = await ending('throws', [taken]);
    expect(failed.code).to.equal(1);
    expect(failed.traces.map(({ name }) => name)).to.deep.equal(names);
  });

  it('sends on SIGTERM, and ends by that signal', async () => {
    const { signal, traces } = await ending('signal', [taken]);
    expect(signal).to.equal('SIGTERM');
    expect(traces.map(({ name }) => name)).to.deep.equal(names);
  });

  it('sends a running trace as incomplete', async () => {
    const { traces, received } = await ending('open', [taken]);
    expect(traces.map(({ name }) => name)).to.deep.equal([...names, 'open']);
    const last = JSON.parse(received.at(-1)?.body ?? '') as { readonly is_complete: boolean };
    expect(last.is_complete).to.equal(false);
  });

  it('ends in time and reports what is lost when the service does not answer', async () => {
    for (const how of ['idle', 'exit', 'throws', 'signal']) {
      for (const answer of [null, 'never'] as const) {
        const { said, tookMs, signal, code } = await ending(how, [answer], 500);
        expect(said, `${how} ${answer}`).to.match(/lost 20, left\n$/);
        expect(tookMs, `${how} ${answer}`).to.be.lessThan(20_000);
        const ends = { idle: 0, exit: 3, throws: 1, signal: 'SIGTERM' }[how];
        expect(signal ?? code).to.equal(ends);
      }
    }
  });

  it('stays within its memory however much it logs while the service is away', async () => {
    const { code, said } = await ending('flood', [null], 200);
    expect(said).to.contain('flooded\n');
    expect(said).to.match(/^lost \d+, full\n/);
    expect(code).to.equal(0);
  });
});
