import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { jsonOf } from '../../../clients/typescript/src/logger/safe-json.js';
import { textOf } from '../../../clients/typescript/src/logger/values.js';
import { Assay, type Step } from '../../../clients/typescript/src/node.js';
import { sharedApp } from '../../support/app.js';
import { drawSeed } from '../../support/test-environment.js';
import { runs } from '../../support/runs.js';

const quiet = { intervalMs: 5, onWarning: () => undefined };
const parsed = (value: unknown): unknown => JSON.parse(textOf(value));
const circle: Record<string, unknown> = { name: 'round' };
circle['self'] = circle;

/** Record of a trace in the service, and the warnings of the client. */
const shown = async (start: object, work: (step: Step) => unknown) => {
  const { url, apiKey } = await sharedApp();
  const { id: project } = await new Assay({ url, apiKey }).projects.create({ name: randomUUID() });
  const lines: string[] = [];
  const onWarning = (line: string) => lines.push(line);
  const assay = new Assay({ url, apiKey, project, logger: { intervalMs: 5, onWarning } });
  let id = '';
  assay.trace('plan', start, (step) => {
    id = step.id;
    return work(step);
  });
  const trace = await assay.traces.get({ trace_id: id });
  await assay.close();
  return { trace, lines, spans: trace.spans as unknown as readonly Record<string, unknown>[] };
};

describe('values recorded by the TypeScript client', () => {
  it('have only the member replaced that JSON refuses', () => {
    const bad = {
      circle,
      get broken(): number {
        throw new Error('look away');
      },
      own: {
        toJSON: () => {
          throw new Error('look away');
        },
      },
      good: { list: [1n, new Date(0), undefined], error: new TypeError('mine') },
    };
    expect(parsed(bad)).to.deep.equal({
      circle: { name: 'round', self: '[circular]' },
      broken: '[unreadable]',
      own: '[unreadable]',
      good: { list: ['1', '1970-01-01T00:00:00.000Z', null], error: 'TypeError: mine' },
    });
    let deep: unknown = 'bottom';
    for (let i = 0; i < 50_000; i += 1) deep = { deep };
    const text = textOf({ deep, beside: 'kept' });
    expect(text).to.match(/^{"deep":{"deep":.*"\[left out\]".*,"beside":"kept"}$/);
  });

  it('show maps as objects and sets as lists', () => {
    const map = new Map<unknown, unknown>([
      ['a', new Set([1, 2])],
      [{ b: 1 }, new Map([['c', null]])],
    ]);
    const plain = { a: [1, 2], '{"b":1}': { c: null } };
    expect(parsed(map)).to.deep.equal(plain);
    expect(parsed({ map, circle: new Map([['in', circle]]) })).to.deep.equal({
      map: plain,
      circle: { in: { name: 'round', self: '[circular]' } },
    });
  });

  it('are serialised in time if objects all hold one another', () => {
    const all: Record<string, unknown>[] = Array.from({ length: 60 }, () => ({}));
    for (const one of all) all.forEach((other, at) => (one[`n${at}`] = other));
    const begun = performance.now();
    expect(textOf(all).length).to.be.greaterThan(1_000);
    expect(performance.now() - begun).to.be.lessThan(20_000);
  });

  it('keep other members as they are beside a broken one', () => {
    const anything = fc.anything({
      withMap: true,
      withSet: true,
      withBigInt: true,
      withDate: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const twice = [value, value];
        const alone: unknown = JSON.parse(jsonOf({ twice }) ?? '');
        const beside = JSON.parse(jsonOf({ twice, circle }) ?? '') as { circle?: unknown };
        delete beside.circle;
        expect(beside).to.deep.equal(alone);
      }),
      { seed: drawSeed('values'), numRuns: runs(500) },
    );
  });
});

