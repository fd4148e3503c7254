// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { OtelAttribute, OtelSpan } from '../kernel/otel/span.js';
import { id, instant, nullable, oneOf, readonlyArray } from '../kernel/schema-types.js';
import { spanPrice } from './price-list.js';
import { event } from './schemas.js';

/**
 * OTLP/JSON with lowerCamelCase members, whatever its encoding was: the input of every version of
 * the mapping (kernel/otel), so it is stored in full.
 */
const attributes = Type.Unsafe<readonly OtelAttribute[]>(Type.Array(Type.Unknown()));
const sentSpan = Type.Unsafe<OtelSpan>(Type.Object({}));
const resource = Type.Object({
  attributes: Type.Optional(attributes),
  droppedAttributesCount: Type.Optional(Type.Integer()),
  schemaUrl: Type.Optional(Type.String()),
});
const scope = Type.Object({
  name: Type.Optional(Type.String()),
  version: Type.Optional(Type.String()),
  attributes: Type.Optional(attributes),
  droppedAttributesCount: Type.Optional(Type.Integer()),
  schemaUrl: Type.Optional(Type.String()),
});
const receivedSpan = Type.Object({
  /** Derived from the ids that were sent (contract 5.12, rule 2). */
  id: Type.String(),
  /** A span of the trace, or the trace itself. */
  parent_id: Type.String(),
  /** The model's price when the span was received, as in `SpansLogged`. */
  price: Type.Optional(spanPrice),
  sent: sentSpan,
});

/**
 * Stream `trace-<project>-<trace>`, as its first event or any later one: spans as an exporter sent
 * them. Their records are not stored; they follow from the current mapping.
 */
export const otelSpansReceived = event('entity create', {
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  run_kind: oneOf(['log_stream', 'experiment', 'metrics_testing']),
  trace_id: id('TraceId'),
  /**
   * Session of the trace; counts where no earlier event of the stream named one. Null: no session
   * yet.
   */
  session_id: nullable(id('SessionId')),
  /** Lower-case hex. */
  otel_trace_id: Type.String(),
  /** Replaces a start that was not sent. */
  received_at: instant,
  /**
   * Id of the span among these that completes the trace; null in every other event of its stream.
   */
  root: nullable(Type.String()),
  parts: readonlyArray(
    Type.Object({
      resource: Type.Optional(resource),
      scope: Type.Optional(scope),
      spans: readonlyArray(receivedSpan),
    }),
  ),
  /** Sent in one request with the first event: not a change of the trace. */
  with_trace: Type.Optional(Type.Literal(true)),
});
