import { expect } from 'chai';
import type { RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { toRecordView } from '../../kernel/records/record-view.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { JsonObject, ScorerId } from '../../kernel/schema-types.js';
import { foldTrace } from '../../projections/records/fold-trace.js';
import {
  instantAt,
  logOf,
  projectId,
  runId,
  sessionId,
  spanId,
  traceId,
  traceStream,
} from '../support/random-trace-logs.js';

const common = { project_id: projectId, trace_id: traceId(1) };
const created = instantAt(0);
const span = (number: number, members: Partial<SpanContent> = {}): SpanContent => ({
  type: 'llm',
  id: spanId(1, number),
  parent_id: traceId(1),
  created_at: created,
  ...members,
});
const logged = (
  trace: Partial<RecordContent> = {},
  spans: readonly SpanContent[] = [],
  session: number | null = null,
): TraceEvent => ({
  type: 'TraceLogged',
  data: {
    ...common,
    run_id: runId,
    run_kind: 'log_stream',
    session_id: session === null ? null : sessionId(session),
    is_complete: true,
    logging_method: 'api_direct',
    trace: { type: 'trace', id: traceId(1), created_at: created, ...trace },
    spans,
  },
});
const late = (...spans: readonly SpanContent[]): TraceEvent => ({
  type: 'SpansLogged',
  data: { ...common, spans },
});
const scored = (record: string, scores: Record<string, number | string | boolean | null>) =>
  ({ type: 'ScoresRecorded', data: { ...common, record_id: record, scores } }) satisfies TraceEvent;
const updated = (changes: JsonObject): TraceEvent => ({
  type: 'TraceUpdated',
  data: { ...common, changes },
});

const given = (...events: readonly TraceEvent[]): readonly RecordRow[] => {
  const log = logOf();
  for (const event of events) log.append(traceStream(1), event);
  return foldTrace([], log.events as readonly StoredEvent<TraceEvent>[]);
};
const of = (rows: readonly RecordRow[], number: number): RecordRow => {
  const row = rows[number];
  if (row === undefined) throw new Error(`no row ${number}`);
  return row;
};

describe("a trace's rows", () => {
  it('have every member of the record, at its default when nothing was sent', () => {
    const rows = given(logged({}, [span(1, { type: 'agent' })]));
    expect(toRecordView(of(rows, 0))).to.deep.equal({
      type: 'trace',
      id: traceId(1),
      project_id: projectId,
      run_id: runId,
      session_id: traceId(1),
      trace_id: traceId(1),
      name: '',
      created_at: created,
      updated_at: null,
      input: '',
      output: null,
      redacted_input: null,
      redacted_output: null,
      user_metadata: {},
      tags: [],
      status_code: null,
      metrics: {},
      external_id: null,
      dataset_input: null,
      dataset_output: null,
      dataset_metadata: {},
      has_children: true,
      is_complete: true,
      metric_info: {},
      annotations: {},
    });
    expect(toRecordView(of(rows, 1))).to.include({
      type: 'agent',
      agent_type: 'default',
      trace_id: traceId(1),
      parent_id: traceId(1),
      step_number: null,
      has_children: false,
    });
  });

  it('return what was sent, structured values too', () => {
    const sent = {
      input: [{ content: 'hi', role: 'user' }],
      output: { content: 'ho', role: 'assistant', tool_calls: [] },
      tools: [{ name: 'search', depth: 1.5 }],
      events: [{ type: 'reasoning' }],
      redacted_input: 'x',
      model: 'm',
      temperature: 0.5,
      user_metadata: { a: 'b' },
      tags: ['z', 'a'],
    };
    const row = of(given(logged({}, [span(1, sent)])), 1);
    expect(toRecordView(row)).to.deep.include(sent);
    expect(row.values).to.include({
      input: 'hi',
      output: 'ho',
      tools: '[{"name":"search","depth":1.5}]',
    });
  });

  it('keep only values of columns that fit the kind', () => {
    const row = of(
      given(logged({}, [span(1, { type: 'tool', model: 'm', tool_call_id: 'c' })])),
      1,
    );
    expect(row.values).to.not.have.property('model');
    expect(row.values).to.include({ tool_call_id: 'c' });
  });

  it('show a span under the trace until its parent arrives', () => {
    const orphan = span(2, { parent_id: spanId(1, 1) });
    const before = given(logged({}, [orphan]));
    expect(of(before, 1).values['parent_id']).to.equal(traceId(1));
    const after = given(logged({}, [orphan]), late(span(1)));
    expect(of(after, 1).values['parent_id']).to.equal(spanId(1, 1));
    expect(of(after, 2).values['has_children']).to.equal(true);
  });

  it('show spans that are their own ancestors under the trace', () => {
    const rows = given(
      logged({}, [
        span(1, { parent_id: spanId(1, 2) }),
        span(2, { parent_id: spanId(1, 1) }),
        span(3, { parent_id: spanId(1, 2) }),
        span(4, { parent_id: spanId(1, 4) }),
      ]),
    );
    expect(rows.slice(1).map(({ values }) => values['parent_id'])).to.deep.equal([
      traceId(1),
      traceId(1),
      spanId(1, 2),
      traceId(1),
    ]);
  });

  it('set updated_at on changes and late spans, not on spans logged with the trace', () => {
    expect(of(given(logged(), late(span(1))), 0).values['updated_at']).to.equal(instantAt(10_001));
    const withTrace: TraceEvent = {
      type: 'SpansLogged',
      data: { ...common, spans: [span(1)], with_trace: true },
    };
    expect(of(given(logged(), withTrace), 0).values).to.not.have.property('updated_at');
    expect(of(given(logged(), updated({ tags: ['t'] })), 0).values).to.include({
      updated_at: instantAt(10_001),
    });
  });

  it('overwrite members, add tags and complete the spans', () => {
    const rows = given(
      logged({ tags: ['a', 'b'], output: 'x' }, [span(1)]),
      updated({ output: [{ type: 'text', text: 'y' }], tags: ['b', 'c'], is_complete: false }),
    );
    expect(toRecordView(of(rows, 0))).to.deep.include({
      output: [{ type: 'text', text: 'y' }],
      tags: ['a', 'b', 'c'],
    });
    expect(of(rows, 1).values['is_complete']).to.equal(false);
  });

  it('are removed once the trace is deleted', () => {
    expect(given(logged({}, [span(1)]), { type: 'TraceDeleted', data: common })).to.deep.equal([]);
  });
});

describe('metrics of records', () => {
  it('sum tokens unless the total was sent', () => {
    const rows = given(
      logged({ metrics: { num_total_tokens: 100, num_input_tokens: 9 } }, [
        span(1, { metrics: { num_input_tokens: 9, num_output_tokens: 2 } }),
        span(2, { metrics: { num_output_tokens: 5 } }),
      ]),
    );
    expect(of(rows, 0).metrics['num_total_tokens']?.value).to.equal(100);
    expect(of(rows, 1).metrics['num_total_tokens']).to.deep.equal({ value: 11, rolledUp: false });
    expect(of(rows, 2).metrics['num_total_tokens']?.value).to.equal(5);
  });

  it('roll up the topmost spans that have a value', () => {
    const rows = given(
      logged({}, [
        span(1, { metrics: { cost: 1 } }),
        span(2, { parent_id: spanId(1, 1), metrics: { cost: 10, toxicity: 0.5 } }),
        span(3, { metrics: { cost: 2, toxicity: 0.25, solved: true } }),
      ]),
    );
    const trace = of(rows, 0);
    expect(trace.metrics).to.deep.equal({
      cost: { value: 3, rolledUp: true },
      toxicity: { value: 0.375, rolledUp: true },
    });
    expect(toRecordView(trace)['metric_info']).to.deep.equal({
      cost: { status_type: 'roll_up', value: 3, roll_up_metrics: { sum: 3 } },
      toxicity: { status_type: 'roll_up', value: 0.375, roll_up_metrics: { average: 0.375 } },
    });
    expect(toRecordView(trace)['metrics']).to.deep.equal({});
  });

  for (const [method, value] of [
    ['sum', 14],
    ['max', 9],
    ['min', 5],
    ['average', 7],
  ] as const) {
    it(`roll up a scorer's values by ${method} when it says so`, () => {
      const of7 = (number: number, score: number): TraceEvent => ({
        type: 'ScoresRecorded',
        data: {
          ...common,
          record_id: spanId(1, number),
          scores: { own: score, cost: score },
          roll_up_methods: { own: method, cost: 'min' },
        },
      });
      const resent = scored(spanId(1, 2), { own: 9 });
      const rows = given(logged({}, [span(1), span(2)], 1), of7(1, 5), of7(2, 8), resent);
      const trace = of(rows, 0);
      expect(trace.metrics['own']).to.include({ value, rolledUp: true });
      expect(toRecordView(trace)['metric_info']).to.deep.include({
        own: { status_type: 'roll_up', value, roll_up_metrics: { [method]: value } },
        cost: { status_type: 'roll_up', value: 13, roll_up_metrics: { sum: 13 } },
      });
      expect(foldTrace(rows, [])).to.deep.equal(rows);
    });
  }

  describe('with a scorer of the name of a metric that clients send', () => {
    const byScorer = (scores: Record<string, number | string | null>): TraceEvent => ({
      type: 'ScoresRecorded',
      data: { ...common, record_id: traceId(1), scores, scorer },
    });
    const scorer = { scorer_id: traceId(1) as string as ScorerId, version: 1, job_id: null };
    const failure = { reward: null, reward_ems_error_code: 1_001, reward_error_message: 'no' };
    const mended = { reward_ems_error_code: null, reward_error_message: null };
    const sent = scored(traceId(1), { reward: 1 });
    const shownAfter = (...events: readonly TraceEvent[]) => {
      const rows = given(logged(), ...events);
      expect(foldTrace(rows, [])).to.deep.equal(rows);
      const { metrics, metric_info } = toRecordView(of(rows, 0));
      return { metrics, info: (metric_info as JsonObject)['reward'] };
    };
    const hidden = {
      metrics: { reward: 1 },
      info: { status_type: 'success', value: 1, scorer_value: 0.25 },
    };

    it('keeps the value of the client, and shows the score beside it', () => {
      expect(shownAfter(sent, byScorer({ reward: 0.25 }))).to.deep.equal(hidden);
      expect(shownAfter(byScorer({ reward: 0.25 }), sent)).to.deep.equal(hidden);
      const failedOnce = [sent, byScorer(failure), byScorer({ reward: 0.25, ...mended })];
      expect(shownAfter(...failedOnce)).to.deep.equal(hidden);
    });

    it('replaces a value that the service computes, whatever the batches are', () => {
      const texts = { output: 'a b', dataset_output: 'a b' };
      const costs = { num_input_tokens: 1, num_output_tokens: 2 };
      const log = logOf();
      log.append(traceStream(1), logged({ ...texts, metrics: costs }));
      const own = { bleu: 0.25, num_total_tokens: 7 };
      log.append(traceStream(1), byScorer(own));
      const events = log.events as readonly StoredEvent<TraceEvent>[];
      const oneByOne = events.reduce<readonly RecordRow[]>(
        (rows, event) => foldTrace(rows, [event]),
        [],
      );
      expect(oneByOne).to.deep.equal(foldTrace([], events));
      expect(toRecordView(of(oneByOne, 0))['metrics']).to.deep.include(own);
    });

    it('keeps the value of the client where the scorer failed, beside the error', () => {
      for (const events of [[sent], [sent, byScorer({ reward: 0.25 })]]) {
        const { metrics, info } = shownAfter(...events, byScorer(failure));
        expect(metrics).to.deep.equal({ reward: 1 });
        expect(info).to.deep.include({ status_type: 'error', ems_error_code: 1_001 });
        expect(info).not.to.have.property('scorer_value');
      }
    });

    it('removes an older score where the scorer fails, and both on withdrawal', () => {
      const once = byScorer({ reward: 0.25 });
      expect(shownAfter(once, byScorer({ reward: 0.5 })).metrics).to.deep.equal({ reward: 0.5 });
      expect(shownAfter(once, byScorer(failure)).metrics).to.deep.equal({});
      const withdrawn = scored(traceId(1), { reward: null });
      expect(shownAfter(sent, once, withdrawn)).to.deep.equal({ metrics: {}, info: undefined });
      expect(shownAfter(once, withdrawn, byScorer({ reward: 7 })).metrics).to.deep.equal({
        reward: 7,
      });
    });
  });

  it('cost kinds at their prices, whole counts alone at a price of before kinds', () => {
    const price = { input: 10, output: 0, cache_read: 1 };
    const metrics = { num_input_tokens: 200, num_cached_input_tokens: 800 };
    const spans = [
      span(1, { price, metrics }),
      span(2, { price: { ...price, list: 'project' }, metrics }),
    ];
    const rows = given(logged({}, spans));
    expect(of(rows, 1).metrics['cost']?.value).to.equal(0.002);
    expect(of(rows, 2).metrics['cost']?.value).to.be.closeTo(0.0028, 1e-12);
  });

  it('compute the overlap with the reference, again when the output changes', () => {
    const texts = { dataset_output: 'the cat sat on the mat', output: 'the cat is on the mat' };
    const before = of(given(logged(texts)), 0);
    expect(before.metrics['bleu']?.value).to.be.closeTo(0.254066, 1e-6);
    expect(before.metrics['rouge']?.value).to.be.closeTo(0.833333, 1e-6);
    const after = of(given(logged(texts), updated({ output: texts.dataset_output })), 0);
    expect(after.metrics['bleu']?.value).to.be.closeTo(1, 1e-12);
    expect(after.metrics['rouge']?.value).to.equal(1);
  });

  it('keep an overlap metric that the client sent, and compute it once it is withdrawn', () => {
    const texts = { dataset_output: 'a b', output: 'a b', metrics: { rouge: 0.125 } };
    expect(of(given(logged(texts)), 0).metrics['rouge']?.value).to.equal(0.125);
    const withdrawn = given(logged(texts), scored(traceId(1), { rouge: null }));
    expect(of(withdrawn, 0).metrics['rouge']?.value).to.equal(1);
    const sent = given(logged({ ...texts, metrics: {} }), scored(traceId(1), { bleu: 0.5 }));
    expect(of(sent, 0).metrics['bleu']?.value).to.equal(0.5);
    expect(of(sent, 0).metrics['rouge']?.value).to.equal(1);
  });

  it('hide a value that does not fit the registry, and keep it in the record', () => {
    const rows = given(
      logged({ metrics: { duration_ns: 'long', num_input_tokens: 1.5 } }, [
        span(1, { metrics: { duration_ns: 4 } }),
      ]),
    );
    expect(of(rows, 0).metrics).to.deep.equal({ duration_ns: { value: 4, rolledUp: true } });
    expect(toRecordView(of(rows, 0))['metrics']).to.deep.equal({
      duration_ns: 'long',
      num_input_tokens: 1.5,
    });
  });

  it("store the type of a custom metric's first value, and whether any had a fraction", () => {
    const row = of(
      given(
        logged({ metrics: { reward: 1 } }),
        scored(traceId(1), { reward: 0.5 }),
        scored(traceId(1), { reward: 2 }),
      ),
      0,
    );
    expect(row.metrics['reward']).to.deep.equal({
      value: 2,
      rolledUp: false,
      first: { at: '0000000000000001-00000000', type: 'integer', fraction: true },
    });
  });

  it('recognise error codes and messages', () => {
    const row = of(
      given(
        logged({
          metrics: {
            tone_error_message: 'broke',
            tone_ems_error_code: 7,
            other_error_message: 'x',
          },
        }),
      ),
      0,
    );
    expect(row.errors).to.deep.equal({ tone: { code: 7, message: 'broke' } });
    expect(row.metrics).to.deep.equal({});
    expect(toRecordView(row)['metric_info']).to.have.nested.property('tone.ems_error_code', 7);
    expect(toRecordView(row)['metric_info']).to.have.nested.property('tone.message', 'broke');
  });

  it('accept any name, such as __proto__', () => {
    const metrics = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, number>;
    const rows = given(logged({}, [span(1, { metrics })]));
    expect(Object.keys(of(rows, 0).metrics)).to.deep.equal(['__proto__', 'constructor']);
    expect(JSON.stringify(toRecordView(of(rows, 1))['metrics'])).to.equal(JSON.stringify(metrics));
  });
});
