import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { randomIds } from '../../engines/node/ids.js';
import { temporaryFolder } from '../support/folder.js';
import { drawSeed } from '../support/test-environment.js';
import { describeRealRuns, realRuns } from '../support/real-runs.js';
import { runs } from '../support/runs.js';
import { startService, type ServiceProcess } from '../support/service-process.js';
import { asLines, untilFolded, runTransfer } from '../support/transfer-commands.js';

type Tree = { readonly id: string; readonly project_id: string; readonly run_id: string };

/** A trace as the service answers it, but for whose it is. */
const treeIn = async (service: ServiceProcess, project: string, id: string): Promise<string> => {
  const path = `/v2/projects/${project}/traces/${id}`;
  const { body } = await service.client.call<Tree>('GET', path);
  expect(body.project_id).to.equal(project);
  return JSON.stringify(body)
    .replaceAll(`"project_id":"${project}"`, '"project_id":""')
    .replaceAll(`"run_id":"${body.run_id}"`, '"run_id":""');
};

const summaryOf = (stdout: string) =>
  JSON.parse(stdout) as {
    readonly project: string;
    readonly refused: number;
    readonly position: string;
  };

/** Everything that a record may have (contract 5.6), and what is easily lost on the way. */
const [sessionId, traceId] = [randomIds.next('SessionId'), randomIds.next('TraceId')];
const allKinds = [
  {
    type: 'session',
    id: sessionId,
    name: 'a call',
    external_id: 'call-1',
    user_metadata: { a: '1' },
  },
  {
    id: traceId,
    name: 'all kinds',
    created_at: '2026-03-01T09:00:00.123456Z',
    session_id: sessionId,
    input: [
      { type: 'text', text: 'a ' },
      { type: 'text', text: 'flight' },
    ],
    output: '',
    redacted_input: '***',
    redacted_output: '+++',
    user_metadata: { zebra: '1', alpha: 'ä"\n' },
    tags: ['b', 'a'],
    status_code: 200,
    external_id: 'run/1',
    dataset_input: 'to Oslo',
    dataset_output: 'booked',
    dataset_metadata: { row: '1' },
    metrics: { reward: 1, solved: true, kind: 'x', toxicity: 0.25, cost: 0.5 },
    spans: [
      {
        type: 'agent',
        created_at: '2026-03-01T09:00:01Z',
        agent_type: 'planner',
        input: [{ role: 'user', content: 'hi' }],
        output: { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
        step_number: 2,
        spans: [
          {
            type: 'llm',
            created_at: '2026-03-01T09:00:02Z',
            input: [{ role: 'system', content: 'be kind' }],
            output: {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'c1', function: { name: 'find', arguments: '{"to":"OSL"}' } }],
            },
            tools: [{ type: 'function', function: { name: 'find' } }],
            events: [{ type: 'reasoning', more: { deep: [1, null] } }],
            model: 'model-a',
            temperature: 0,
            finish_reason: 'tool_calls',
            metrics: {
              num_input_tokens: 7,
              duration_ns: 5_000,
              judged: 0.5,
              judged_ems_error_code: 1001,
              judged_error_message: 'no judge',
            },
          },
          { type: 'tool', created_at: '2026-03-01T09:00:03Z', tool_call_id: 'c1', input: '{}' },
        ],
      },
      {
        type: 'retriever',
        created_at: '2026-03-01T09:00:01Z',
        step_number: 1,
        input: 'flights',
        output: [{ content: 'one', metadata: { score: 0.5, page: 1, good: true } }],
      },
      {
        type: 'control',
        created_at: '2026-03-01T09:00:04Z',
        input: 'x',
        output: { action: 'deny', matched: false, confidence: 0.5, error_message: null },
        control_id: 3,
        agent_name: 'a',
        check_stage: 'pre',
        applies_to: 'tool_call',
        evaluator_name: 'e',
        selector_path: 'input',
      },
      { type: 'llm', created_at: '2026-03-01T09:00:05Z', input: [], output: 'plain' },
    ],
  },
  { created_at: '2026-03-02T09:00:00Z', input: 'still going', is_complete: false },
];

