import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { scorerArguments } from '../../kernel/sandbox.js';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { formRequest } from '../support/multipart-forms.js';
import { repository } from '../support/test-environment.js';
import { ratedProject, type RatedProject } from '../support/rated-project.js';
import { pollUntil } from '../support/poll-until.js';
import {
  waitForTaskEnd,
  registeredScorer,
  scorerParts,
  validatePath,
  type RequestedTask,
} from '../support/scorer-validations.js';

type Tree = { readonly id: string; readonly spans: readonly Tree[] };
type Shown = Tree & { readonly metrics: Readonly<Record<string, unknown>> };

/** Ids as a tree, tool calls in order, and how many spans are missing. */
const trajectory = `
import json
def flat(spans):
    for span in spans:
        yield span
        yield from flat(span.spans)
def ids(spans):
    return [[span.id, ids(span.spans)] for span in spans]
def scorer_fn(*, spans, spans_cut, **kwargs) -> str:
    calls = [span.output for span in flat(spans) if span.type == "tool"]
    return json.dumps([ids(spans), calls, spans_cut])
`;
const depth = `
def scorer_fn(*, step_object, **kwargs) -> str:
    count, deepest, open = 0, 0, [(1, step_object.spans)]
    while open:
        level, spans = open.pop()
        count, deepest = count + len(spans), max(deepest, level if spans else 0)
        open += [(level + 1, span.spans) for span in spans]
    return f"{count} {deepest} {step_object.spans_cut}"
`;
const idsOf = (spans: readonly Tree[]): unknown =>
  spans.map((span) => [span.id, idsOf(span.spans)]);
const tool = (output: string, more: object = {}) => ({
  type: 'tool',
  id: randomUUID(),
  name: 'a tool',
  input: 'in',
  output,
  ...more,
});

