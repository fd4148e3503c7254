import { metadataMax } from '../records/limits.js';
import { textForm } from '../records/text-form.js';
import type { SpanPrice } from '../prices/token-kinds.js';
import type { Instant } from '../schema-types.js';
import type { OtelMapping } from './mapping.js';
import { otelRecord, type OtelRecord } from './record.js';
import { plainAttributes, type OtelAttribute, type OtelSpan } from './span.js';
import { nonEmptyText } from './values.js';

/** Spans of one trace as they were received in one request. */
type OtelReceived = {
  readonly trace_id: string;
  readonly otel_trace_id: string;
  readonly received_at: Instant;
  /** Id of the span among these that is the trace's root; null if it is not among them. */
  readonly root: string | null;
  readonly parts: readonly OtelPart[];
};
/** Spans of one resource and scope. */
type OtelPart = {
  readonly resource?: { readonly attributes?: readonly OtelAttribute[] };
  readonly spans: readonly OtelReceivedSpan[];
};
export type OtelReceivedSpan = {
  readonly id: string;
  /** A span of the trace, or the trace itself. */
  readonly parent_id: string;
  /** Model price at the time of receipt. */
  readonly price?: SpanPrice;
  readonly sent: OtelSpan;
};

/** Span in the form of events/traces.ts. */
type OtelSpanRecord = OtelRecord & {
  readonly id: string;
  readonly parent_id: string;
  readonly price?: SpanPrice;
};
/** Members that the root gives to its trace (contract 5.12, rule 3). */
export type OtelRootMembers = {
  readonly created_at: Instant;
  readonly name?: string;
  readonly input?: string;
  readonly output?: string;
  readonly status_code?: number;
  readonly metrics?: Readonly<Record<string, number>>;
  /** Includes `service.name` of the root's resource. */
  readonly user_metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly redacted_input?: string;
  readonly redacted_output?: string;
  readonly dataset_input?: string;
  readonly dataset_output?: string;
  readonly dataset_metadata?: Readonly<Record<string, string>>;
};
/** Records that received spans map to. */
export type OtelTrace = {
  /** The trace's own record, used if these spans are its first. */
  readonly trace: {
    readonly type: 'trace';
    readonly id: string;
    readonly created_at: Instant;
    readonly external_id: string;
  } & Partial<OtelRootMembers>;
  readonly root: OtelRootMembers | null;
  readonly spans: readonly OtelSpanRecord[];
};

/**
 * Maps spans in the order in which they came; none is refused, since everything received is a
 * record.
 */
export const otelTrace = (mapping: OtelMapping, received: OtelReceived): OtelTrace => {
  const spans = received.parts.flatMap((part) =>
    part.spans.map(({ sent, ...place }): OtelSpanRecord => ({
      ...otelRecord(mapping, sent, received.received_at),
      ...place,
    })),
  );
  const root = spans.find(({ id }) => id === received.root);
  const service = serviceOf(received);
  const members = root === undefined ? null : rootMembers(root, service);
  const started = spans.map(({ created_at: at }) => at).sort();
  return {
    trace: {
      type: 'trace',
      id: received.trace_id,
      created_at: started[0] ?? received.received_at,
      external_id: received.otel_trace_id,
      ...(service !== undefined && { user_metadata: { 'service.name': service } }),
      ...members,
    },
    root: members,
    spans,
  };
};

/** Members of a trace's record that its root adds to. */
type RootTarget = Pick<OtelRootMembers, 'user_metadata' | 'tags'>;

/**
 * Merges the root into the trace's record: its members overwrite, its metadata by key, its tags are
 * added. Metrics are left to the caller.
 */
export const mergeRoot = <T extends RootTarget>(
  now: T,
  root: Omit<OtelRootMembers, 'metrics'>,
): T => {
  const { user_metadata: metadata, tags = [], ...members } = root;
  const all = [...new Set([...(now.tags ?? []), ...tags])];
  return {
    ...now,
    ...members,
    ...(metadata !== undefined && { user_metadata: { ...now.user_metadata, ...metadata } }),
    ...(all.length > 0 && { tags: all }),
  };
};

const serviceOf = ({ parts, root }: OtelReceived): string | undefined => {
  const part = parts.find(({ spans }) => spans.some(({ id }) => id === root)) ?? parts[0];
  return nonEmptyText(plainAttributes(part?.resource?.attributes).get('service.name'))?.slice(
    0,
    255,
  );
};

const rootMembers = (root: OtelSpanRecord, service: string | undefined): OtelRootMembers => {
  const members: { -readonly [member in keyof OtelRootMembers]: OtelRootMembers[member] } = {
    created_at: root.created_at,
  };
  const input = textForm(root.input) ?? '';
  const output = textForm(root.output);
  const duration = root.metrics?.['duration_ns'];
  if (root.name !== undefined) members.name = root.name;
  if (input !== '') members.input = input;
  if (output !== null && (output !== '' || root.output === '')) members.output = output;
  if (root.status_code !== undefined) members.status_code = root.status_code;
  if (typeof duration === 'number') members.metrics = { duration_ns: duration };
  const metadata = Object.entries({
    ...(service !== undefined && { 'service.name': service }),
    ...root.user_metadata,
  });
  if (metadata.length > 0) {
    members.user_metadata = Object.fromEntries(metadata.slice(0, metadataMax));
  }
  if (root.tags !== undefined) members.tags = root.tags;
  const redactedInput = textForm(root.redacted_input);
  const redactedOutput = textForm(root.redacted_output);
  if (redactedInput !== null) members.redacted_input = redactedInput;
  if (redactedOutput !== null) members.redacted_output = redactedOutput;
  if (root.dataset_input !== undefined) members.dataset_input = root.dataset_input;
  if (root.dataset_output !== undefined) members.dataset_output = root.dataset_output;
  if (root.dataset_metadata !== undefined) members.dataset_metadata = root.dataset_metadata;
  return members;
};
