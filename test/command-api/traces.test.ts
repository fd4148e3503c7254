import { expect } from 'chai';
import { logTrace } from '../../command-api/traces/log.js';
import { traces } from '../../command-api/traces/trace.js';
import type { SpanContent } from '../../events/traces.js';
import { spec } from '../support/given.js';
import {
  uuid,
  projectId,
  noon,
  later,
  traceId,
  spanId,
  batch,
  one,
  late,
  logged,
  booking,
} from '../support/sent-traces.js';

const given = spec(traces);

describe('what a trace becomes', () => {
  it('has no member at its default, canonical values and its tree in pre-order', () => {
    const { trace, spans } = one({
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
      const [span] = one({ spans: [{ id: spanId, created_at: noon, ...sent }] }).spans;
      const { type, parent_id: _, id: _i, created_at: _c, ...rest } = span as SpanContent;
      expect({ type, ...rest }).to.deep.equal({
        type: (sent as { type: string }).type,
        ...members,
      });
    });
  }

  it('keeps a member called __proto__ of a map', () => {
    const sent = JSON.parse('{"metrics/__proto__":1,"gone":null}') as object;
    const { metrics = {} } = one({ metrics: sent }).trace;
    expect(Object.entries(metrics)).to.deep.equal([['__proto__', 1]]);
  });
});

describe('logging a trace', () => {
  const data = one(booking);
  const repeated = (sent: object, more: object = {}) => logTrace(one(sent, more, later));

  it('records it as one event', () => given().when(logTrace(data)).then(logged(data)));
  it('is quiet when the same trace comes again', () =>
    given(logged(data)).when(repeated(booking)).thenNothing());
  it('is quiet when the trace was changed and got more spans in between', () =>
    given(
      logged(data),
      {
        type: 'TraceUpdated',
        data: { project_id: projectId, trace_id: traceId, changes: { output: 'x', tags: ['b'] } },
      },
      {
        type: 'SpansLogged',
        data: { project_id: projectId, trace_id: traceId, spans: late([{ type: 'tool' }]) },
      },
    )
      .when(repeated(booking))
      .thenNothing());
  it('is quiet when the run or the session would be another one', () =>
    given(logged(data))
      .when(repeated(booking, { session_id: uuid(30), client_version: '2' }))
      .thenNothing());
  it('is quiet when ids and times that the service made differ', () => {
    const sent = { id: traceId, spans: [{ type: 'agent', spans: [{ type: 'tool', id: spanId }] }] };
    given(logged(one(sent)))
      .when(repeated(sent))
      .thenNothing();
  });
  it('refuses other content and names the trace', () =>
    given(logged(data))
      .when(repeated({ ...booking, output: 'other' }))
      .thenRejected('conflict', `content: ${traceId}$`));
  it('refuses other content of a span and names the span', () =>
    given(logged(data))
      .when(repeated({ ...booking, spans: [{ ...booking.spans[0], output: 'other' }] }))
      .thenRejected('conflict', `content: ${spanId}$`));
  it('refuses the same spans in another tree', () => {
    const [span] = booking.spans;
    const tool = { type: 'tool', id: uuid(12), created_at: noon };
    const flat = { ...booking, spans: [span, tool] };
    given(logged(one(flat)))
      .when(repeated({ ...booking, spans: [{ ...span, spans: [tool] }] }))
      .thenRejected('conflict', uuid(12));
  });
  it('refuses the trace with one span fewer', () =>
    given(logged(data))
      .when(repeated({ ...booking, spans: [] }))
      .thenRejected('conflict', traceId));
  it('refuses an end that the first request did not have', () =>
    given(logged(one(booking, { is_complete: false })))
      .when(repeated(booking))
      .thenRejected('conflict', traceId));
  it('refuses the id of a deleted trace', () =>
    given(logged(data), {
      type: 'TraceDeleted',
      data: { project_id: projectId, trace_id: traceId },
    })
      .when(repeated(booking))
      .thenRejected('conflict', traceId));
});

describe('traces of one request', () => {
  it('are each recorded once, and counted as often as they were sent', () => {
    const { ids, logged: distinct, differ, spansCount } = batch({ traces: [booking, booking] });
    expect(ids).to.deep.equal([traceId, traceId]);
    expect(distinct).to.have.length(1);
    expect(differ).to.deep.equal([]);
    expect(spansCount).to.equal(2);
  });
  it('that differ under one id: the first is recorded, the id is named', () => {
    const { logged: distinct, differ } = batch({ traces: [booking, { ...booking, input: 'b' }] });
    expect(distinct.map(({ trace }) => trace.input)).to.deep.equal(['a flight, please']);
    expect(differ).to.deep.equal([traceId]);
  });
  it('that share a span: the first is recorded, the span is named', () => {
    const other = { ...booking, id: uuid(40) };
    const { logged: distinct, differ } = batch({ traces: [booking, other] });
    expect(distinct.map(({ trace_id: id }) => id)).to.deep.equal([traceId]);
    expect(differ).to.deep.equal([spanId]);
  });
  it('may hold a span twice, but not with different content', () => {
    const span = { type: 'tool', id: spanId, created_at: noon };
    expect(one({ spans: [span, span] }).spans).to.have.length(1);
    const { logged: distinct, differ } = batch({
      traces: [{ spans: [span, { ...span, name: 'b' }] }],
    });
    expect(distinct).to.deep.equal([]);
    expect(differ).to.deep.equal([spanId]);
  });
});
