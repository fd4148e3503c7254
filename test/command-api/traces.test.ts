import { expect } from 'chai';
import { differingIds } from '../../command-api/traces/span-additions.js';
import { traceEvents } from '../../command-api/traces/event-packing.js';
import type { Trace } from '../../command-api/traces/trace.js';
import type { SpanContent, TraceEvent } from '../../events/traces.js';
import {
  uuid,
  traceStateAfter,
  projectId,
  noon,
  later,
  traceId,
  spanId,
  traceBatchOf,
  traceLoggedOf,
  lateSpansOf,
  traceLoggedEvent,
  booking,
} from '../support/trace-batches.js';

describe('the events of a trace', () => {
  it('has no member at its default, canonical values and its tree in pre-order', () => {
    const { trace, spans } = traceLoggedOf({
      id: traceId.toUpperCase(),
      created_at: '2026-03-01 10:00+01:00',
      name: '',
      input: '',
      output: null,
      tags: ['b', null, 'a', 'b'],
      user_metadata: { kept: 'x', dropped: null },
      dataset_metadata: {},
      metrics: { 'metrics/reward': 1, 'a/b': null },
      unknown: 1,
      spans: [
        {
          type: 'agent',
          id: uuid(20),
          agent_type: 'default',
          spans: [
            { type: 'tool', id: uuid(21), created_at: noon, input: 'x', model: 'not of a tool' },
          ],
        },
        { type: 'workflow', id: uuid(22), created_at: noon, parent_id: uuid(21) },
      ],
    });
    expect(trace).to.deep.equal({
      type: 'trace',
      id: traceId,
      created_at: '2026-03-01T09:00:00.000000Z',
      tags: ['b', 'a'],
      user_metadata: { kept: 'x' },
      metrics: { reward: 1 },
    });
    expect(spans).to.deep.equal([
      {
        type: 'agent',
        id: uuid(20),
        created_at: noon,
        minted: ['created_at'],
        parent_id: traceId,
      },
      { type: 'tool', id: uuid(21), created_at: noon, parent_id: uuid(20), input: 'x' },
      { type: 'workflow', id: uuid(22), created_at: noon, parent_id: traceId },
    ]);
  });

  const values: readonly (readonly [string, object, object])[] = [
    [
      'a text for an llm is a message of the user, one from it a message of the assistant',
      { type: 'llm', input: 'a', output: '' },
      {
        input: [{ content: 'a', role: 'user' }],
        output: { content: '', role: 'assistant' },
      },
    ],
    [
      'a retriever answers a list, whether a text,',
      { type: 'retriever', output: 'a' },
      { output: [{ content: 'a' }] },
    ],
    [
      'one document',
      { type: 'retriever', output: { content: 'a', metadata: { n: 1, gone: null } } },
      { output: [{ content: 'a', metadata: { n: 1 } }] },
    ],
    [
      'or several were sent',
      { type: 'retriever', output: [{ content: 'a' }, { content: 'b', metadata: null }] },
      { output: [{ content: 'a' }, { content: 'b' }] },
    ],
    [
      'unknown members of messages, calls and parts are dropped',
      {
        type: 'agent',
        input: [
          {
            content: [{ type: 'text', text: 'a', more: 1 }],
            role: 'user',
            tool_call_id: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
            more: 1,
          },
        ],
        output: { action: 'steer', matched: true, confidence: null, more: 1 },
      },
      {
        input: [
          {
            content: [{ type: 'text', text: 'a' }],
            role: 'user',
            tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
          },
        ],
        output: { action: 'steer', matched: true },
      },
    ],
    [
      'members of tools and events are free',
      { type: 'llm', tools: [{ any: [null] }], events: [{ type: 'message', any: 1 }] },
      { tools: [{ any: [null] }], events: [{ type: 'message', any: 1 }] },
    ],
  ];
  for (const [title, sent, members] of values) {
    it(title, () => {
      const [span] = traceLoggedOf({ spans: [{ id: spanId, created_at: noon, ...sent }] }).spans;
      const { type, parent_id: _, id: _i, created_at: _c, ...rest } = span as SpanContent;
      expect({ type, ...rest }).to.deep.equal({
        type: (sent as { type: string }).type,
        ...members,
      });
    });
  }

  it('keeps a member called __proto__ of a map', () => {
    const sent = JSON.parse('{"metrics/__proto__":1,"gone":null}') as object;
    const { metrics = {} } = traceLoggedOf({ metrics: sent }).trace;
    expect(Object.entries(metrics)).to.deep.equal([['__proto__', 1]]);
  });
});

