import { expect } from 'chai';
import { runConfined } from '../../engines/sandbox/confined-process.js';
import { treeLevelsMax } from '../../kernel/records/span-tree.js';
import { scorerArguments, type SandboxTask, type ScorerSpans } from '../../kernel/sandbox.js';
import { sharedSandbox, stepOf, taskOf } from '../support/sandboxes.js';

type Level = { readonly level: number; readonly [member: string]: unknown };
const spansOf = (spans: readonly Level[], cut = 0): ScorerSpans => {
  const text = JSON.stringify(spans);
  return { json: [text.slice(0, 10), text.slice(10)], characters: text.length, cut };
};
const judged = async (source: string, more: Partial<SandboxTask> = {}) => {
  const verdict = await sharedSandbox().run(taskOf(source, more));
  if (verdict.verdict === 'unavailable') throw new Error(verdict.message);
  return verdict;
};
const scoresOf = async (source: string, more: Partial<SandboxTask> = {}) => {
  const verdict = await judged(source, more);
  if (verdict.verdict !== 'valid') throw new Error(verdict.message);
  return verdict.scores.map(({ score, error }) => error?.message ?? score);
};

/** Contract 4.11, rule 9. */
describe('spans of a step', function () {
  it('are a tree of objects like step_object, with defaults', async () => {
    const source = `
import json
def shown(one):
    return [one.id, one.type, one.name, one.output if one.type != "llm" else one.output.content,
            one.tags, one.model, one.status_code, [shown(below) for below in one.spans]]
def scorer_fn(*, step_object, spans, spans_cut) -> str:
    same = step_object.spans is spans and step_object.spans_cut == spans_cut
    return json.dumps([same, step_object.model, spans_cut, [shown(one) for one in spans]])`;
    const message = { role: 'assistant', content: 'a "text"\n' };
    const spans = spansOf(
      [
        { level: 1, id: 'a', type: 'agent', name: 'agent', tags: ['t'] },
        { level: 2, id: 'b', type: 'llm', output: message, model: 'm' },
        { level: 2, id: 'c', type: 'tool', output: 'out', status_code: 500 },
        { level: 3, id: 'd', type: 'workflow' },
        { level: 1, id: 'e', type: 'llm' },
      ],
      7,
    );
    const step = stepOf(0, { node_type: 'trace', spans, more: { model: 'own' } });
    const [score] = await scoresOf(source, { steps: [step] });
    const b = ['b', 'llm', '', message.content, [], 'm', null, []];
    const d = ['d', 'workflow', '', '', [], null, null, []];
    const c = ['c', 'tool', '', 'out', [], null, 500, [d]];
    expect(JSON.parse(String(score))).to.deep.equal([
      true,
      'own',
      7,
      [
        ['a', 'agent', 'agent', '', ['t'], null, null, [b, c]],
        ['e', 'llm', '', '', [], null, null, []],
      ],
    ]);
  });

  it('belong to their own step, and are fresh for each call', async () => {
    const source = `
def scorer_fn(*, spans, **kwargs) -> str:
    spans.append(spans[0]) if spans else spans.append("none")
    return f"{len(spans)} {spans[-1] if len(spans) == 1 else spans[0].id}"`;
    const steps = [null, 'one', null, 'two'].map((id, at) =>
      stepOf(at, { spans: id === null ? null : spansOf([{ level: 1, id, type: 'tool' }]) }),
    );
    expect(await scoresOf(source, { steps, nodeTypes: ['trace', 'chain'] })).to.deep.equal(
      ['1 none', '2 one', '1 none', '2 two'].flatMap((score) => [score, score]),
    );
  });

  it('can be walked by recursion at the greatest depth', async () => {
    const source = `
def flat(spans):
    for span in spans:
        yield span
        yield from flat(span.spans)
def scorer_fn(*, spans, **kwargs) -> int:
    return sum(1 for _ in flat(spans))`;
    const levels = Array.from({ length: treeLevelsMax }, (_, at) => ({
      level: at + 1,
      id: `${at}`,
      type: 'tool',
    }));
    const steps = [0, 1].map((index) => stepOf(index, { spans: spansOf(levels) }));
    expect(await scoresOf(source, { steps })).to.deep.equal([treeLevelsMax, treeLevelsMax]);
  });

  it('may be as large as they get, with characters that take four bytes', async () => {
    const source = 'def scorer_fn(*, spans, **kwargs) -> int:\n    return len(spans)';
    const spans = spansOf([
      { level: 1, id: 'x', type: 'tool', output: '\u{1f600}'.repeat(1_000_000) },
    ]);
    const steps = [stepOf(0, { spans }), stepOf(1)];
    expect(await scoresOf(source, { steps })).to.deep.equal([1, 0]);
  });
});

/** Contract 4.11, rule 6, and 4.13. */
describe('parameters of a scorer that nothing is passed for', () => {
  const source = (body: string): string =>
    `def scorer_fn(*, node_outptu=None, node_output, threshold=1, **kwargs) -> int:\n    ${body}`;

  it('are named when they have defaults, whatever becomes of the file', async () => {
    const names = ['node_outptu', 'threshold'];
    const valid = await judged(source('return 1'));
    expect(valid).to.deep.include({ verdict: 'valid', unknown_parameters: names });
    const invalid = await judged(source('return len(node_outptu)'));
    expect(invalid).to.deep.include({ verdict: 'invalid', unknown_parameters: names });
  });

  it('are not there when each parameter is an argument', async () => {
    const verdict = await judged(
      `def scorer_fn(*, ${scorerArguments.join(', ')}, **kwargs) -> int:\n    return 1`,
    );
    expect(verdict.verdict).to.equal('valid');
    expect(verdict).not.to.have.property('unknown_parameters');
  });

  it('are all named with the arguments that there are when they have no default', async () => {
    const verdict = await judged('def scorer_fn(*, prompt, answer, k=1) -> int:\n    return 1');
    expect(verdict).to.deep.include({
      verdict: 'invalid',
      kind: 'signature',
      message:
        'scorer_fn has parameters without a default that nothing is passed for: ' +
        `'prompt', 'answer'. Arguments are ${scorerArguments.join(', ')}`,
      unknown_parameters: ['prompt', 'answer', 'k'],
    });
  });
});

describe('the time limit of a process', () => {
  it('counts from where its work begins', async () => {
    let output = '';
    const end = await runConfined(
      {
        mode: 'deno',
        command: '/bin/sh',
        args: ['-c', 'sleep 2; echo begun; echo done'],
        environment: {},
        uid: null,
      },
      {
        input: [],
        wallMs: 1_500,
        start: { wallMs: 60_000, hasBegun: () => output.includes('begun') },
        residentMax: 1e9,
        outputMax: 1_000,
        filter: '',
        signal: new AbortController().signal,
        onOutput: (chunk) => {
          output += chunk.toString('utf8');
          return false;
        },
      },
    );
    expect([end.cause, end.code, output]).to.deep.equal(['itself', 0, 'begun\ndone\n']);
  }).timeout(70_000);
});
