import { expect } from 'chai';
import { traceStream } from '../../command-api/facts/traces.js';
import {
  isPassedSpans,
  type ActiveScorer,
  type ScoringTarget,
} from '../../command-api/run-scoring/scorer-steps.js';
import { openSpanTexts } from '../../command-api/run-scoring/span-texts.js';
import { scoredTrace } from '../../command-api/run-scoring/scored-trace.js';
import { randomIds } from '../../engines/node/ids.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { treeLevelsMax } from '../../kernel/records/span-tree.js';
import type { ScorerSpans, ScorerStep } from '../../kernel/sandbox.js';
import type { RunId, TraceId } from '../../kernel/schema-types.js';
import { appendEvents } from '../../kernel/transact.js';
import { authorAt, remoteTestLog, testLog } from '../support/test-log.js';
import { projectId } from '../support/access-events.js';
import { inProcessSandbox } from '../support/sandboxes.js';
import {
  openScoringFixture,
  traceLogged,
  type ScoringFixture,
} from '../support/scoring-fixture.js';

type Span = Readonly<Record<string, unknown>> & { readonly id: string };
const logged = (spans: readonly Span[]) => {
  const data = { project_id: 'p', run_id: 'r', trace_id: 't', is_complete: true };
  const event = {
    type: 'TraceLogged',
    data: { ...data, trace: { type: 'trace', id: 't' }, spans },
    revision: 0,
    metadata: {},
  };
  const trace = scoredTrace([event as unknown as StoredEvent]);
  if (trace === null) throw new Error('the trace was not folded');
  return trace;
};
const span = (id: string, parent = 't', more: object = {}): Span => ({
  id,
  parent_id: parent,
  type: 'tool',
  created_at: '2026-03-01T09:00:00.000000Z',
  ...more,
});
type Seen = Readonly<Record<string, unknown>> & { readonly id: string; readonly level: number };
const listOf = ({ json }: ScorerSpans): readonly Seen[] =>
  JSON.parse(json.join('')) as readonly Seen[];
const placesOf = (spans: ScorerSpans): readonly string[] =>
  listOf(spans).map(({ id, level }) => `${level} ${id}`);

describe('spans of a trace for its scorers', () => {
  it('orders depth first, by step, time and arrival; orphans under the trace', async () => {
    const later = { created_at: '2026-03-01T09:00:01.000000Z' };
    const trace = logged([
      span('late', 't', later),
      span('child', 'early'),
      span('early'),
      span('twin'),
      span('step 2', 't', { step_number: 2 }),
      span('step 1', 't', { step_number: 1, ...later }),
      span('stray', 'nobody', later),
      span('circle', 'circled', later),
      span('circled', 'circle', later),
    ]);
    expect(placesOf(await openSpanTexts()(trace))).to.deep.equal([
      '1 step 1',
      '1 step 2',
      '1 early',
      '2 child',
      '1 twin',
      '1 late',
      '1 stray',
      '1 circle',
      '1 circled',
    ]);
  });

  it('contain recorded members, without redacted texts and minted ones', async () => {
    const content = {
      input: 'in',
      output: 'out',
      tags: ['t'],
      metrics: { cost: 1 },
      status_code: 500,
      step_number: 3,
    };
    const more = { redacted_input: 'r', redacted_output: 'r', minted: ['id'], price: { input: 1 } };
    const [seen] = listOf(await openSpanTexts()(logged([span('a', 't', { ...content, ...more })])));
    const { parent_id: _, ...own } = span('a');
    expect(seen).to.deep.equal({ ...own, ...content, level: 1 });
  });

  it('are cut at the bound in bytes to the first whole ones, and counted', async () => {
    const trace = logged(['a', 'b', 'c'].map((id) => span(id, 't', { output: 'é'.repeat(100) })));
    const whole = await openSpanTexts()(trace);
    expect(whole).to.include({ cut: 0, characters: whole.json.join('').length });
    const bytes = Buffer.byteLength(whole.json.join(''));
    expect(placesOf(await openSpanTexts(bytes)(trace))).to.deep.equal(['1 a', '1 b', '1 c']);
    const cut = await openSpanTexts(bytes - 1)(trace);
    expect([placesOf(cut), cut.cut]).to.deep.equal([['1 a', '1 b'], 1]);
    expect(Buffer.byteLength(cut.json.join(''))).to.be.lessThan(bytes);
    const none = await openSpanTexts(50)(trace);
    expect([none.json.join(''), none.cut]).to.deep.equal(['[]', 3]);
  });

  it('stand side by side below the greatest depth', async () => {
    const depth = 10_000;
    const chain = Array.from({ length: depth }, (_, at) =>
      span(`${at}`, at === 0 ? 't' : `${at - 1}`),
    );
    const found = listOf(await openSpanTexts()(logged(chain.reverse())));
    expect(found.map(({ id }) => id)).to.deep.equal(
      Array.from({ length: depth }, (_, at) => `${at}`),
    );
    expect(found.map(({ level }) => level)).to.deep.equal(
      Array.from({ length: depth }, (_, at) => Math.min(at + 1, treeLevelsMax)),
    );
  });

  it('are serialised once for all scorers of a trace', async () => {
    const [trace, texts] = [logged([span('a')]), openSpanTexts()];
    expect(await texts(trace)).to.equal(await texts(trace));
    expect(await texts({ ...trace })).not.to.equal(await texts(trace));
  });

  it('are passed to trace scorers whose file contains the word', () => {
    const sees = (source: string, nodeType: ScoringTarget['nodeType']): boolean =>
      isPassedSpans({ source } as ActiveScorer, { nodeType } as ScoringTarget);
    expect(sees('step_object.spans', 'trace')).to.equal(true);
    expect(sees('kwargs["spans_cut"]', 'chain')).to.equal(true);
    expect(sees('node_output', 'trace')).to.equal(false);
    expect(sees('step_object.spans', 'agent')).to.equal(false);
  });
});

