// The messages of OTLP/HTTP, as field numbers: what the public definitions say, in the JSON form of
// protobufjs. From https://github.com/open-telemetry/opentelemetry-proto (v1.8, common/v1,
// resource/v1, trace/v1, collector/trace/v1; Copyright OpenTelemetry Authors, Apache License 2.0),
// https://github.com/googleapis/googleapis (google/rpc/status.proto; Copyright Google LLC, Apache
// License 2.0). Nothing is left out but deprecated fields.
import type { MessageField, ProtobufMessages } from './protobuf-messages.js';

const one = (type: string, id: number): MessageField => ({ type, id });
const many = (type: string, id: number): MessageField => ({ rule: 'repeated', type, id });

/**
 * OTLP messages. Names are as protobuf's JSON has them; enums are numbers, as OTLP/JSON requires.
 */
export const otlpMessages: ProtobufMessages = {
  AnyValue: {
    oneofs: {
      value: {
        oneof: [
          'stringValue',
          'boolValue',
          'intValue',
          'doubleValue',
          'arrayValue',
          'kvlistValue',
          'bytesValue',
        ],
      },
    },
    fields: {
      stringValue: one('string', 1),
      boolValue: one('bool', 2),
      intValue: one('int64', 3),
      doubleValue: one('double', 4),
      arrayValue: one('ArrayValue', 5),
      kvlistValue: one('KeyValueList', 6),
      bytesValue: one('bytes', 7),
    },
  },
  ArrayValue: { fields: { values: many('AnyValue', 1) } },
  KeyValueList: { fields: { values: many('KeyValue', 1) } },
  KeyValue: { fields: { key: one('string', 1), value: one('AnyValue', 2) } },
  InstrumentationScope: {
    fields: {
      name: one('string', 1),
      version: one('string', 2),
      attributes: many('KeyValue', 3),
      droppedAttributesCount: one('uint32', 4),
    },
  },
  Resource: {
    fields: { attributes: many('KeyValue', 1), droppedAttributesCount: one('uint32', 2) },
  },
  ResourceSpans: {
    fields: {
      resource: one('Resource', 1),
      scopeSpans: many('ScopeSpans', 2),
      schemaUrl: one('string', 3),
    },
  },
  ScopeSpans: {
    fields: {
      scope: one('InstrumentationScope', 1),
      spans: many('Span', 2),
      schemaUrl: one('string', 3),
    },
  },
  Span: {
    fields: {
      traceId: one('bytes', 1),
      spanId: one('bytes', 2),
      traceState: one('string', 3),
      parentSpanId: one('bytes', 4),
      name: one('string', 5),
      kind: one('int32', 6),
      startTimeUnixNano: one('fixed64', 7),
      endTimeUnixNano: one('fixed64', 8),
      attributes: many('KeyValue', 9),
      droppedAttributesCount: one('uint32', 10),
      events: many('SpanEvent', 11),
      droppedEventsCount: one('uint32', 12),
      links: many('SpanLink', 13),
      droppedLinksCount: one('uint32', 14),
      status: one('SpanStatus', 15),
      flags: one('fixed32', 16),
    },
  },
  SpanEvent: {
    fields: {
      timeUnixNano: one('fixed64', 1),
      name: one('string', 2),
      attributes: many('KeyValue', 3),
      droppedAttributesCount: one('uint32', 4),
    },
  },
  SpanLink: {
    fields: {
      traceId: one('bytes', 1),
      spanId: one('bytes', 2),
      traceState: one('string', 3),
      attributes: many('KeyValue', 4),
      droppedAttributesCount: one('uint32', 5),
      flags: one('fixed32', 6),
    },
  },
  SpanStatus: { fields: { message: one('string', 2), code: one('int32', 3) } },
  ExportTraceServiceRequest: { fields: { resourceSpans: many('ResourceSpans', 1) } },
  ExportTraceServiceResponse: { fields: { partialSuccess: one('ExportTracePartialSuccess', 1) } },
  ExportTracePartialSuccess: {
    fields: { rejectedSpans: one('int64', 1), errorMessage: one('string', 2) },
  },
  Status: { fields: { code: one('int32', 1), message: one('string', 2) } },
};
