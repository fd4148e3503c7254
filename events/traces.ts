// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type, type Static, type TOptional } from 'typebox';
import {
  mapRecordFields,
  mapSpanFields,
  type RecordFieldName,
  type recordFields,
  type SpanFieldName,
  type spanFields,
} from '../kernel/records/span-fields.js';
import {
  id,
  instant,
  nullish,
  nullable,
  oneOf,
  plainSchemas,
  readonlyArray,
  readonlyRecord,
  type Json,
} from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { otelSpansReceived } from './otel.js';
import { spanPrice } from './price-list.js';
import { ratingEvents, type RatingEvent } from './ratings.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const anyJson = Type.Unsafe<Json>(Type.Unknown());
const texts = readonlyRecord(Type.String());
const metricValue = Type.Union([Type.Number(), Type.Boolean(), Type.String()]);
const spanKinds = ['llm', 'retriever', 'tool', 'workflow', 'agent', 'control'] as const;
const rollUp = oneOf(['average', 'sum', 'max', 'min']);

type StoredField<T extends keyof typeof plainSchemas> = TOptional<(typeof plainSchemas)[T]>;
const sentMembers = {
  id: Type.String(),
  created_at: instant,
  minted: Type.Optional(readonlyArray(oneOf(['id', 'created_at']))),
  input: Type.Optional(anyJson),
  output: Type.Optional(anyJson),
  redacted_input: Type.Optional(anyJson),
  redacted_output: Type.Optional(anyJson),
  name: Type.Optional(Type.String()),
  user_metadata: Type.Optional(texts),
  tags: Type.Optional(readonlyArray(Type.String())),
  metrics: Type.Optional(readonlyRecord(metricValue)),
  ...(mapRecordFields(({ type }) => Type.Optional(plainSchemas[type])) as {
    readonly [name in RecordFieldName]: StoredField<(typeof recordFields)[name]['type']>;
  }),
  dataset_metadata: Type.Optional(texts),
};
const storedFields = mapSpanFields(({ type }) => Type.Optional(plainSchemas[type])) as {
  readonly [name in SpanFieldName]: StoredField<(typeof spanFields)[name]['type']>;
};
const spanMembers = {
  step_number: Type.Optional(Type.Integer()),
  tools: Type.Optional(anyJson),
  events: Type.Optional(anyJson),
  ...storedFields,
  /** The model's price when the span was logged. Not content. */
  price: Type.Optional(spanPrice),
};
const record = Type.Object({
  type: oneOf(['trace', ...spanKinds]),
  ...sentMembers,
  ...spanMembers,
});
const span = Type.Object({
  ...sentMembers,
  ...spanMembers,
  type: oneOf(spanKinds),
  parent_id: Type.String(),
});
const spans = readonlyArray(span);
const runKind = oneOf(['log_stream', 'experiment', 'metrics_testing']);
/** Changes of a record: members overwrite, `tags` are added (contract 5.6, rule 5). */
const changes = Type.Object({
  input: Type.Optional(anyJson),
  output: Type.Optional(anyJson),
  status_code: Type.Optional(Type.Integer()),
  tags: Type.Optional(Type.Array(Type.String())),
  is_complete: Type.Optional(Type.Boolean()),
});

