import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { Assay, type Step } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { drawSeed } from '../../support/test-environment.js';
import { runs } from '../../support/runs.js';

type Tree = {
  readonly name: string;
  readonly type: 'llm' | 'tool' | 'retriever' | 'agent' | 'workflow';
  readonly input: string;
  readonly fails: boolean;
  readonly spans: readonly Tree[];
};
type Read = {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly input: unknown;
  readonly status_code: number | null;
  readonly spans: readonly Read[];
};

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    name: fc.string({ maxLength: 20 }),
    type: fc.constantFrom('llm', 'tool', 'retriever', 'agent', 'workflow'),
    input: fc.string({ unit: 'grapheme', maxLength: 30 }),
    fails: fc.boolean(),
    spans: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('tree'), { maxLength: 4 })),
  }),
}));

/** Plays a tree like a program: some steps side by side, some that throw. */
const play = async (step: Step, { name, type, input, fails, spans }: Tree): Promise<void> =>
  step
    .span(name, { type, input }, async (below) => {
      await Promise.all(spans.map((one) => play(below, one)));
      if (fails) throw new Error('it fails');
    })
    .catch(() => undefined);

const shape = ({ name, type, input, fails, spans }: Tree): unknown => [
  name,
  type,
  input,
  fails ? 500 : 200,
  spans.map(shape),
];
const inputOf = (input: unknown): unknown =>
  Array.isArray(input) ? (input[0] as { readonly content?: unknown }).content : input;
const shapeRead = (one: Read): unknown => [
  one.name,
  one.type,
  inputOf(one.input) ?? '',
  one.status_code,
  one.spans.map(shapeRead),
];
const chain = (length: number): Tree => {
  let spans: readonly Tree[] = [];
  for (let at = length; at > 0; at -= 1)
    spans = [{ name: `c${at}`, type: 'workflow', input: `i${at}`, fails: false, spans }];
  return spans[0] ?? expect.fail('no chain');
};
const wide = (count: number): Tree => ({
  name: 'wide',
  type: 'agent',
  input: 'x',
  fails: false,
  spans: Array.from({ length: count }, (_, at) => ({ ...chain(1), name: `w${at}` })),
});

describe('the logger of the TypeScript client, with the real service', () => {
  const logging = async (): Promise<Assay> => {
    const { url, apiKey } = await sharedApp();
    const { id: project } = await new Assay({ url, apiKey }).projects.create({
      name: `trees ${randomUUID()}`,
    });
    return new Assay({ url, apiKey, project, logger: { intervalMs: 5 } });
  };
  const logged = async (assay: Assay, given: Tree): Promise<unknown> => {
    let id = '';
    await assay.trace('root', async (step) => {
      id = step.id;
      await play(step, given);
    });
    expect(await assay.flush()).to.equal(true);
    const read = await assay.traces.get({ trace_id: id });
    expect(read.is_complete).to.equal(true);
    return (read.spans as unknown as readonly Read[]).map(shapeRead);
  };

  it('shows any tree of steps as it was run', async () => {
    const assay = await logging();
    await fc.assert(
      fc.asyncProperty(tree, async (given) => {
        expect(await logged(assay, given)).to.deep.equal([shape(given)]);
      }),
      { seed: drawSeed('trees'), numRuns: runs(15) },
    );
    expect(assay.logged()).to.include({ lost: 0, waiting: 0, waitingBytes: 0 });
    await assay.close();
  });

  it('shows trees that are too deep, or too wide, for one request', async () => {
    const assay = await logging();
    for (const given of [chain(45), chain(80), wide(1_300)])
      expect(await logged(assay, given)).to.deep.equal([shape(given)]);
    expect(assay.logged()).to.include({ lost: 0, waiting: 0, waitingBytes: 0 });
    await assay.close();
  });

  it('keeps messages as messages, documents as documents, and other values as text', async () => {
    const assay = await logging();
    let id = '';
    assay.trace('chat', { input: { city: 'Oslo' }, sessionId: randomUUID() }, (step) => {
      id = step.id;
      const messages = [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }], other: 1 },
      ];
      const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
      step.span('model', { type: 'llm', model: 'm', temperature: 0.5, input: messages }, () => ({
        role: 'assistant',
        content: null,
        tool_calls: calls,
      }));
      step.span('find', { type: 'retriever', input: 'q' }, () => [
        'plain',
        { content: 'rich', metadata: { page: 3, gone: {} }, score: 1 },
      ]);
      step.set({ tags: ['a'], metadata: { user: 7 }, metrics: { reward: 1 } });
      step.set({ tags: ['b'], output: 'done' });
      return 'not this';
    });
    await assay.flush();
    expect(assay.logged().lost).to.equal(0);
    const trace = await assay.traces.get({ trace_id: id });
    expect(trace).to.deep.include({ input: '{"city":"Oslo"}', output: 'done', tags: ['a', 'b'] });
    expect(trace.user_metadata).to.deep.equal({ user: '7' });
    expect(trace.metrics).to.include({ reward: 1 });
    const [model, find] = trace.spans as unknown as readonly Record<string, never>[];
    expect(model?.['input']).to.deep.include({ role: 'system', content: 'be brief' });
    expect(find?.['output']).to.deep.equal([
      { content: 'plain' },
      { content: 'rich', metadata: { page: 3 } },
    ]);
    await assay.close();
  });
});