for (const [kind, openLog] of Object.entries({
  'the embedded log': testLog,
  EventStoreDB: remoteTestLog,
})) {
  describe(`scorers of the spans of a trace, on ${kind}`, function () {
    let world: ScoringFixture;
    beforeEach(async () => {
      world = await openScoringFixture(null, await openLog());
    });
    afterEach(() => world.close());

    /** A complete trace with a span of that output, which later says another thing. */
    const changedTrace = async (run: RunId): Promise<TraceId> => {
      const trace = randomIds.next('TraceId');
      const event = traceLogged(projectId(1), run, trace, 'done');
      const id = randomIds.next('SpanId');
      const first = span(id, trace, { output: 'before' });
      await world.append(
        traceStream(projectId(1), trace),
        { ...event, data: { ...event.data, spans: [first] } },
        {
          type: 'SpanUpdated',
          data: {
            project_id: projectId(1),
            trace_id: trace,
            span_id: id,
            changes: { output: 'after' },
          },
        },
      );
      return trace;
    };

    it('see spans as they are now, read once with the trace; other scorers get none', async () => {
      const seen = new Map<string, ScorerStep['spans'][]>();
      const sandbox = inProcessSandbox((step) => step.id);
      const run = await world.run(1, [
        await world.scorer('plain', '# plain'),
        await world.scorer('one', '# one spans'),
        await world.scorer('two', '# two spans'),
      ]);
      const trace = await changedTrace(run);
      const stream = traceStream(projectId(1), trace);
      const reads: string[] = [];
      const { log } = world;
      world.startWorker({
        log: {
          ...log,
          read: (name, reading) => {
            if (name === stream && reading?.from === undefined) reads.push(name);
            return log.read(name, reading);
          },
        },
        sandbox: {
          ...sandbox,
          run: (task, options) => {
            seen.set(
              task.source,
              task.steps.map(({ spans }) => spans),
            );
            return sandbox.run(task, options);
          },
        },
      });
      for (const name of ['plain', 'one', 'two']) await world.untilScored(1, trace, name);
      expect(seen.get('# plain')).to.deep.equal([null]);
      const [one = null] = seen.get('# one spans') ?? [];
      expect(seen.get('# two spans')?.[0]).to.equal(one);
      expect(one === null ? [] : listOf(one).map(({ output }) => output)).to.deep.equal(['after']);
      expect(reads).to.have.length(1);
      expect(world.errors).to.deep.equal([]);
    });

    it('are not called for a deleted trace', async () => {
      const run = await world.run(1, [await world.scorer('one', '# spans')]);
      const [gone, kept] = [await changedTrace(run), await changedTrace(run)];
      const stream = traceStream(projectId(1), gone);
      const data = { project_id: projectId(1), trace_id: gone };
      const events = [{ type: 'TraceDeleted', data }];
      await appendEvents(world.log, [{ stream, expected: 1, events }], authorAt());
      const ids: string[] = [];
      world.startWorker({
        sandbox: inProcessSandbox((step) => {
          ids.push(step.id);
          return 'seen';
        }),
      });
      await world.untilScored(1, kept, 'one');
      expect(ids).to.deep.equal([kept]);
    });
  });
}
