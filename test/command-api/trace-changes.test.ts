import { expect } from 'chai';
import { updateSpan, updateTrace } from '../../command-api/traces/record-changes.js';
import { addSpans } from '../../command-api/traces/span-additions.js';
import { traces } from '../../command-api/traces/trace.js';
import type { TraceEvent } from '../../events/traces.js';
import { isRejection } from '../../kernel/decision.js';
import type { RunId, ScorerId, SpanId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import {
  uuid,
  projectId,
  noon,
  traceId,
  spanId,
  traceLoggedOf,
  lateSpansOf,
  traceLoggedEvent,
  traceStateAfter,
  booking,
} from '../support/trace-batches.js';

const given = deciderSpec(traces);
const run = uuid(2) as RunId;

describe('spans that come later', () => {
  const place = { project_id: projectId, trace_id: traceId };
  const before = traceLoggedEvent(traceLoggedOf(booking));
  const [known] = booking.spans;

  it('are recorded under the parent that the request names, or that they name themselves', () => {
    const spans = lateSpansOf(
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
      .then({ type: 'SpansLogged', data: { ...place, run_id: run, spans } });
  });
  it('are left out where the trace has them', () => {
    const spans = lateSpansOf([known as object, { type: 'tool', id: uuid(53), created_at: noon }]);
    given(before)
      .when(addSpans(spans))
      .then({ type: 'SpansLogged', data: { ...place, run_id: run, spans: spans.slice(1) } });
  });
  it('are refused where the trace has them with other content or elsewhere', () => {
    given(before)
      .when(addSpans(lateSpansOf([{ ...known, output: 'other' }])))
      .thenRejected('conflict', `content: ${spanId}$`);
    given(before)
      .when(addSpans(lateSpansOf([known as object], uuid(9))))
      .thenRejected('conflict', spanId);
  });
  it('are refused without a trace', () => {
    given()
      .when(addSpans(lateSpansOf([known as object])))
      .thenRejected('not-found');
    given(before, { type: 'TraceDeleted', data: place })
      .when(addSpans(lateSpansOf([known as object])))
      .thenRejected('not-found');
  });
});

describe('a trace over all requests', () => {
  const place = { project_id: projectId, trace_id: traceId };
  const text = 'é'.repeat(500_000);
  /** Each a little more than 1 MB as JSON. */
  const heavy = (count: number): readonly TraceEvent[] =>
    Array.from({ length: count }, () => ({
      type: 'SpansLogged',
      data: { ...place, run_id: run, spans: lateSpansOf([{ type: 'tool', input: text }]) },
    }));
  const small = { type: 'tool', created_at: noon };

  it('has at most 20,000 spans', () => {
    const spans = lateSpansOf(Array.from({ length: 19_999 }, () => small));
    const full: TraceEvent = { type: 'SpansLogged', data: { ...place, run_id: run, spans } };
    const before = [
      traceLoggedEvent(traceLoggedOf({ id: traceId, created_at: noon })),
      full,
    ] as const;
    const more = lateSpansOf([small, small]);
    given(...before)
      .when(addSpans(more))
      .thenRejected('conflict', 'at most 20000 spans');
    const last = more.slice(0, 1);
    given(...before)
      .when(addSpans(last))
      .then({ type: 'SpansLogged', data: { ...place, run_id: run, spans: last } });
  });
  it('has at most 64 MiB of records as JSON; takes repeats and changes that add nothing', () => {
    const before = [
      traceLoggedEvent(traceLoggedOf({ id: traceId, created_at: noon, input: 'a' })),
      ...heavy(67),
    ];
    given(...before)
      .when(addSpans(lateSpansOf([{ type: 'tool', input: text }])))
      .thenRejected('conflict', 'at most 67108864 bytes');
    given(...before)
      .when(updateTrace({ output: text }))
      .thenRejected('conflict', 'at most 67108864 bytes');
    given(...before)
      .when(updateTrace({ input: 'b' }))
      .then({ type: 'TraceUpdated', data: { ...place, run_id: run, changes: { input: 'b' } } });
    const [first] = before[1]?.type === 'SpansLogged' ? before[1].data.spans : [];
    given(...before)
      .when(addSpans(first === undefined ? [] : [first]))
      .then();
  });
  it('counts what its records hold now, not what they held', () => {
    const changes = Array.from({ length: 70 }, (_, number): TraceEvent => ({
      type: 'TraceUpdated',
      data: { ...place, run_id: run, changes: { output: `${number}${text}` } },
    }));
    const spans = lateSpansOf([{ type: 'tool', input: text }]);
    given(traceLoggedEvent(traceLoggedOf({ id: traceId, created_at: noon })), ...changes)
      .when(addSpans(spans))
      .then({ type: 'SpansLogged', data: { ...place, run_id: run, spans } });
  });
});

describe('changing a trace', () => {
  const place = { project_id: projectId, trace_id: traceId };
  const before = traceLoggedEvent(traceLoggedOf(booking, { is_complete: false }));
  const updated = (changes: object): TraceEvent => ({
    type: 'TraceUpdated',
    data: { ...place, run_id: run, changes },
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
  it('records only what is not already so', () =>
    given(before)
      .when(updateTrace({ input: 'a flight, please', output: 'x', metrics: { reward: 1 } }))
      .then(updated({ output: 'x' })));
  it('compares with the value of the client, not with the score of a scorer', () => {
    const score: TraceEvent = {
      type: 'ScoresRecorded',
      data: {
        ...place,
        record_id: traceId,
        scores: { reward: 0.25, tone: 3 },
        scorer: { scorer_id: uuid(7) as ScorerId, version: 1, job_id: null },
      },
    };
    const asSent = { reward: 1, tone: 3 };
    given(before, score)
      .when(updateTrace({ metrics: { ...asSent } }))
      .then();
    given(before, score)
      .when(updateTrace({ metrics: { reward: 0.25 } }))
      .then(scored({ reward: 0.25 }));
  });
  it('is quiet when everything is already so', () => {
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
      decision: updateTrace({ metrics: { ...many, reward: null } })(traceStateAfter(before)),
    };
    expect(isRejection(decision)).to.equal(false);
  });
  it('refuses where there is no trace', () =>
    given().when(updateTrace({})).thenRejected('not-found'));
});

describe('changing a span', () => {
  const before = traceLoggedEvent(traceLoggedOf(booking));
  const span = { project_id: projectId, trace_id: traceId, span_id: spanId };

  it('stores what its kind makes of the value', () =>
    given(before)
      .when(updateSpan(spanId, { output: 'other' }))
      .then({
        type: 'SpanUpdated',
        data: {
          ...span,
          run_id: run,
          changes: { output: { content: 'other', role: 'assistant' } },
        },
      }));
  it('is quiet when the value means the same', () =>
    given(before)
      .when(updateSpan(spanId, { input: [{ role: 'user', content: 'a flight, please' }] }))
      .thenNothing());
  it('leaves no event for an empty input of a trace without input', () =>
    given(traceLoggedEvent(traceLoggedOf({ id: traceId, spans: [{ type: 'llm', id: spanId }] })))
      .when(updateSpan(spanId, { input: '' }))
      .thenNothing());
  it('refuses a value that is allowed only for other kinds', () => {
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
