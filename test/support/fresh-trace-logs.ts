import * as fc from 'fast-check';
import { decode } from '../../events/codec.js';
import type { RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import { parseJsonText } from '../../kernel/json-text.js';
import type { Json } from '../../kernel/schema-types.js';
import {
  instantAt,
  logOf,
  projectId,
  runId,
  sessionId,
  spanId,
  startSession,
  traceId,
  traceStream,
  uuid,
  type TraceLogEvent,
} from './random-trace-logs.js';
import { receivedSpans } from './received-spans.js';

/** Draws a value once in so many times, else null. */
const seldom = <T>(times: number, drawn: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: drawn });

/** Texts with letters that fold oddly, unpaired surrogates, and lengths that are stored apart. */
const oddTexts =
  `||ſtraße µ ς|ΟΔΟΣ İ|a\u0000b 🎉 \uffff|ends in \ud83c|\udf89 begins|"\\"|${'x'.repeat(9_000)}|
   ${'ﬆ'.repeat(9_000)}end|${'y'.repeat(70_000)}`.split('|');
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('ok', 'the cat sat on the mat', 'gpt-4o') },
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(...oddTexts),
);
const structured = fc.oneof(
  text.map((content): Json => [{ content, role: 'user' }]),
  text.map((content): Json => ({ content, role: 'assistant' })),
  fc.constantFrom<Json>(
    { content: 'ho', role: 'assistant', tool_calls: [{ id: 'µ' }] },
    [
      { type: 'text', text: 'ſ' },
      { type: 'file', file_id: 'f' },
    ],
    [{ content: 'page', metadata: { source: '🎉' } }],
    { type: 'file', file_id: 'f' },
    { action: 'deny', matched: true },
    [],
    1e21,
    true,
  ),
);
const value: fc.Arbitrary<Json> = fc.oneof({ weight: 3, arbitrary: text }, structured);

const metricNames = (
  'duration_ns num_input_tokens num_output_tokens num_total_tokens cost toxicity bleu reward ' +
  'num_cached_input_tokens num_reasoning_tokens solved note constructor __proto__ 7 ſ a/b'
).split(' ');
const errorNames = ['reward_ems_error_code', 'reward_error_message', '_error_message'] as const;
const metricValue = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -5, max: 5_000 }) },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, Infinity, 0.1, 2 ** 60, true, false),
  text,
);
const metrics = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...metricNames), metricValue), { maxLength: 5 }),
    seldom(40, fc.tuple(fc.constantFrom(...errorNames), metricValue)),
  )
  .map(([values, failed]) => Object.fromEntries(failed === null ? values : [...values, failed]));
const metadata = fc
  .array(fc.tuple(fc.constantFrom('team', '__proto__', '9', '', 'ς', 'long key'), text), {
    maxLength: 3,
  })
  .map((entries) => Object.fromEntries(entries));

const instant = fc.oneof(
  { weight: 9, arbitrary: fc.nat({ max: 100 }).map(instantAt) },
  fc.constantFrom(
    '0001-01-01T00:00:00.000001Z' as const,
    '1969-12-31T23:59:59.999999Z' as const,
    '9999-12-31T23:59:59.999999Z' as const,
  ),
);
/** Draws a member in half of the records, so that it is absent from the others. */
const some = <T>(drawn: fc.Arbitrary<T>) => fc.option(drawn, { nil: undefined, freq: 2 });
const withoutAbsent = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, one]) => one !== undefined)) as T;

const recordMembers = {
  created_at: instant,
  input: some(value),
  output: some(value),
  redacted_input: some(value),
  redacted_output: some(value),
  name: some(text),
  user_metadata: some(metadata),
  tags: some(fc.array(text, { maxLength: 3 })),
  status_code: some(fc.constantFrom(0, 200, 500)),
  metrics: some(metrics),
  external_id: some(text),
  dataset_input: some(text),
  dataset_metadata: some(metadata),
};
/** An overlap metric takes the row way: a few traces have a reference. */
const reference = some(fc.constantFrom('', '', 'the cat sat on the mat')).map((drawn) =>
  drawn === undefined ? {} : { dataset_output: drawn },
);
const traceContent = fc
  .tuple(fc.record(recordMembers), fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, reference))
  .map(([members, more]) => ({ ...withoutAbsent(members), ...more }));
const spanContent = fc
  .record({
    ...recordMembers,
    type: fc.constantFrom('llm', 'retriever', 'tool', 'workflow', 'agent', 'control'),
    step_number: some(fc.nat({ max: 9 })),
    tools: some(fc.constantFrom<Json>([{ name: 'search', depth: 1.5 }], [])),
    events: some(fc.constantFrom<Json>([{ type: 'reasoning' }])),
    model: some(text),
    temperature: some(fc.double({ noNaN: true, min: 0, max: 2 })),
    finish_reason: some(text),
    tool_call_id: some(text),
    agent_type: some(fc.constantFrom('react', 'judge')),
    control_id: some(fc.nat()),
    agent_name: some(text),
    check_stage: some(fc.constantFrom('pre', 'post')),
    selector_path: some(text),
    price: some(
      fc.constantFrom(
        { input: 2.5, output: 10 },
        { input: 2.5, output: 10, cache_read: 1.25, reasoning: 20, list: 'project' },
      ),
    ),
    /** Number of a span of the trace, present or not; 0: the trace. */
    parent: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 9 })),
  })
  .map(withoutAbsent);

