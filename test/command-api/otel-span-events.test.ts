import { expect } from 'chai';
import {
  firstSpanEvents,
  laterSpanEvents,
  type OtelBatch,
} from '../../command-api/traces/otel-span-events.js';
import { traces } from '../../command-api/traces/trace.js';
import type { TraceEvent } from '../../events/traces.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import { otelSpan, otelTraceId } from '../support/otlp.js';
import { instantAt, projectId, runId, spanId, traceId } from '../support/random-trace-logs.js';

const batch = (from: number, to: number, text = ''): OtelBatch => ({
  base: {
    project_id: projectId,
    run_id: runId,
    run_kind: 'log_stream',
    trace_id: traceId(1),
    otel_trace_id: otelTraceId(1),
    received_at: instantAt(0),
  },
  parts: [
    {
      place: {},
      spans: Array.from({ length: to - from }, (_, at) => ({
        id: spanId(1, from + at),
        parent_id: traceId(1),
        sent: otelSpan({ id: from + at, attributes: { text } }) as OtelSpan,
      })),
    },
  ],
});
const folded = (events: readonly TraceEvent[]) => {
  const trace = events.reduce(traces.evolve, traces.initial);
  if (trace === null) throw new Error('no trace');
  return trace;
};

/** Contract 1.11. */
describe('a trace that exporters send more and more of', () => {
  it('takes 20,000 spans, and refuses those of a request that are more', () => {
    const trace = folded(firstSpanEvents(batch(1, 19_999), null).events);
    const last = laterSpanEvents(batch(19_999, 20_001), trace);
    expect([last.events.length, last.refused.count]).to.deep.equal([1, 0]);
    const full = folded([...firstSpanEvents(batch(1, 19_999), null).events, ...last.events]);
    const { events, refused } = laterSpanEvents(batch(20_001, 20_004), full);
    expect([events.length, refused.count]).to.deep.equal([0, 3]);
    expect([...refused.reasons].join()).to.include('at most 20000 spans; this would be 20003');
    // What is there already is no more.
    expect(laterSpanEvents(batch(1, 3), full)).to.deep.include({ events: [] });
    expect(laterSpanEvents(batch(1, 3), full).refused.count).to.equal(0);
  });

  it('takes 64 MiB, and refuses those of a request that are more', () => {
    const text = 'x'.repeat(8 * 1024 * 1024);
    const seven = Array.from({ length: 7 }, (_, at) => at + 1);
    let trace = folded(firstSpanEvents(batch(1, 2, text), null).events);
    for (const at of seven.slice(1)) {
      const { events, refused } = laterSpanEvents(batch(at, at + 1, text), trace);
      expect(refused.count).to.equal(0);
      trace = events.reduce(traces.evolve, trace) ?? trace;
    }
    const { events, refused } = laterSpanEvents(batch(8, 9, text), trace);
    expect([events.length, refused.count]).to.deep.equal([0, 1]);
    expect([...refused.reasons].join()).to.include('at most 67108864 bytes');
  });
});
