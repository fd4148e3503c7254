import { expect } from 'chai';
import * as fc from 'fast-check';
import { persistentGet } from '../../command-api/traces/persistent-map.js';
import { addSpans, differingIds } from '../../command-api/traces/span-additions.js';
import {
  eventBytesMax,
  payloadCharacters,
  traceEvents,
} from '../../command-api/traces/event-packing.js';
import { traces, type Trace } from '../../command-api/traces/trace.js';
import type { TraceLogged } from '../../events/traces.js';
import { runs } from '../support/runs.js';
import { sentSpans, sentTraces } from '../support/trace-generators.js';
import {
  uuid,
  noon,
  later,
  traceId,
  spanId,
  traceBatchOf,
  traceLoggedOf,
  lateSpansOf,
  throughJson,
  traceLoggedEvent,
  traceStateAfter,
  eventsOf,
} from '../support/trace-batches.js';

describe('the size of a payload', () => {
  it('is estimated by one walk, however often it is needed', () => {
    let walks = 0;
    const payload = {
      get text(): string {
        walks += 1;
        return 'a text';
      },
    };
    expect(payloadCharacters(payload)).to.equal(payloadCharacters(payload));
    expect(walks).to.equal(1);
    expect(payloadCharacters('a text')).to.equal('a text'.length + 4);
  });
});

describe('a large trace', () => {
  const text = 'ä'.repeat(100_000);
  const sent = {
    id: traceId,
    spans: Array.from({ length: 20 }, (_, index) => ({
      type: 'tool',
      id: uuid(100 + index),
      created_at: noon,
      input: text,
    })),
  };
  const events = traceEvents(traceLoggedOf(sent));

  it('is several events, none above the limit, with every span once and in order', () => {
    for (const { data } of events) {
      expect(Buffer.byteLength(JSON.stringify(data))).to.be.at.most(eventBytesMax);
    }
    const spans = events.flatMap(({ data }) => (data as TraceLogged).spans);
    expect(spans.map(({ id }) => id)).to.deep.equal(sent.spans.map(({ id }) => id));
    expect(events.map(({ type }) => type)).to.deep.equal([
      'TraceLogged',
      ...Array(events.length - 1).fill('SpansLogged'),
    ]);
  });
  it('is equal when sent again', () =>
    expect(differingIds(traceStateAfter(...events) as Trace, traceLoggedOf(sent))).to.deep.equal(
      [],
    ));
  it('has an event of its own for a record that is larger than the limit', () => {
    const parts = Array.from({ length: 10 }, () => ({ type: 'text', text }));
    const huge = { type: 'workflow', id: spanId, input: parts };
    const kinds = traceEvents(traceLoggedOf({ id: traceId, input: parts, spans: [huge, huge] }));
    expect(kinds.map(({ data }) => (data as TraceLogged).spans.length)).to.deep.equal([0, 1]);
  });
});

describe('any trace', () => {
  it('survives the log, and is equal when sent again', () => {
    fc.assert(
      fc.property(sentTraces('always'), (body) => {
        for (const first of traceBatchOf(body).logged) {
          const state = traceStateAfter(...traceEvents(first)) as Trace;
          const again = traceBatchOf(body, later).logged.find(
            ({ trace_id: id }) => id === first.trace_id,
          );
          expect(differingIds(state, again as TraceLogged)).to.deep.equal([]);
        }
      }),
      { numRuns: runs(150) },
    );
  });
  it('is one state whatever the order and number of its late spans', () => {
    fc.assert(
      fc.property(
        sentSpans('always', 1).chain((spans) =>
          fc.tuple(
            fc.constant(spans),
            fc.array(fc.constantFrom([], ...spans.map((span) => [span])), { maxLength: 6 }),
          ),
        ),
        ([spans, first]) => {
          const dated = (some: readonly object[]) =>
            lateSpansOf(some.map((one) => ({ ...one, parent_id: null })));
          const add = (state: Trace | null, some: readonly object[]) => {
            const decision = addSpans(dated(some))(state);
            return throughJson(eventsOf(decision)).reduce(traces.evolve, state);
          };
          const start = traceStateAfter(traceLoggedEvent(traceLoggedOf({ id: traceId })));
          const inOrder = add(start, spans);
          const inAnyOrder = add(first.reduce(add, start), [...spans].reverse());
          const content = (state: Trace | null) =>
            spans.map(
              ({ id }) => persistentGet((state as Trace).records, String(id).toLowerCase())?.sent,
            );
          expect(content(inAnyOrder)).to.deep.equal(content(inOrder));
          expect(addSpans(dated(spans))(inAnyOrder)).to.deep.equal([]);
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