/** Body of a request as JSON text, where members repeat, are odd, or are numbers beyond doubles. */
const sentText = fc
  .record({ one: text, other: value, number: metricValue, spans: fc.nat({ max: 2 }) })
  .map(({ one, other, number, spans }) => {
    const [first, second, score] = [one, other, number].map((part) => JSON.stringify(part));
    const members = `"created_at": "2026-03-01T00:00:00.5Z", "input": ${first}, "input": "last",
      "name": ${first}, "nam\\u0065": ${first}, "user_metadata": {"__proto__": ${first}, "n": null},
      "metrics": {"reward": 1, "reward": ${score}, "metrics/\\ud83c": 2, "big": 1e999,
        "__proto__": 4, "num_input_tokens": 1.0, "num_output_tokens": null}`;
    const children = Array.from(
      { length: spans },
      () => `{"type": "workflow", ${members}, "spans": [{"type": "llm", "model": ${first},
        "output": {"content": ${JSON.stringify(String(second))}, "role": "assistant"}}]}`,
    );
    return `{${members}, "spans": [${children.join(', ')}]}`;
  });

const step = fc.record({
  form: fc.constantFrom('logged', 'logged', 'logged', 'sent', 'sent', 'received'),
  trace: traceContent,
  spans: fc.array(spanContent, { maxLength: 7 }),
  sent: sentText,
  session: seldom(4, fc.nat({ max: 5 })),
  isComplete: fc.boolean(),
  /** Changes of a trace after its first event and those of later traces. */
  later: fc.array(fc.constantFrom('spans', 'scores', 'rating', 'update'), { maxLength: 2 }),
  isDeleted: fc.nat({ max: 9 }).map((drawn) => drawn === 0),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Log of many traces, most of which one event logged; others grow, change and are deleted. */
export const freshTraceLogs = (traces: number): fc.Arbitrary<readonly TraceLogEvent[]> =>
  fc.array(step, { minLength: traces, maxLength: traces }).map((steps) => {
    const log = logOf();
    const sessions = new Set<number>();
    for (const [at, any] of steps.entries()) {
      const drawn = isFinite(any) ? any : { ...any, session: null };
      if (drawn.session !== null) startSession(log, sessions, drawn.session);
      log.append(traceStream(at), firstEvent(at, drawn));
      // One trace of four changes, a few traces later.
      const changed = at - 3;
      const earlier = steps[changed];
      if (at % 4 !== 3 || earlier === undefined) continue;
      if (!isFinite(earlier) || !isFinite(any)) continue;
      for (const kind of earlier.later)
        log.append(traceStream(changed), laterEvent(changed, kind, drawn));
      const ids = { project_id: projectId, trace_id: traceId(changed) };
      if (earlier.isDeleted) log.append(traceStream(changed), { type: 'TraceDeleted', data: ids });
    }
    return log.events;
  });

/** False with a number beyond doubles, which nothing can be added to. */
const isFinite = ({ form, trace, spans }: Step): boolean =>
  form !== 'sent' &&
  [trace, ...spans].every(({ metrics: of }) => !Object.values(of ?? {}).includes(Infinity));

const spansOf = (trace: number, { spans }: Step, from: number): readonly SpanContent[] =>
  spans.map(({ parent, ...content }, index) => ({
    ...(content as Partial<SpanContent> & Pick<SpanContent, 'type' | 'created_at'>),
    id: spanId(trace, from + index),
    parent_id: parent === 0 ? traceId(trace) : spanId(trace, parent),
  }));

const firstEvent = (at: number, drawn: Step): TraceEvent => {
  const common = {
    project_id: projectId,
    run_id: runId,
    run_kind: 'log_stream' as const,
    trace_id: traceId(at),
    session_id: drawn.session === null ? null : sessionId(drawn.session),
  };
  const members = { ...common, is_complete: drawn.isComplete, logging_method: 'api_direct' };
  if (drawn.form === 'received') {
    const spans = drawn.spans.map(({ parent }, index) => ({
      id: spanId(at, index + 1),
      parent_id: parent === 0 ? traceId(at) : spanId(at, parent),
    }));
    const received = { trace: at, spans, hasRoot: drawn.isComplete, received_at: instantAt(at) };
    const data = receivedSpans({ ...common, ...received, metrics: drawn.trace.metrics ?? {} });
    return { type: 'OtelSpansReceived', data };
  }
  if (drawn.form === 'sent') {
    const sent = { ...(parseJsonText(drawn.sent) as object), id: traceId(at) };
    const ids = { received_at: instantAt(at), first_span_id: spanId(at, 1) };
    const data = decode('TraceLogged', 2, { ...members, ...ids, sent });
    return { type: 'TraceLogged', data: data as (TraceEvent & { type: 'TraceLogged' })['data'] };
  }
  const trace = { ...drawn.trace, type: 'trace', id: traceId(at) } as RecordContent;
  return { type: 'TraceLogged', data: { ...members, trace, spans: spansOf(at, drawn, 1) } };
};

const laterEvent = (at: number, kind: Step['later'][number], drawn: Step): TraceEvent => {
  const ids = { project_id: projectId, trace_id: traceId(at) };
  if (kind === 'spans')
    return { type: 'SpansLogged', data: { ...ids, spans: spansOf(at, drawn, 20) } };
  if (kind === 'scores') {
    const scores = { reward: 0.5, toxicity: null, bleu: 0.25, reward_ems_error_code: 1_001 };
    return { type: 'ScoresRecorded', data: { ...ids, record_id: traceId(at), scores } };
  }
  if (kind === 'rating') {
    const rating = { annotation_type: 'score', value: 4, explanation: 'ſ' } as const;
    const by = { template_id: uuid<'TemplateId'>(6_000, 1), user_id: uuid<'UserId'>(9, 1) };
    return { type: 'RatingGiven', data: { ...ids, ...by, ...rating, given_at: instantAt(at) } };
  }
  return { type: 'TraceUpdated', data: { ...ids, changes: { output: 'new', tags: ['ς'] } } };
};
