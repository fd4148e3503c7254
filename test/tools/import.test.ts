import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { randomIds } from '../../engines/node/ids.js';
import { temporaryFolder } from '../support/folder.js';
import { bareEnvironment, program } from '../support/test-environment.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { asLines, untilFolded, runTransfer } from '../support/transfer-commands.js';

type Summary = {
  readonly traces: number;
  readonly sessions: number;
  readonly new_records: number;
  readonly refused: number;
  readonly refusals: readonly { readonly line: number; readonly problem: string }[];
  readonly project: string;
  readonly run: string | null;
  readonly position: string;
  readonly ignored_members: readonly string[];
};

const traceNumber = (at: number): object => ({
  id: randomIds.derive('Test', String(at)),
  name: `trace ${at}`,
  created_at: '2026-03-01T09:00:00Z',
  input: `question ${at}`,
  spans: [{ type: 'llm', input: 'hello', output: 'hi', metrics: { num_input_tokens: 1 } }],
});

/** More than may be unread at a time, so that some still have to be sent when some are seen. */
const count = 8_000;

/** Resolves when some of the traces are there: the project alone is there before any is sent. */
const amidImport = async ({ client }: ServiceProcess): Promise<void> => {
  for (let seen = 0; seen === 0;) {
    const { body } = await client.call<readonly { id: string }[]>('GET', '/v2/projects');
    if (body[0] === undefined) continue;
    const traces = `/v2/projects/${body[0].id}/traces/count`;
    const counted = await client.call<{ total_count: number }>('POST', traces, { body: {} });
    seen = counted.body.total_count;
    expect(seen).to.be.lessThan(count);
  }
};

