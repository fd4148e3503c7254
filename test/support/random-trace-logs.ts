import * as fc from 'fast-check';
import type { SessionEvent, SpanContent, TraceEvent } from '../../events/traces.js';
import {
  streamNameOf,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../kernel/ports.js';
import { spanOutline, traceOutline, type SessionScope } from '../../kernel/records/outlines.js';
import type { GroupWrite, PartialWrite } from '../../kernel/records/records.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { StoredRows } from '../../projections/records/batch.js';
import type { Id, Instant, Json, JsonObject } from '../../kernel/schema-types.js';
import { receivedSpans } from './received-spans.js';

export type TraceLogEvent = StoredEvent<TraceEvent | SessionEvent>;

export const uuid = <Name extends string>(family: number, number: number): Id<Name> =>
  `00000000-0000-4000-8${hex(family, 3)}-${hex(number, 12)}` as Id<Name>;
const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, '0');
export const projectId = uuid<'ProjectId'>(1, 1);
export const runId = uuid<'RunId'>(2, 1);
export const traceId = (number: number) => uuid<'TraceId'>(3, number);
export const sessionId = (number: number) => uuid<'SessionId'>(4, number);
/** Span ids are unique within the project. */
export const spanId = (trace: number, number: number) => uuid<'SpanId'>(5 + trace, number);
export const traceStream = (number: number): StreamName =>
  streamNameOf('trace', projectId, traceId(number));
export const sessionStream = (number: number): StreamName =>
  streamNameOf('session', projectId, sessionId(number));
export const instantAt = (seconds: number): Instant =>
  new Date(Date.UTC(2026, 2, 1) + seconds * 1_000).toISOString().replace('Z', '000Z') as Instant;

/** Numbers events as a log would: positions over all streams, revisions in each. */
export const logOf = () => {
  const revisions = new Map<StreamName, number>();
  const events: TraceLogEvent[] = [];
  return {
    events: events as readonly TraceLogEvent[],
    append: (name: StreamName, event: TraceEvent | SessionEvent): TraceLogEvent => {
      const revision = (revisions.get(name) ?? -1) + 1;
      revisions.set(name, revision);
      const position = (events.length + 1).toString(16).padStart(16, '0') as Position;
      const recorded: TraceLogEvent = {
        ...event,
        id: uuid(4_000, events.length),
        stream: name,
        revision,
        position,
        metadata: {
          actor:
            'scorer' in event.data
              ? { type: 'service', id: 'assay', role: 'service' }
              : { type: 'user', id: uuid(9, 1), role: 'admin' },
          request_id: `request-${events.length}`,
          correlation_id: '',
          causation_id: null,
          at: instantAt(10_000 + events.length),
          schema: 1,
        },
        digest: '00'.repeat(32),
      };
      events.push(recorded);
      return recorded;
    },
  };
};

const names = [
  'duration_ns',
  'num_input_tokens',
  'cost',
  'toxicity',
  'reward',
  '__proto__',
] as const;
const value = fc.oneof(
  fc.integer({ min: -5, max: 50 }),
  fc.double({ noNaN: true, min: -10, max: 10 }),
  fc.boolean(),
  fc.constantFrom('high', 'low'),
);
const text: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom('', 'the cat sat on the mat', 'the cat', 'ok'),
  fc.constantFrom<Json>(
    [{ content: 'the cat is on the mat', role: 'user' }],
    { content: 'done', role: 'assistant' },
    [
      { type: 'text', text: 'a' },
      { type: 'file', file_id: uuid(8, 1) },
    ],
    [{ content: 'page', metadata: { source: 'x' } }],
  ),
);
const metrics = fc
  .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries));
const kinds = ['llm', 'tool', 'agent', 'workflow', 'retriever', 'control'] as const;

