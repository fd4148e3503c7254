// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import type { RecordKind, SpanKind } from '../kernel/records.js';
import { id, instant, maybe, nullable, type Instant, type Json } from '../kernel/shapes.js';
import type { RatingEvent } from './ratings.js';

/**
 * A trace or span as it was sent, after defaults (contract 5.6): members at their default are left
 * out, instants and ids are canonical, a leading `metrics/` of metric names is dropped, repeated
 * tags are dropped. `minted` names what the service added (contract 5.6, rule 3): it is not
 * content.
 */
export type RecordContent = {
  readonly type: Exclude<RecordKind, 'session'>;
  readonly id: string;
  readonly created_at: Instant;
  readonly minted?: readonly ('id' | 'created_at')[];
  readonly input?: Json;
  readonly output?: Json;
  readonly redacted_input?: Json;
  readonly redacted_output?: Json;
  readonly name?: string;
  readonly user_metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly status_code?: number;
  readonly metrics?: Readonly<Record<string, number | boolean | string>>;
  readonly external_id?: string;
  readonly dataset_input?: string;
  readonly dataset_output?: string;
  readonly dataset_metadata?: Readonly<Record<string, string>>;
  // Spans
  readonly step_number?: number;
  readonly tools?: Json;
  readonly events?: Json;
  readonly model?: string;
  readonly temperature?: number;
  readonly finish_reason?: string;
  readonly tool_call_id?: string;
  readonly agent_type?: string;
  readonly control_id?: number;
  readonly agent_name?: string;
  readonly check_stage?: string;
  readonly applies_to?: string;
  readonly evaluator_name?: string;
  readonly selector_path?: string;
};
/**
 * Spans lie flat, a parent before its children as they were nested; `parent_id` is a span of the
 * trace or the trace.
 */
export type SpanContent = RecordContent & { readonly type: SpanKind; readonly parent_id: string };

const content = Type.Unsafe<RecordContent>(Type.Object({ type: Type.Literal('trace') }));
const spans = Type.Unsafe<readonly SpanContent[]>(Type.Array(Type.Object({})));
const runKind = Type.Unsafe<'log_stream' | 'experiment' | 'metrics_testing'>(Type.String());

/** Stream `trace-<project>-<trace>`. */
export const traceLogged = Type.Object({
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  run_kind: runKind,
  trace_id: id('TraceId'),
  /** Null: logged outside any session. */
  session_id: nullable(id('SessionId')),
  is_complete: Type.Boolean(),
  logging_method: Type.String(),
  client_version: maybe(Type.String()),
  trace: content,
  spans,
});
/** More spans of a trace: what did not fit the first event (900 KB), or what came later. */
export const spansLogged = Type.Object({
  project_id: id('ProjectId'),
  trace_id: id('TraceId'),
  spans,
  /** They came with the trace, in one request: part of its content and no change of it. */
  with_trace: Type.Optional(Type.Literal(true)),
});

/** Given members overwrite, `tags` are added (contract 5.6, rule 5). */
const changes = Type.Object({
  input: Type.Optional(Type.Unsafe<Json>(Type.Unknown())),
  output: Type.Optional(Type.Unsafe<Json>(Type.Unknown())),
  status_code: Type.Optional(Type.Integer()),
  tags: Type.Optional(Type.Array(Type.String())),
  is_complete: Type.Optional(Type.Boolean()),
});
export const traceUpdated = Type.Object({
  project_id: id('ProjectId'),
  trace_id: id('TraceId'),
  changes,
});
export const spanUpdated = Type.Object({
  project_id: id('ProjectId'),
  trace_id: id('TraceId'),
  span_id: id('SpanId'),
  changes,
});
/** Metric values by name on a trace or one of its spans; null withdraws. */
export const scoresRecorded = Type.Object({
  project_id: id('ProjectId'),
  trace_id: id('TraceId'),
  /** The trace's own id or a span's. */
  record_id: Type.Unsafe<string>(Type.String()),
  scores: Type.Unsafe<Readonly<Record<string, number | boolean | string | null>>>(Type.Object({})),
  /** By metric, where a scorer says how its numbers roll up; else they keep what was said before. */
  roll_up_methods: Type.Optional(
    Type.Unsafe<Readonly<Record<string, 'average' | 'sum' | 'max' | 'min'>>>(Type.Object({})),
  ),
});
/** Its content is erased after this. */
export const traceDeleted = Type.Object({ project_id: id('ProjectId'), trace_id: id('TraceId') });

/** Stream `session-<project>-<session>`. */
export const sessionStarted = Type.Object({
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  run_kind: runKind,
  session_id: id('SessionId'),
  name: Type.String(),
  external_id: nullable(Type.String()),
  previous_session_id: nullable(id('SessionId')),
  user_metadata: Type.Unsafe<Readonly<Record<string, string>>>(Type.Object({})),
  /** Time of receipt, or `created_at` of the trace that made it (contract 7). */
  created_at: instant,
  /** `id` was made by the service: not content. */
  minted: Type.Boolean(),
});
export const sessionDeleted = Type.Object({
  project_id: id('ProjectId'),
  session_id: id('SessionId'),
});

/**
 * Stream `sized-session-<project>-<session>`: so many more traces were logged in the session, by one
 * process since it said so last. What a process had not said when it ended is not counted.
 */
export const sessionGrew = Type.Object({
  project_id: id('ProjectId'),
  session_id: id('SessionId'),
  traces: Type.Integer(),
});

export type TraceLogged = Static<typeof traceLogged>;
export type SpansLogged = Static<typeof spansLogged>;
export type RecordChanges = Static<typeof changes>;
export type SessionStarted = Static<typeof sessionStarted>;

export type TraceEvent =
  | { readonly type: 'TraceLogged'; readonly data: TraceLogged }
  | { readonly type: 'SpansLogged'; readonly data: SpansLogged }
  | { readonly type: 'TraceUpdated'; readonly data: Static<typeof traceUpdated> }
  | { readonly type: 'SpanUpdated'; readonly data: Static<typeof spanUpdated> }
  | { readonly type: 'ScoresRecorded'; readonly data: Static<typeof scoresRecorded> }
  | { readonly type: 'TraceDeleted'; readonly data: Static<typeof traceDeleted> }
  | RatingEvent;
export type SessionEvent =
  | { readonly type: 'SessionStarted'; readonly data: SessionStarted }
  | { readonly type: 'SessionDeleted'; readonly data: Static<typeof sessionDeleted> };
export type SessionSizeEvent = {
  readonly type: 'SessionGrew';
  readonly data: Static<typeof sessionGrew>;
};
