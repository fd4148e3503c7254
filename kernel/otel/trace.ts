import { textForm } from '../records/text-form.js';
import type { Instant } from '../shapes.js';
import type { OtelMapping } from './mapping.js';
import { otelRecord, type OtelRecord } from './record.js';
import { plainAttributes, type OtelAttribute, type OtelSpan } from './span.js';
import { textOf } from './values.js';

type Price = { readonly input: number; readonly output: number };

/** Spans of one trace as they were received in one request. */
export type OtelReceived = {
  readonly trace_id: string;
  readonly otel_trace_id: string;
  readonly received_at: Instant;
  /** Id of the span among these that is the trace's root; null: it is not among them. */
  readonly root: string | null;
  readonly parts: readonly OtelPart[];
};
/** Spans of one resource and one scope. */
export type OtelPart = {
  readonly resource?: { readonly attributes?: readonly OtelAttribute[] };
  readonly spans: readonly OtelReceivedSpan[];
};
export type OtelReceivedSpan = {
  readonly id: string;
  /** A span of the trace, or the trace itself. */
  readonly parent_id: string;
  /** Of what it cost, as was known when it was received. */
  readonly price?: Price;
  readonly sent: OtelSpan;
};

/** A span in the form of events/traces.ts. */
export type OtelSpanRecord = OtelRecord & {
  readonly id: string;
  readonly parent_id: string;
  readonly price?: Price;
};
/** What the root gives to its trace (contract 5.12, rule 3). */
export type OtelRootMembers = {
  readonly created_at: Instant;
  readonly name?: string;
  readonly input?: string;
  readonly output?: string;
  readonly status_code?: number;
  readonly metrics?: Readonly<Record<string, number>>;
};
/** The records that what was received is, by a mapping. */
export type OtelTrace = {
  /** The trace's own record, should these spans be its first. */
  readonly trace: {
    readonly type: 'trace';
    readonly id: string;
    readonly created_at: Instant;
    readonly external_id: string;
    readonly user_metadata?: Readonly<Record<string, string>>;
  } & Partial<OtelRootMembers>;
  readonly root: OtelRootMembers | null;
  readonly spans: readonly OtelSpanRecord[];
};

/** Spans in the order in which they came, never refused: what is received is a record. */
export const otelTrace = (mapping: OtelMapping, received: OtelReceived): OtelTrace => {
  const spans = received.parts.flatMap((part) =>
    part.spans.map(({ sent, ...place }): OtelSpanRecord => ({
      ...otelRecord(mapping, sent, received.received_at),
      ...place,
    })),
  );
  const root = spans.find(({ id }) => id === received.root);
  const members = root === undefined ? null : rootMembers(root);
  const started = spans.map(({ created_at: at }) => at).sort();
  const service = serviceOf(received);
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

const serviceOf = ({ parts, root }: OtelReceived): string | undefined => {
  const part = parts.find(({ spans }) => spans.some(({ id }) => id === root)) ?? parts[0];
  return textOf(plainAttributes(part?.resource?.attributes).get('service.name'))?.slice(0, 255);
};

const rootMembers = (root: OtelSpanRecord): OtelRootMembers => {
  const input = textForm(root.input) ?? '';
  const output = textForm(root.output) ?? '';
  const duration = root.metrics?.['duration_ns'];
  return {
    created_at: root.created_at,
    ...(root.name !== undefined && { name: root.name }),
    ...(input !== '' && { input }),
    ...(output !== '' && { output }),
    ...(root.status_code !== undefined && { status_code: root.status_code }),
    ...(duration !== undefined && { metrics: { duration_ns: duration } }),
  };
};