const step = fc.record({
  kind: fc.constantFrom(
    'log',
    'log',
    'spans',
    'spans',
    'received',
    'received',
    'trace',
    'span',
    'score',
    'rate',
    'rate',
    'withdraw',
    'session',
    'delete',
  ),
  trace: fc.nat({ max: 4 }),
  session: fc.option(fc.nat({ max: 2 })),
  /** Parents of the spans: a number of a span of the trace, present or not; 0 is the trace. */
  parents: fc.array(fc.nat({ max: 8 }), { maxLength: 4 }),
  record: fc.nat({ max: 8 }),
  seconds: fc.nat({ max: 100 }),
  template: fc.nat({ max: 1 }),
  rater: fc.nat({ max: 2 }),
  complete: fc.boolean(),
  spanKind: fc.constantFrom(...kinds),
  metrics,
  scores: fc
    .array(fc.tuple(fc.constantFrom(...names, 'bleu', 'num_total_tokens'), fc.option(value)), {
      maxLength: 3,
    })
    .map((entries) => Object.fromEntries(entries)),
  input: text,
  output: text,
  reference: fc.option(fc.constantFrom('the cat sat on the mat', '!', '')),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/**
 * Logs that the deciders could produce: of a few traces and sessions, with late spans, changes and
 * deletions.
 */
export const traceLogs: fc.Arbitrary<readonly TraceLogEvent[]> = fc
  .array(step, { minLength: 1, maxLength: 25 })
  .map((steps) => historyOf(steps));

const historyOf = (steps: readonly Step[]): readonly TraceLogEvent[] => {
  const log = logOf();
  const spansOf = new Map<number, number>();
  const gone = new Set<number>();
  const sessions = new Set<number>();
  const inSession = new Map<number, number | null>();
  for (const one of steps) {
    const { kind, trace } = one;
    if (kind === 'session' && one.session !== null) startSession(log, sessions, one.session);
    if (kind === 'received' && one.parents.length > 0 && !gone.has(trace)) {
      if (one.session !== null) startSession(log, sessions, one.session);
      // A trace without a session gets the first that is named (contract 5.12, rule 5).
      const session = inSession.get(trace) ?? one.session;
      inSession.set(trace, session);
      log.append(traceStream(trace), {
        type: 'OtelSpansReceived',
        data: receivedSpans({
          project_id: projectId,
          run_id: runId,
          trace_id: traceId(trace),
          session_id: session === null ? null : sessionId(session),
          received_at: instantAt(one.seconds),
          trace,
          spans: spansFrom(one, (spansOf.get(trace) ?? 0) + 1),
          hasRoot: one.complete,
          metrics: one.metrics,
        }),
      });
      spansOf.set(trace, (spansOf.get(trace) ?? 0) + one.parents.length);
    } else if (kind === 'log' && !spansOf.has(trace)) {
      if (one.session !== null) startSession(log, sessions, one.session);
      inSession.set(trace, one.session);
      spansOf.set(trace, one.parents.length);
      log.append(traceStream(trace), {
        type: 'TraceLogged',
        data: {
          project_id: projectId,
          run_id: runId,
          run_kind: 'log_stream',
          trace_id: traceId(trace),
          session_id: one.session === null ? null : sessionId(one.session),
          is_complete: one.complete,
          logging_method: 'api_direct',
          trace: { ...contentOf(one), type: 'trace', id: traceId(trace) },
          spans: spansFrom(one, 1),
        },
      });
    } else if (spansOf.has(trace) && !gone.has(trace)) {
      change(log, one, spansOf, gone);
    }
  }
  return log.events;
};

/** Starts the session unless it is known. */
export const startSession = (
  log: ReturnType<typeof logOf>,
  known: Set<number>,
  session: number,
): void => {
  if (known.has(session)) return;
  known.add(session);
  log.append(sessionStream(session), {
    type: 'SessionStarted',
    data: {
      project_id: projectId,
      run_id: runId,
      run_kind: 'log_stream',
      session_id: sessionId(session),
      name: `session ${session}`,
      external_id: null,
      previous_session_id: null,
      user_metadata: {},
      created_at: instantAt(0),
      minted: false,
    },
  });
};

const contentOf = (one: Step) => ({
  created_at: instantAt(one.seconds),
  name: 'step',
  input: one.input,
  ...(one.output !== '' && { output: one.output }),
  ...(one.reference !== null && { dataset_output: one.reference }),
  metrics: one.metrics,
  tags: ['a', 'b'],
});

const spansFrom = (one: Step, from: number): readonly SpanContent[] =>
  one.parents.map((parent, index) => ({
    ...contentOf(one),
    type: one.spanKind,
    id: spanId(one.trace, from + index),
    parent_id: parent === 0 ? traceId(one.trace) : spanId(one.trace, parent),
    // Metrics differ between spans: otherwise no span would be above a value.
    metrics: (from + index) % 2 === 0 ? {} : one.metrics,
  }));

const change = (
  log: ReturnType<typeof logOf>,
  one: Step,
  spansOf: Map<number, number>,
  gone: Set<number>,
): void => {
  const name = traceStream(one.trace);
  const count = spansOf.get(one.trace) ?? 0;
  const common = { project_id: projectId, trace_id: traceId(one.trace) };
  const record = count === 0 ? 0 : one.record % (count + 1);
  if (one.kind === 'spans') {
    spansOf.set(one.trace, count + one.parents.length);
    log.append(name, {
      type: 'SpansLogged',
      data: { ...common, spans: spansFrom(one, count + 1) },
    });
  } else if (one.kind === 'trace') {
    log.append(name, {
      type: 'TraceUpdated',
      data: {
        ...common,
        changes: { output: one.output, tags: ['b', 'c'], is_complete: one.complete },
      },
    });
  } else if (one.kind === 'span' && record > 0) {
    log.append(name, {
      type: 'SpanUpdated',
      data: {
        ...common,
        span_id: spanId(one.trace, record),
        changes: { input: one.input, output: one.output, status_code: 200 },
      },
    });
  } else if (one.kind === 'score') {
    log.append(name, {
      type: 'ScoresRecorded',
      data: {
        ...common,
        record_id: record === 0 ? traceId(one.trace) : spanId(one.trace, record),
        scores: one.scores,
        ...(one.seconds % 2 === 1 && { scorer }),
      },
    });
  } else if (one.kind === 'rate' || one.kind === 'withdraw') {
    log.append(name, rating(one, common));
  } else if (one.kind === 'delete') {
    gone.add(one.trace);
    log.append(name, { type: 'TraceDeleted', data: common });
  }
};

const scorer = { scorer_id: uuid<'ScorerId'>(7_000, 1), version: 1, job_id: null };

const rating = (
  one: Step,
  {
    project_id,
    trace_id,
  }: { readonly project_id: typeof projectId; readonly trace_id: Id<'TraceId'> },
): TraceEvent => {
  const data = {
    project_id,
    trace_id,
    template_id: uuid<'TemplateId'>(6_000, one.template),
    user_id: uuid<'UserId'>(9, one.rater),
  };
  if (one.kind === 'withdraw') return { type: 'RatingWithdrawn', data };
  const given = { value: one.seconds % 6, explanation: null, given_at: instantAt(one.seconds) };
  return { type: 'RatingGiven', data: { ...data, annotation_type: 'score', ...given } };
};

/** The part of Records that the fold reads, over a map; `write` applies a batch. */
export const rowStore = (): StoredRows & {
  write(writes: readonly GroupWrite[]): void;
  rows(): readonly RecordRow[];
} => {
  const groups = new Map<StreamName, readonly RecordRow[]>();
  const rowsOf = (name: StreamName): readonly RecordRow[] => groups.get(name) ?? [];
  const byGroup = <T>(names: readonly StreamName[], of: (rows: readonly RecordRow[]) => T) =>
    new Map(names.filter((name) => groups.has(name)).map((name) => [name, of(rowsOf(name))]));
  const tracesOf = ({ session }: SessionScope): readonly RecordRow[] =>
    [...groups.values()].flatMap(([first]) =>
      first?.kind === 'trace' && first.values['session_id'] === session ? [first] : [],
    );
  return {
    firstRows: async (names) => byGroup(names, ([head]) => head as RecordRow),
    spanOutlines: async (names) => byGroup(names, (rows) => rows.slice(1).map(spanOutline)),
    rowsByOrdinal: async (places) =>
      places.flatMap(({ group, ordinals }) =>
        rowsOf(group).filter(({ ordinal }) => ordinals.includes(ordinal)),
      ),
    sessionsWithTraces: async (sessions) => sessions.filter((one) => tracesOf(one).length > 0),
    traceOutlines: async (session, { after, order, except, limit }) => {
      const outlines = tracesOf(session)
        .filter(({ group }) => !except.includes(group))
        .map(traceOutline)
        .sort((one, other) => (one.at < other.at ? -1 : 1));
      const inOrder = order === 'first' ? outlines : outlines.reverse();
      const beyond = (at: string): boolean =>
        order === 'first' ? at > (after ?? '') : at < (after ?? '~');
      return inOrder.filter(({ at }) => beyond(at)).slice(0, limit);
    },
    write: (writes) => {
      for (const { group, rows, partial } of writes) {
        const others = partial === undefined ? [] : remainingRows(rowsOf(group), rows, partial);
        const all = [...others, ...structuredClone(rows)].sort(
          (one, other) => one.ordinal - other.ordinal,
        );
        if (all.length === 0) groups.delete(group);
        else groups.set(group, all);
      }
    },
    rows: () =>
      [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).flatMap(([, rows]) => rows),
  };
};

const remainingRows = (
  stored: readonly RecordRow[],
  written: readonly RecordRow[],
  { inherited }: PartialWrite,
): readonly RecordRow[] => {
  const taken = new Set(written.map(({ ordinal }) => ordinal));
  const others = stored.filter(({ ordinal }) => !taken.has(ordinal));
  if (inherited === null) return others;
  const { isComplete: is_complete, annotators } = inherited;
  return others.map((row) => ({ ...row, annotators, values: { ...row.values, is_complete } }));
};

export const asJson = (rows: readonly RecordRow[]): JsonObject[] =>
  JSON.parse(JSON.stringify(rows)) as JsonObject[];