describe('scorers of traces that see spans', function () {
  let app: App;
  let project: RatedProject;
  before(async () => {
    app = await sharedApp('strict');
    project = await ratedProject(app.client);
  });
  after(async () => {
    await app.untilCaughtUp();
    await expectReplayEqual(app);
  });

  type Registered = { readonly id: string; readonly name: string };
  const registered = async (source: string): Promise<Registered> => {
    const name = `spans ${randomUUID()}`;
    return { name, id: (await registeredScorer(app, { name }, source)).id };
  };
  /** A log stream whose settings have that scorer for these node types. */
  const runWith = async (scorers: readonly (Registered & { types: readonly string[] })[]) => {
    const body = { name: randomUUID() };
    const run = await app.client.call<{ id: string }>('POST', project.at('/log_streams'), { body });
    const chosen = scorers.map(({ id, types }) => ({
      id,
      scorer_type: 'code',
      scoreable_node_types: types,
    }));
    await app.client.call('POST', project.at(`/runs/${run.body.id}/scorer-settings`), {
      body: { scorers: chosen },
    });
    return run.body.id;
  };
  const log = async (run: string, spans: readonly object[], more: object = {}): Promise<string> => {
    const id = randomUUID();
    const trace = { id, input: 'q', output: 'a', spans };
    await app.client.call('POST', project.at('/traces'), {
      body: { log_stream_id: run, traces: [trace], ...more },
    });
    return id;
  };
  const read = async (id: string, kind = 'traces'): Promise<Shown> =>
    (await app.client.call<Shown>('GET', project.at(`/${kind}/${id}`))).body;
  const scoreOf = async (id: string, name: string, kind = 'traces'): Promise<unknown> => {
    let score: unknown = null;
    await pollUntil(`a score of ${kind}`, 60_000, async () => {
      const { metrics } = await read(id, kind);
      score = metrics[name] ?? metrics[`${name}_error_message`] ?? null;
      return score !== null;
    });
    return score;
  };

  it('see the tree that GET answers, in its order, and again when a span changes', async () => {
    const scorer = await registered(trajectory);
    const run = await runWith([{ ...scorer, types: ['trace'] }]);
    const [second, first] = [tool('2', { step_number: 2 }), tool('1', { step_number: 1 })];
    const agent = { type: 'agent', id: randomUUID(), spans: [second, first] };
    const trace = await log(run, [agent, tool('3')], { is_complete: false });
    await app.client.call('POST', project.at('/spans'), {
      body: { trace_id: trace, parent_id: first.id, spans: [tool('inner')] },
    });
    await app.client.call('PATCH', project.at(`/traces/${trace}`), { body: { is_complete: true } });
    const seen = JSON.parse(String(await scoreOf(trace, scorer.name))) as unknown;
    const tree = idsOf((await read(trace)).spans);
    expect(seen).to.deep.equal([tree, ['1', 'inner', '2', '3'], 0]);
    await app.client.call('PATCH', project.at(`/spans/${second.id}`), { body: { output: 'new' } });
    const wanted = JSON.stringify([tree, ['1', 'inner', 'new', '3'], 0]);
    await pollUntil('a new score', 60_000, async () => {
      const score = (await read(trace)).metrics[scorer.name];
      return JSON.stringify(JSON.parse(String(score))) === wanted;
    });
  });

  it('see at most 4 MiB, and the number of spans left out', async () => {
    const scorer = await registered(trajectory);
    const run = await runWith([{ ...scorer, types: ['chain'] }]);
    const large = [0, 1, 2, 3, 4].map((at) => tool(`${at}`, { input: 'é'.repeat(450_000) }));
    const trace = await log(run, [...large, tool('5')]);
    const seen = JSON.parse(String(await scoreOf(trace, scorer.name))) as unknown;
    const first = large.slice(0, 4);
    expect(seen).to.deep.equal([first.map(({ id }) => [id, []]), ['0', '1', '2', '3'], 2]);
  });

  it('score a trace whose spans are chained 10,000 levels deep', async () => {
    const scorer = await registered(depth);
    const run = await runWith([{ ...scorer, types: ['trace'] }]);
    const trace = await log(run, [], { is_complete: false });
    let parent = trace;
    for (let request = 0; request < 10; request += 1) {
      const spans = Array.from({ length: 1_000 }, () => {
        const one = { type: 'tool', id: randomUUID(), parent_id: parent };
        parent = one.id;
        return one;
      });
      await app.client.call('POST', project.at('/spans'), {
        body: { trace_id: trace, parent_id: trace, spans },
      });
    }
    await app.client.call('PATCH', project.at(`/traces/${trace}`), { body: { is_complete: true } });
    expect(await scoreOf(trace, scorer.name)).to.equal('10000 500 0');
  });

  it('see spans of what was logged before they were chosen, but of no deleted trace', async () => {
    const scorer = await registered(trajectory);
    const run = await runWith([]);
    const [gone, kept] = [await log(run, [tool('secret')]), await log(run, [tool('kept')])];
    const filters = [{ type: 'id', name: 'id', operator: 'eq', value: gone }];
    await app.client.call('POST', project.at('/traces/delete'), {
      body: { log_stream_id: run, filters },
    });
    type Job = { readonly status: string; readonly scored: number };
    const path = project.at(`/runs/${run}/scorers/${scorer.id}/score`);
    await app.client.call('POST', path, { body: { scoreable_node_types: ['trace'] } });
    let job: Job | null = null;
    await pollUntil('the end of the job', 60_000, async () => {
      job = (await app.client.call<Job>('GET', path)).body;
      return job.status === 'completed';
    });
    expect(job).to.include({ scored: 1, failed: 0 });
    expect(String(await scoreOf(kept, scorer.name))).to.match(/\["kept"\], 0\]$/);
  });

  it('report parameters that receive no argument', async () => {
    const validated = async (source: string) => {
      const asked = await app.client.send<RequestedTask>(
        'POST',
        validatePath,
        formRequest(scorerParts(source)),
      );
      return (await waitForTaskEnd(app.client, asked)).result?.result;
    };
    const file = (body: string) => `def scorer_fn(*, node_outptu="", **k) -> int:\n    ${body}`;
    const known = { unknown_parameters: ['node_outptu'], known_parameters: [...scorerArguments] };
    expect(await validated(file('return len(node_outptu)'))).to.deep.include({
      result_type: 'valid',
      ...known,
    });
    expect(await validated(file('return node_outptu'))).to.deep.include({
      result_type: 'invalid',
      ...known,
    });
    const right = await validated('def scorer_fn(*, node_output, **k) -> int:\n    return 1');
    expect(right).not.to.have.any.keys('unknown_parameters', 'known_parameters');
  });

  const guide = readFileSync(join(repository, 'docs/guide.md'), 'utf8');
  it('have the arguments that the guide lists', () => {
    const [, table = ''] = /### Arguments of a scorer\n([\s\S]*?)\n###/.exec(guide) ?? [];
    const named = table
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)])
      .map(([, name]) => name ?? '');
    expect(named.sort()).to.deep.equal([...scorerArguments].sort());
  });

  it('score, like scorers of spans, as the guide says', async () => {
    const [, part = ''] = /### One scorer of each kind\n([\s\S]*?)\n##/.exec(guide) ?? [];
    const blocks = [...part.matchAll(/^((?:`\w+`(?: or )?)+): .*\n\n```python\n([\s\S]*?)^```/gm)];
    const scorers: (Registered & { types: readonly string[] })[] = [];
    for (const [, kinds = '', source = ''] of blocks) {
      const types = [...kinds.matchAll(/`(\w+)`/g)].map(([, type]) => type ?? '');
      scorers.push({ ...(await registered(source)), types });
    }
    expect(scorers.flatMap(({ types }) => types)).to.deep.equal([
      'llm',
      'retriever',
      'tool',
      'agent',
      'workflow',
      'trace',
    ]);
    const run = await runWith(scorers);
    const documents = [{ content: 'Flights to Oslo' }, { content: 'a hotel' }];
    const ids = Object.fromEntries(
      ['llm', 'retriever', 'failed', 'agent', 'workflow'].map((one) => [one, randomUUID()]),
    );
    const spans = [
      { type: 'llm', id: ids['llm'], input: 'q', output: '{"city": "Oslo"}' },
      { type: 'retriever', id: ids['retriever'], input: 'when to Oslo', output: documents },
      { type: 'workflow', id: ids['workflow'], input: 'q' },
      {
        type: 'agent',
        id: ids['agent'],
        input: 'q',
        output: 'booked',
        spans: [tool('ok'), tool('ok'), { ...tool(''), id: ids['failed'], status_code: 500 }],
      },
    ];
    const trace = await log(run, spans);
    const nameOf = (type: string): string =>
      scorers.find(({ types }) => types.includes(type))?.name ?? '';
    const wanted: readonly (readonly [string, string, string | undefined, unknown])[] = [
      ['llm', 'spans', ids['llm'], true],
      ['retriever', 'spans', ids['retriever'], 0.5],
      ['tool', 'spans', ids['failed'], true],
      ['agent', 'spans', ids['agent'], true],
      ['workflow', 'spans', ids['workflow'], false],
      ['trace', 'traces', trace, 1 / 3],
    ];
    for (const [type, kind, id, score] of wanted) {
      expect(await scoreOf(id ?? '', nameOf(type), kind), type).to.equal(score);
    }
  });
});