describe('assay import', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  before(async () => {
    folder = await temporaryFolder();
    service = await startService({ dir: join(folder.dir, 'data') });
  });
  after(async () => {
    await service.stop();
    await folder.remove();
  });

  let files = 0;
  const fileOf = async (content: string | Buffer): Promise<string> => {
    const path = join(folder.dir, `file-${(files += 1)}`);
    await writeFile(path, content);
    return path;
  };
  const imported = async (path: string, ...args: readonly string[]): Promise<Summary> => {
    const ran = await runTransfer(service, ['import', path, '--json', ...args]);
    expect(ran.stdout, ran.stderr).to.not.equal('');
    const summary = JSON.parse(ran.stdout) as Summary;
    expect(ran.code).to.equal(summary.refused > 0 ? 1 : 0);
    return summary;
  };
  const countIn = async (project: string, kind = 'traces'): Promise<number> => {
    const path = `/v2/projects/${project}/${kind}/count`;
    await untilFolded(service);
    return (await service.client.call<{ total_count: number }>('POST', path, { body: {} })).body
      .total_count;
  };

  it('makes the project and the log stream, and changes nothing when it is repeated', async () => {
    const path = await fileOf(asLines([0, 1, 2].map(traceNumber)));
    const args = ['--project', 'repeated', '--log-stream', 'nightly'];
    const first = await imported(path, ...args);
    expect(first).to.include({ traces: 3, new_records: 6, refused: 0 });
    const again = await imported(path, ...args);
    expect(again).to.include({ traces: 3, new_records: 0, refused: 0, project: first.project });
    expect(again.run).to.equal(first.run);
    // By ids, from a packed file and without the answers that were kept: another request.
    const packed = await fileOf(gzipSync(asLines([2, 1, 0].map(traceNumber))));
    const by = ['--project', first.project, '--log-stream', first.run ?? ''];
    expect(await imported(packed, ...by)).to.include({ traces: 3, new_records: 0 });
    expect(await countIn(first.project)).to.equal(3);
    expect(await countIn(first.project, 'spans')).to.equal(3);
  });

  it('derives ids of records without one from their content', async () => {
    const { id: _, ...nameless } = traceNumber(1) as { id: string };
    const path = await fileOf(asLines([nameless, { ...nameless, input: 'another' }]));
    const { project } = await imported(path, '--project', 'nameless');
    const other = await fileOf(asLines([traceNumber(7), nameless]));
    expect(await imported(other, '--project', 'nameless')).to.include({ new_records: 2 });
    expect([await countIn(project), await countIn(project, 'spans')]).to.deep.equal([3, 3]);
  });

  it('reports the lines it cannot import, and why, and imports the rest', async () => {
    const good = Array.from({ length: 40 }, (_, at) => JSON.stringify(traceNumber(at)));
    const taken = { ...traceNumber(3), input: 'not what line 4 says' };
    const lines = [...good];
    lines.splice(10, 0, '{"input": "no end');
    lines.splice(20, 0, '', JSON.stringify({ input: 'x', metrics: { reward: [1] } }));
    lines.splice(
      30,
      0,
      JSON.stringify(taken),
      '[1, 2]',
      `${'['.repeat(9_999)}${']'.repeat(9_999)}`,
    );
    const path = await fileOf(lines.join('\r\n'));
    const summary = await imported(path, '--project', 'spoilt');
    expect(summary).to.include({ traces: 40, refused: 5 });
    const told = [...summary.refusals].sort((one, other) => one.line - other.line);
    expect(told.map(({ line }) => line)).to.deep.equal([11, 22, 31, 32, 33]);
    expect(told.map(({ problem }) => problem)).to.deep.equal([
      'it is not JSON',
      'metrics/reward: Value error, a metric value must be a number, a boolean, a string or null',
      `Already logged with other content: ${randomIds.derive('Test', '3')}`,
      'it is JSON, but not an object',
      'it is JSON, but not an object',
    ]);
    expect(await countIn(summary.project)).to.equal(40);
  });

  it('parses all and sends nothing in a dry run, without a service', async () => {
    const path = await fileOf(
      asLines([traceNumber(1), { input: 'x', spans: [{ type: 'nothing' }] }, traceNumber(2)]),
    );
    const nowhere = { url: 'http://127.0.0.1:1', apiKey: '' };
    const ran = await runTransfer(nowhere, ['import', path, '--dry-run', '--json']);
    const { refusals, ...summary } = JSON.parse(ran.stdout) as Summary;
    expect([ran.code, summary.traces, summary.new_records]).to.deep.equal([1, 2, 0]);
    expect(refusals.map(({ line }) => line)).to.deep.equal([2]);
    expect(refusals[0]?.problem).to.include('spans/0: Input tag');
    const sent = await runTransfer(nowhere, ['import', path, '--project', 'x']);
    expect(sent.code).to.equal(1);
    expect(sent.stderr).to.include('no service answers at http://127.0.0.1:1: say where');
  });

  it('imports sessions before their traces, and incomplete traces as such', async () => {
    const session = randomIds.next('SessionId');
    const lines = [
      { type: 'session', id: session, name: 'a call', external_id: 'call-1' },
      { ...traceNumber(1), session_id: session },
      { ...traceNumber(2), session_external_id: 'call-1', is_complete: false },
      { ...traceNumber(3), session_id: (traceNumber(3) as { id: string }).id, mispelt: 1 },
    ];
    const args = ['import', '-', '--json', '--project', 'sessions'];
    const ran = await runTransfer(service, args, asLines(lines));
    const summary = JSON.parse(ran.stdout) as Summary;
    expect(summary).to.include({ traces: 3, sessions: 1, refused: 0 });
    expect(summary.ignored_members).to.deep.equal(['traces/mispelt']);
    await untilFolded(service);
    const { body } = await service.client.call<{
      readonly records: readonly { readonly session_id: string; readonly is_complete: boolean }[];
    }>('POST', `/v2/projects/${summary.project}/traces/search`, {
      body: { sort: { column_id: 'name' } },
    });
    const shown = body.records.map((one) => [one.session_id, one.is_complete]);
    expect(shown).to.deep.equal([
      [session, true],
      [session, false],
      [randomIds.derive('Test', '3'), true],
    ]);
    expect(await countIn(summary.project, 'sessions')).to.equal(1);
  });

  it('splits a trace that exceeds one request', async () => {
    const chain = (levels: number): object => ({
      type: 'workflow',
      step_number: levels,
      ...(levels > 1 && { spans: [chain(levels - 1)] }),
    });
    const wide = {
      ...traceNumber(1),
      spans: Array.from({ length: 6_001 }, () => ({ type: 'tool' })),
    };
    const deep = { ...traceNumber(2), spans: [chain(200)] };
    const path = await fileOf(asLines([wide, deep]));
    const sent = await imported(path, '--project', 'large');
    const { project, refused, position } = sent;
    expect(refused).to.equal(0);
    expect(await countIn(project, 'spans')).to.equal(6_201);
    expect(await imported(path, '--project', 'large')).to.include({ refused: 0, new_records: 0 });
    const out = await runTransfer(service, [
      'export',
      'traces',
      '--project',
      'large',
      '--min-position',
      position,
    ]);
    const [line] = out.stdout.split('\n').filter((one) => one.includes('trace 2'));
    let levels = 0;
    type Tree = { readonly spans?: readonly Tree[] };
    for (let at = JSON.parse(line ?? '') as Tree | undefined; at !== undefined; at = at.spans?.[0])
      levels += 1;
    expect(levels).to.equal(201);
  });

  it('detects formats by the first value, and sessions by name', async () => {
    const hex = 'ab'.repeat(16);
    const langfuseTrace = {
      id: 'their-own-id',
      timestamp: '2026-03-01T09:00:00Z',
      sessionId: 'call-1',
      observations: [
        { id: 'o1', type: 'GENERATION', startTime: '2026-03-01T09:00:00Z', input: 'hi', output: 1 },
        { id: 'o2', type: 'TOOL', startTime: '2026-03-01T09:00:01Z', parentObservationId: 'o1' },
      ],
    };
    const phoenixSpan = {
      'context.trace_id': hex,
      'context.span_id': 'cd'.repeat(8),
      name: 'chat',
      span_kind: 'GUARDRAIL',
      start_time: '2026-03-01T09:00:00+00:00',
      end_time: '2026-03-01T09:00:01+00:00',
      'attributes.session.id': 'call-1',
    };
    const project = ['--project', 'others', '--json'];
    for (const [content, format, records] of [
      [JSON.stringify([langfuseTrace], null, 2), 'langfuse', 3],
      [JSON.stringify(phoenixSpan), 'phoenix', 2],
    ] as const) {
      const ran = await runTransfer(service, ['import', '-', ...project], content);
      expect(ran.stderr).to.include(`by its first value (--format ${format})`);
      const found = JSON.parse(ran.stdout) as Summary;
      expect(found, ran.stderr).to.include({ traces: 1, new_records: records, refused: 0 });
      const again = await runTransfer(service, ['import', '-', ...project], content);
      expect(JSON.parse(again.stdout)).to.include({ new_records: 0, refused: 0 });
    }
    const { body } = await service.client.call<readonly { id: string }[]>(
      'GET',
      '/v2/projects?project_name=others',
    );
    const id = body[0]?.id ?? '';
    expect([await countIn(id), await countIn(id, 'spans'), await countIn(id, 'sessions')]).to.eql([
      2, 3, 1,
    ]);
  });

  it('refuses missing options that it cannot infer', async () => {
    const path = await fileOf(asLines([traceNumber(1)]));
    const strange = await fileOf('{"a": 1}\n');
    await service.client.call('POST', '/v2/projects', { body: { name: 'y' } });
    for (const [args, said] of [
      [[path], 'which project? --project NAME or ID'],
      [[path, '--project', 'x', '--log-stream', 'a', '--experiment', 'b'], 'one run only'],
      [[path, '--project', 'x', '--experiment', 'nowhere'], "no project 'x'"],
      [[path, '--project', 'y', '--experiment', 'nowhere'], "no experiment 'nowhere'"],
      [[path, '--project', 'x', '--format', 'csv'], '--format is one of otlp, phoenix'],
      [[strange, '--project', 'x'], 'unknown format: line 1 has the members a; --format'],
      [[`${path}.none`, '--project', 'x'], 'cannot be read'],
      [[path, '--project', 'x', '--key', 'none'], 'the service answers 401'],
    ] as const) {
      const ran = await runTransfer(service, ['import', ...args]);
      expect([ran.code, ran.stderr.includes(said)], ran.stderr).to.deep.equal([1, true]);
    }
  });

  it('skips the lines before the one to resume from', async () => {
    const path = await fileOf(asLines([0, 1, 2].map(traceNumber)));
    const summary = await imported(path, '--project', 'later', '--from', '3');
    expect(summary).to.include({ traces: 1, new_records: 2 });
  });

  it('loses and doubles nothing when the service is killed amid it', async () => {
    const dir = join(folder.dir, 'killed');
    const path = await fileOf(asLines(Array.from({ length: count }, (_, at) => traceNumber(at))));
    let killed = await startService({ dir });
    const port = new URL(killed.url).port;
    try {
      const running = runTransfer(killed, ['import', path, '--json', '--project', 'killed']);
      await amidImport(killed);
      await killed.kill();
      killed = await startService({ dir, env: { ASSAY_PORT: port } });
      const ran = await running;
      expect(ran.stderr).to.include('waiting for the service');
      const summary = JSON.parse(ran.stdout) as Summary;
      expect(summary).to.include({ traces: count, refused: 0 });
      await untilFolded(killed);
      const of = (kind: string) => `/v2/projects/${summary.project}/${kind}/count`;
      for (const kind of ['traces', 'spans']) {
        const { body } = await killed.client.call('POST', of(kind), { body: {} });
        expect(body).to.deep.equal({ total_count: count });
      }
    } finally {
      await killed.kill();
    }
  });

  it('prints how to resume when Ctrl-C ends it', async () => {
    const path = await fileOf(asLines(Array.from({ length: count }, (_, at) => traceNumber(at))));
    const { url, apiKey } = service;
    const child = spawn(process.execPath, [program, 'import', path, '--project', 'interrupted'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...bareEnvironment(), ASSAY_URL: url, ASSAY_API_KEY: apiKey },
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (!said.includes('into ') && (said + text).includes('into ')) child.kill('SIGINT');
      said += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, said]).to.satisfy(
      () => code === 130 && /stopped; \d+ traces were taken/.test(said),
    );
    expect(said).to.match(/the same command again changes nothing that is there\n$/);
  });

  it('fails with a message when the service stays down', async () => {
    const dir = join(folder.dir, 'away');
    const away = await startService({ dir });
    const path = await fileOf(asLines(Array.from({ length: count }, (_, at) => traceNumber(at))));
    const running = runTransfer(away, ['import', path, '--project', 'a', '--retry-for', '1']);
    await amidImport(away);
    await away.kill();
    const ran = await running;
    expect(ran.code).to.equal(1);
    expect(ran.stderr).to.match(/go on with --from \d+; the same command again changes nothing/);
    expect(ran.stderr).to.include('was waited for in vain');
  });
});
