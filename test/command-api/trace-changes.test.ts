import { expect } from 'chai';
import { updateSpan, updateTrace } from '../../command-api/traces/change.js';
import { addSpans } from '../../command-api/traces/log.js';
import { traces } from '../../command-api/traces/trace.js';
import type { TraceEvent } from '../../events/traces.js';
import { isRejection } from '../../kernel/decision.js';
import type { SpanId } from '../../kernel/shapes.js';
import { spec } from '../support/given.js';
import {
  uuid,
  projectId,
  noon,
  traceId,
  spanId,
  one,
  late,
  logged,
  after,
  booking,
} from '../support/sent-traces.js';

const given = spec(traces);

describe('spans that come later', () => {
  const place = { project_id: projectId, trace_id: traceId };
  const before = logged(one(booking));
  const [known] = booking.spans;

  it('are recorded under the parent that the request names, or that they name themselves', () => {
    const spans = late(
      [
        {
          type: 'agent',
          id: uuid(50),
          created_at: noon,
          spans: [{ type: 'tool', id: uuid(51), created_at: noon }],
        },
        { type: 'tool', id: uuid(52), created_at: noon, parent_id: uuid(51) },
      ],
      spanId,
    );
    expect(spans.map(({ parent_id: parent }) => parent)).to.deep.equal([
      spanId,
      uuid(50),
      uuid(51),
    ]);
    given(before)
      .when(addSpans(spans))
      .then({ type: 'SpansLogged', data: { ...place, spans } });
  });
  it('are left out where the trace has them', () => {
    const spans = late([known as object, { type: 'tool', id: uuid(53), created_at: noon }]);
    given(before)
      .when(addSpans(spans))
      .then({ type: 'SpansLogged', data: { ...place, spans: spans.slice(1) } });
  });
  it('are refused where the trace has them with other content or elsewhere', () => {
    given(before)
      .when(addSpans(late([{ ...known, output: 'other' }])))
      .thenRejected('conflict', `content: ${spanId}$`);
    given(before)
      .when(addSpans(late([known as object], uuid(9))))
      .thenRejected('conflict', spanId);
  });
  it('are refused without a trace', () => {
    given()
      .when(addSpans(late([known as object])))
      .thenRejected('not-found');
    given(before, { type: 'TraceDeleted', data: place })
      .when(addSpans(late([known as object])))
      .thenRejected('not-found');
  });
});

describe('changing a trace', () => {
  const place = { project_id: projectId, trace_id: traceId };
  const before = logged(one(booking, { is_complete: false }));
  const updated = (changes: object): TraceEvent => ({
    type: 'TraceUpdated',
    data: { ...place, changes },
  });
  const scored = (scores: Record<string, number | null>): TraceEvent => ({
    type: 'ScoresRecorded',
    data: { ...place, record_id: traceId, scores },
  });

  it('overwrites what is given, adds tags and merges metrics', () =>
    given(before)
      .when(
        updateTrace({
          output: 'booked',
          status_code: 200,
          tags: ['b', 'a', null, 'b'],
          is_complete: true,
          duration_ns: 7,
          metrics: { reward: null, 'metrics/cost': 0.5 },
        }),
      )
      .then(
        updated({ output: 'booked', status_code: 200, tags: ['b'], is_complete: true }),
        scored({ reward: null, cost: 0.5, duration_ns: 7 }),
      ));
  it('records only what is not so already', () =>
    given(before)
      .when(updateTrace({ input: 'a flight, please', output: 'x', metrics: { reward: 1 } }))
      .then(updated({ output: 'x' })));
  it('is quiet when all is so already', () => {
    given(before)
      .when(
        updateTrace({
          input: 'a flight, please',
          output: null,
          tags: ['a'],
          is_complete: false,
          metrics: { reward: 1, never_there: null },
        }),
      )
      .thenNothing();
  });
  it('records only metrics where only they differ', () =>
    given(before)
      .when(updateTrace({ metrics: { reward: 2 } }))
      .then(scored({ reward: 2 })));
  it('withdraws a metric for good', () =>
    given(before, scored({ reward: null }))
      .when(updateTrace({ metrics: { reward: 1 } }))
      .then(scored({ reward: 1 })));
  it('refuses more tags than a record may have', () =>
    given(before)
      .when(updateTrace({ tags: Array.from({ length: 100 }, (_, index) => `t${index}`) }))
      .thenRejected('invalid'));
  it('refuses more metrics than a record may have, counting those withdrawn', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`m${index}`, 1]));
    given(before)
      .when(updateTrace({ metrics: many }))
      .thenRejected('invalid');
    const { decision } = {
      decision: updateTrace({ metrics: { ...many, reward: null } })(after(before)),
    };
    expect(isRejection(decision)).to.equal(false);
  });
  it('refuses where there is no trace', () =>
    given().when(updateTrace({})).thenRejected('not-found'));
});

describe('changing a span', () => {
  const before = logged(one(booking));
  const span = { project_id: projectId, trace_id: traceId, span_id: spanId };

  it('stores what its kind makes of the value', () =>
    given(before)
      .when(updateSpan(spanId, { output: 'other' }))
      .then({
        type: 'SpanUpdated',
        data: { ...span, changes: { output: { content: 'other', role: 'assistant' } } },
      }));
  it('is quiet when the value means the same', () =>
    given(before)
      .when(updateSpan(spanId, { input: [{ role: 'user', content: 'a flight, please' }] }))
      .thenNothing());
  it('is quiet when no input is what it has', () =>
    given(logged(one({ id: traceId, spans: [{ type: 'llm', id: spanId }] })))
      .when(updateSpan(spanId, { input: '' }))
      .thenNothing());
  it('refuses a value that is legal only for other kinds', () => {
    given(before)
      .when(updateSpan(spanId, { output: [{ content: 'a' }] }))
      .thenRejected('invalid');
    given(before)
      .when(updateSpan(spanId, { input: [{ type: 'text', text: 'a' }] }))
      .thenRejected('invalid');
  });
  it('refuses a span that the trace lacks, and the trace itself', () => {
    given(before)
      .when(updateSpan(uuid(99) as SpanId, {}))
      .thenRejected('not-found');
    given(before)
      .when(updateSpan(traceId as string as SpanId, {}))
      .thenRejected('not-found');
  });
});