export const traceEvents = {
  TraceLogged: event('entity create', {
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    run_kind: runKind,
    trace_id: id('TraceId'),
    /** Null: logged outside any session. */
    session_id: nullable(id('SessionId')),
    is_complete: Type.Boolean(),
    logging_method: Type.String(),
    client_version: nullish(Type.String()),
    trace: record,
    spans,
  }),
  OtelSpansReceived: otelSpansReceived,
  /** More spans of a trace: those that exceed the first event (900 KB), or later ones. */
  SpansLogged: event('entity create', {
    project_id: id('ProjectId'),
    trace_id: id('TraceId'),
    /** Run of the trace; absent from older events, as in the two below. */
    run_id: Type.Optional(id('RunId')),
    spans,
    /** Sent in one request with the trace: part of its content, not a change of it. */
    with_trace: Type.Optional(Type.Literal(true)),
  }),
  TraceUpdated: event('entity update', {
    project_id: id('ProjectId'),
    trace_id: id('TraceId'),
    run_id: Type.Optional(id('RunId')),
    changes,
  }),
  SpanUpdated: event('entity update', {
    project_id: id('ProjectId'),
    trace_id: id('TraceId'),
    run_id: Type.Optional(id('RunId')),
    span_id: id('SpanId'),
    changes,
  }),
  /** Metric values by name on a trace or one of its spans; null withdraws. */
  ScoresRecorded: event('entity update', {
    project_id: id('ProjectId'),
    trace_id: id('TraceId'),
    /** Id of the trace or of a span. */
    record_id: Type.String(),
    scores: readonlyRecord(nullable(metricValue)),
    /** Roll-up method by metric, where a scorer sets one; otherwise the previous one stays. */
    roll_up_methods: Type.Optional(readonlyRecord(rollUp)),
    /** Origin of a scorer's values: its version, and the backfill job if any. */
    scorer: Type.Optional(
      Type.Object({
        scorer_id: id('ScorerId'),
        version: Type.Integer(),
        job_id: nullable(id('JobId')),
        /**
         * Reason why there is no score; absent: there is one, or the event is older than reasons.
         */
        failure: Type.Optional(Type.String()),
      }),
    ),
  }),
  /** Its content is erased after this. */
  TraceDeleted: event('entity delete', { project_id: id('ProjectId'), trace_id: id('TraceId') }),
};
export const sessionEvents = {
  SessionStarted: event('entity create', {
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    run_kind: runKind,
    session_id: id('SessionId'),
    name: Type.String(),
    external_id: nullable(Type.String()),
    previous_session_id: nullable(id('SessionId')),
    user_metadata: texts,
    /** Time of receipt, or `created_at` of the trace that created it (contract 7). */
    created_at: instant,
    /** True if the service created `id`: not content. */
    minted: Type.Boolean(),
  }),
  SessionDeleted: event('entity delete', {
    project_id: id('ProjectId'),
    session_id: id('SessionId'),
  }),
};
const sessionSizeEvents = {
  /**
   * Stream `sized-session-<project>-<session>`: number of traces that one process logged in the
   * session since its last report. A crash loses the unreported ones.
   */
  SessionGrew: event('entity update', {
    project_id: id('ProjectId'),
    session_id: id('SessionId'),
    traces: Type.Integer(),
  }),
};

export const traceNoun: Noun = {
  stream: { name: 'trace-<project>-<trace>', subject: { own: 'trace' }, erasedWith: 'run' },
  events: { ...traceEvents, ...ratingEvents },
};

export const sessionNoun: Noun = {
  stream: { name: 'session-<project>-<session>', subject: { own: 'session' }, erasedWith: 'run' },
  events: sessionEvents,
};

export const sessionSizeNoun: Noun = {
  stream: {
    name: 'sized-session-<project>-<session>',
    subject: { own: 'session' },
    erasedWith: 'project',
    isTechnical: true,
  },
  events: sessionSizeEvents,
};

export type TraceEvent = RatingEvent | EventOf<typeof traceEvents>;
export type SessionEvent = EventOf<typeof sessionEvents>;
export type SessionSizeEvent = EventOf<typeof sessionSizeEvents>;

/**
 * Trace or span as it was sent, after defaults (contract 5.6): members at their default are left
 * out, instants and ids are canonical, a leading `metrics/` of metric names is dropped, repeated
 * tags are dropped. `minted` names what the service added (contract 5.6, rule 3): it is not
 * content.
 */
export type RecordContent = Readonly<Static<typeof record>>;
/**
 * Spans as a flat list, a parent before its children as they were nested; `parent_id` is a span of
 * the trace or the trace.
 */
export type SpanContent = Readonly<Static<typeof span>>;
export type TraceLogged = DataOf<TraceEvent, 'TraceLogged'>;
export type OtelSpansReceived = DataOf<TraceEvent, 'OtelSpansReceived'>;
export type SpansLogged = DataOf<TraceEvent, 'SpansLogged'>;
export type RecordChanges = Static<typeof changes>;
export type SessionStarted = DataOf<SessionEvent, 'SessionStarted'>;