describe('a trace that comes again', () => {
  const data = traceLoggedOf(booking);
  const differing = (
    before: readonly TraceEvent[],
    sent: object,
    more: object = {},
  ): readonly string[] =>
    differingIds(traceStateAfter(...before) as Trace, traceLoggedOf(sent, more, later));

  it('is one event at first', () =>
    expect(traceEvents(data)).to.deep.equal([traceLoggedEvent(data)]));
  it('differs in nothing when it is the same', () =>
    expect(differing([traceLoggedEvent(data)], booking)).to.deep.equal([]));
  it('differs in nothing when it was changed and got more spans in between', () => {
    const ids = { project_id: projectId, trace_id: traceId };
    const changes = { output: 'x', tags: ['b'] };
    const before: readonly TraceEvent[] = [
      traceLoggedEvent(data),
      { type: 'TraceUpdated', data: { ...ids, changes } },
      { type: 'SpansLogged', data: { ...ids, spans: lateSpansOf([{ type: 'tool' }]) } },
    ];
    expect(differing(before, booking)).to.deep.equal([]);
  });
  it('differs in nothing when the run or the session would be another one', () => {
    const more = { session_id: uuid(30), client_version: '2' };
    expect(differing([traceLoggedEvent(data)], booking, more)).to.deep.equal([]);
  });
  it('differs in nothing when ids and times that the service made differ', () => {
    const sent = { id: traceId, spans: [{ type: 'agent', spans: [{ type: 'tool', id: spanId }] }] };
    expect(differing([traceLoggedEvent(traceLoggedOf(sent))], sent)).to.deep.equal([]);
  });
  it('differs where its content does', () =>
    expect(differing([traceLoggedEvent(data)], { ...booking, output: 'other' })).to.deep.equal([
      traceId,
    ]));
  it('differs in a span whose content does', () => {
    const spans = [{ ...booking.spans[0], output: 'other' }];
    expect(differing([traceLoggedEvent(data)], { ...booking, spans })).to.deep.equal([spanId]);
  });
  it('differs where the same spans are another tree', () => {
    const [span] = booking.spans;
    const tool = { type: 'tool', id: uuid(12), created_at: noon };
    const flat = [traceLoggedEvent(traceLoggedOf({ ...booking, spans: [span, tool] }))];
    const nested = { ...booking, spans: [{ ...span, spans: [tool] }] };
    expect(differing(flat, nested)).to.include(uuid(12));
  });
  it('differs when it has one span fewer', () =>
    expect(differing([traceLoggedEvent(data)], { ...booking, spans: [] })).to.deep.equal([
      traceId,
    ]));
  it('differs in an end that the first request did not have', () => {
    const open = [traceLoggedEvent(traceLoggedOf(booking, { is_complete: false }))];
    expect(differing(open, booking)).to.deep.equal([traceId]);
  });
});

describe('traces of one request', () => {
  it('are each recorded once, and counted as often as they were sent', () => {
    const {
      ids,
      logged: distinct,
      differ,
      spansCount,
    } = traceBatchOf({ traces: [booking, booking] });
    expect(ids).to.deep.equal([traceId, traceId]);
    expect(distinct).to.have.length(1);
    expect(differ).to.deep.equal([]);
    expect(spansCount).to.equal(2);
  });
  it('are recorded once under one id if they differ, and the id is named', () => {
    const { logged: distinct, differ } = traceBatchOf({
      traces: [booking, { ...booking, input: 'b' }],
    });
    expect(distinct.map(({ trace }) => trace.input)).to.deep.equal(['a flight, please']);
    expect(differ).to.deep.equal([traceId]);
  });
  it('are recorded once if they share a span, and the span is named', () => {
    const other = { ...booking, id: uuid(40) };
    const { logged: distinct, differ } = traceBatchOf({ traces: [booking, other] });
    expect(distinct.map(({ trace_id: id }) => id)).to.deep.equal([traceId]);
    expect(differ).to.deep.equal([spanId]);
  });
  it('may hold a span twice, but not with different content', () => {
    const span = { type: 'tool', id: spanId, created_at: noon };
    expect(traceLoggedOf({ spans: [span, span] }).spans).to.have.length(1);
    const { logged: distinct, differ } = traceBatchOf({
      traces: [{ spans: [span, { ...span, name: 'b' }] }],
    });
    expect(distinct).to.deep.equal([]);
    expect(differ).to.deep.equal([spanId]);
  });
});
