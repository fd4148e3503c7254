import type { Instant, Json, JsonObject, SessionId, SpanId, TraceId } from '../schema-types.js';
import type { SpanKind } from './record.js';
import type {
  RecordFieldName,
  RecordFieldValues,
  SpanFieldName,
  SpanFieldValues,
} from './span-fields.js';

/** Members of every record (contract 5.6); null and absence mean the same. */
type SentMembers<Id> = {
  readonly id?: Id | null;
  readonly input?: Json;
  readonly output?: Json;
  readonly redacted_input?: Json;
  readonly redacted_output?: Json;
  readonly name?: string | null;
  readonly created_at?: Instant | null;
  readonly user_metadata?: Readonly<Record<string, string | null>> | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly metrics?: SentMetrics | null;
  readonly dataset_metadata?: Readonly<Record<string, string | null>> | null;
  readonly spans?: readonly SentSpan[] | null;
} & { readonly [name in RecordFieldName]?: RecordFieldValues[name] | null };
/** Metrics by name, with or without `metrics/`; null = absent. */
export type SentMetrics = Readonly<Record<string, number | boolean | string | null>>;

export type SentTrace = SentMembers<TraceId> & {
  readonly type?: 'trace' | null;
  readonly session_id?: SessionId | null;
};
/**
 * Sent span. In the schema each kind has its own further members; the type has them all, so that
 * one piece of code serves every kind.
 */
export type SentSpan = SentMembers<SpanId> & {
  readonly type: SpanKind;
  readonly step_number?: number | null;
  readonly parent_id?: string | null;
  readonly trace_id?: TraceId | null;
  readonly tools?: readonly JsonObject[] | null;
  readonly events?: readonly JsonObject[] | null;
} & { readonly [name in SpanFieldName]?: SpanFieldValues[name] | null };

const metricPrefix = 'metrics/';
/** Drops a leading `metrics/` (contract 3.4, rule 1). */
export const bareMetricName = (name: string): string =>
  name.startsWith(metricPrefix) ? name.slice(metricPrefix.length) : name;