describe('assay export', function () {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let service: ServiceProcess;
  let project = '';
  before(async () => {
    folder = await temporaryFolder();
    service = await startService({ dir: join(folder.dir, 'data') });
    const args = ['import', '-', '--json', '--project', 'all kinds'];
    const ran = await runTransfer(service, args, asLines(allKinds));
    expect(ran.code, ran.stderr).to.equal(0);
    ({ project } = summaryOf(ran.stdout));
    await untilFolded(service);
  });
  after(async () => {
    await service.stop();
    await folder.remove();
  });

  const treesAsked = async (): Promise<number> => {
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    const counts = metrics.matchAll(/^assay_request_seconds_count\{.*"getTrace".*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const idsIn = async (of: string): Promise<readonly string[]> => {
    await untilFolded(service);
    const { body } = await service.client.call<{ readonly records: readonly Tree[] }>(
      'POST',
      `/v2/projects/${of}/traces/search`,
      { body: { limit: 1_000 } },
    );
    return body.records.map(({ id }) => id);
  };

  it('writes traces that an import makes the same of, every member of every kind', async () => {
    const traces = await runTransfer(service, ['export', 'traces', '--project', project]);
    const sessions = await runTransfer(service, ['export', 'sessions', '--project', project]);
    expect([traces.code, sessions.code], traces.stderr).to.deep.equal([0, 0]);
    const args = ['import', '-', '--json', '--project', 'again'];
    const ran = await runTransfer(service, args, `${sessions.stdout}${traces.stdout}`);
    const again = summaryOf(ran.stdout);
    await untilFolded(service);
    expect([again.refused, ran.code], ran.stderr).to.deep.equal([0, 0]);
    const ids = await idsIn(project);
    expect([ids.length, ids.includes(traceId)]).to.deep.equal([2, true]);
    for (const id of ids) {
      const [theirs, ours] = [
        await treeIn(service, again.project, id),
        await treeIn(service, project, id),
      ];
      expect(theirs).to.equal(ours);
    }
    const of = await runTransfer(service, ['export', 'sessions', '--project', again.project]);
    const [one, other] = [sessions, of].map(
      ({ stdout }) => JSON.parse(stdout) as { name: string; external_id: string; id: string },
    );
    expect(one).to.include({ id: sessionId, name: 'a call', external_id: 'call-1' });
    expect(other).to.include({ id: sessionId, name: 'a call', external_id: 'call-1' });
  });

  it('writes what a filter, a time and a run select, as JSON Lines and as CSV', async () => {
    const linesOf = async (...args: readonly string[]): Promise<readonly string[]> => {
      const ran = await runTransfer(service, ['export', ...args, '--project', 'all kinds']);
      expect(ran.code, ran.stderr).to.equal(0);
      return ran.stdout.split('\n').filter((line) => line !== '');
    };
    const filter = '{"filter": {"type": "text", "name": "type", "operator": "eq", "value": "llm"}}';
    const llm = await linesOf('spans', '--filter', filter);
    expect(llm.map((line) => (JSON.parse(line) as { type: string }).type)).to.deep.equal([
      'llm',
      'llm',
    ]);
    expect((await linesOf('traces', '--from', '2026-03-02')).length).to.equal(1);
    expect((await linesOf('traces', '--to', '2026-03-02')).length).to.equal(1);
    expect((await linesOf('traces', '--log-stream', 'default')).length).to.equal(2);
    const [head = '', ...rows] = await linesOf('traces', '--format', 'csv', '--from', '2026-03-02');
    expect(head).to.match(/^type,id,project_id,/);
    expect(rows.length).to.equal(1);
  });

  it('writes CSV into a file named .csv', async () => {
    const path = join(folder.dir, 'named.csv');
    const ran = await runTransfer(service, [
      'export',
      'spans',
      '--project',
      project,
      '--output',
      path,
    ]);
    expect([ran.code, readFileSync(path, 'utf8').split(',')[0]], ran.stderr).to.deep.equal([
      0,
      'type',
    ]);
  });

  it('leaves a file only if it is complete', async () => {
    const path = join(folder.dir, 'traces.jsonl.gz');
    const args = ['export', 'traces', '--project', project, '--output', path];
    const ran = await runTransfer(service, args);
    expect([ran.code, ran.stdout], ran.stderr).to.deep.equal([0, '']);
    const text = gunzipSync(readFileSync(path)).toString('utf8');
    expect(text.trim().split('\n').length).to.equal(2);

    const spoilt = join(folder.dir, 'spoilt.jsonl');
    await writeFile(spoilt, 'what was there');
    const filter = '{"filter": {"type": "text", "name": "nothing", "operator": "eq", "value": ""}}';
    const failed = await runTransfer(service, [
      'export',
      'spans',
      '--project',
      project,
      '--output',
      spoilt,
      '--filter',
      filter,
    ]);
    const why = "filter_tree/filter/name: Value error, unknown column 'nothing'";
    const said = `assay: ${service.url} answers 422: ${why}\n`;
    expect([failed.code, failed.stderr]).to.deep.equal([1, said]);
    expect(readFileSync(spoilt, 'utf8')).to.equal('what was there');
    expect((await readdir(folder.dir)).filter((name) => name.endsWith('.new'))).to.deep.equal([]);
  });

  it('names an unknown project, format or filter', async () => {
    for (const [args, said] of [
      [['letters', '--project', project], 'export traces, or spans, or sessions?'],
      [['traces', '--project', 'nowhere'], "no project 'nowhere' exists that this key can see"],
      [['traces', '--project', project, '--format', 'xml'], '--format is jsonl or csv'],
      [
        ['traces', '--project', project, '--filter', 'reward > 1'],
        '--filter takes a filter as JSON',
      ],
    ] as const) {
      const ran = await runTransfer(service, ['export', ...args]);
      expect([ran.code, ran.stderr.includes(said)], ran.stderr).to.deep.equal([1, true]);
    }
  });

  describeRealRuns('of 200 real runs', () => {
    it('equals the import byte for byte, through a file', async () => {
      const path = join(folder.dir, 'real.jsonl');
      await writeFile(path, asLines(realRuns()));
      const args = ['--json', '--project'];
      const sent = await runTransfer(service, ['import', path, ...args, 'real']);
      const real = summaryOf(sent.stdout);
      const out = join(folder.dir, 'out.jsonl');
      const wait = ['--min-position', real.position, '--output', out];
      const whole = ['export', 'traces', '--project', 'real', ...wait];
      const before = await treesAsked();
      const made = await runTransfer(service, whole);
      expect(made.stderr).to.include('200 traces exported');
      expect((await treesAsked()) - before, 'trees that were asked for one by one').to.equal(0);
      const back = await runTransfer(service, ['import', out, ...args, 'back']);
      const again = summaryOf(back.stdout);
      expect([real.refused, again.refused]).to.deep.equal([0, 0]);
      const ids = await idsIn(real.project);
      expect([...ids].sort()).to.deep.equal(
        realRuns()
          .map(({ id }) => id)
          .sort(),
      );
      // All of them are compared below, as they are exported once more.
      const seed = drawSeed('trees that are read one by one');
      const count = Math.min(ids.length, runs(50));
      const [some = []] = fc.sample(
        fc.shuffledSubarray([...ids], { minLength: count, maxLength: count }),
        { seed, numRuns: 1 },
      );
      for (const id of some) {
        expect(await treeIn(service, again.project, id)).to.equal(
          await treeIn(service, real.project, id),
        );
      }
      await untilFolded(service);
      const twice = await runTransfer(service, ['export', 'traces', '--project', 'back']);
      expect(twice.stdout === readFileSync(out, 'utf8')).to.equal(true);
    });
  });
});