describe('the TypeScript logger, given mistakes', () => {
  it('warns of an unknown member, once, and records the others', async () => {
    const { trace, lines } = await shown({ user_metadata: { a: 1 }, input: 'in' }, (step) => {
      step.set({ outptu: 'x', tags: 'one' } as object);
      step.set({ outptu: 'y' } as object);
      return 'out';
    });
    expect(trace).to.deep.include({ input: 'in', output: 'out', tags: ['one'] });
    expect(lines.map((line) => line.split(';')[0])).to.deep.equal([
      'assay: "plan": user_metadata is not recorded',
      'assay: "plan": outptu is not recorded',
    ]);
    expect(lines[0]).to.contain('metadata, metrics');
  });

  it('warns of each metric with an impossible value, and why', async () => {
    const metrics = { rate: Number.NaN, size: Infinity, nested: { a: 1 }, none: null, fine: 0.5 };
    const { trace, lines } = await shown({ metrics }, (step) =>
      step.set({ metrics: { rate: Number.NaN } }),
    );
    expect(Object.keys(trace.metrics).toSorted()).to.deep.equal(['duration_ns', 'fine']);
    expect(lines).to.deep.equal([
      'assay: "plan": metric "rate" is not recorded: NaN is not a finite number',
      'assay: "plan": metric "size" is not recorded: Infinity is not a finite number',
      'assay: "plan": metric "nested" is not recorded: {"a":1} is neither a number nor a boolean ' +
        'nor a text',
    ]);
  });

  it('records a step of an unknown type as workflow, with a warning', async () => {
    const { lines, spans } = await shown({}, (step) => {
      step.span('model', { type: 'llmm' as 'llm', model: 'm', input: 'q' }, () => 'a');
    });
    expect(spans[0]).to.include({ type: 'workflow', name: 'model', input: 'q', output: 'a' });
    expect(lines.length).to.equal(1);
    expect(lines[0]).to.match(
      /^assay: "model": unknown type llmm, recorded as workflow; types are llm, /,
    );
  });

  it('accepts any text as id of a session', async () => {
    const { url, apiKey } = await sharedApp();
    const assay = new Assay({ url, apiKey, project: `sessions ${randomUUID()}`, logger: quiet });
    for (const sessionId of ['conversation 7', 'conversation 8', 'conversation 7'])
      assay.trace(sessionId, { sessionId }, () => 1);
    const { records } = await assay.traces.search();
    const ids = (name: string) =>
      records.filter((one) => one.name === name).map((one) => one.session_id);
    const [first, ...others] = ids('conversation 7');
    expect(others).to.deep.equal([first]);
    expect(ids('conversation 8')).not.to.include(first);
    const session = await assay.sessions.get({ session_id: first ?? '' });
    expect(session.external_id).to.equal('conversation 7');
    await assay.close();
  });

  it('refuses a malformed run id', async () => {
    const { lines } = await shown({ logStreamId: 'nightly' }, () => 1);
    expect(lines).to.deep.equal(['assay: "plan": logStreamId takes an id, which nightly is not']);
    const make = () => new Assay({ url: 'http://x', logger: { experimentId: 'prompt-b' } });
    expect(make).to.throw(TypeError, 'experimentId takes an id, which prompt-b is not');
  });

  it('records the rest of a step that is odd in every member', async () => {
    const odd = {
      get role(): string {
        throw new Error('look away');
      },
    };
    const { trace, lines, spans } = await shown({ input: odd, externalId: '' }, (step) => {
      step.span('m', { type: 'llm', input: [odd], model: 7 as never, metadata: odd }, () => odd);
      step.span('r', { type: 'retriever' }, () => odd);
      step.span('t', { type: 'tool', toolCallId: 8 as never, metrics: 'x' as never }, () => {
        step.set({ metadata: new Proxy({}, { ownKeys: () => expect.fail('no keys') }) });
      });
    });
    expect([trace.input, trace.external_id]).to.deep.equal(['{"role":"[unreadable]"}', null]);
    expect(spans.map(({ name }) => name)).to.deep.equal(['m', 'r', 't']);
    expect(spans[0]).to.include({ model: '7' });
    expect(spans[0]?.['output']).to.include({ content: '{"role":"[unreadable]"}' });
    expect(spans[1]?.['output']).to.deep.equal([{ content: '{"role":"[unreadable]"}' }]);
    expect(lines).to.deep.equal([]);
  });

  it('keeps the message of an error where OpenTelemetry has it', async () => {
    const { spans } = await shown({}, (step) => {
      try {
        step.span('fails', () => {
          throw new RangeError('too far');
        });
      } catch {
        // It is recorded.
      }
    });
    expect(spans[0]).to.deep.include({
      status_code: 500,
      user_metadata: { 'error.message': 'RangeError: too far' },
    });
  });
});
