import { messageCodec } from '../../engines/protobufjs/codec.js';
import { otlpMessages } from '../../contract/otlp-messages.js';
import type { Json } from '../../kernel/schema-types.js';

type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** A value as OTLP/JSON writes it. */
const otelValue = (value: Value): object => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(otelValue) } };
  return { kvlistValue: { values: otelAttributes(value as Readonly<Record<string, Value>>) } };
};
const otelAttributes = (members: Readonly<Record<string, Value>>): readonly object[] =>
  Object.entries(members).map(([key, value]) => ({ key, value: otelValue(value) }));

export const otelTraceId = (number: number): string => number.toString(16).padStart(32, '0');
export const otelSpanId = (number: number): string => number.toString(16).padStart(16, '0');

type SpanMade = {
  readonly trace?: number;
  readonly id: number;
  readonly parent?: number;
  readonly attributes?: Readonly<Record<string, Value>>;
  readonly [member: string]: unknown;
};
/** 2026-03-01T09:00:00Z. */
export const nineNs = 1_772_355_600_000_000_000n;

/** A span of two seconds, one second after another by its id. */
export const otelSpan = ({
  trace = 1,
  id,
  parent,
  attributes = {},
  ...more
}: SpanMade): object => ({
  traceId: otelTraceId(trace),
  spanId: otelSpanId(id),
  ...(parent !== undefined && { parentSpanId: otelSpanId(parent) }),
  name: `span ${id}`,
  startTimeUnixNano: String(nineNs + BigInt(id) * 1_000_000_000n),
  endTimeUnixNano: String(nineNs + BigInt(id + 2) * 1_000_000_000n),
  attributes: otelAttributes(attributes),
  ...more,
});

/** A request with these spans, of one resource and scope. */
export const otelRequest = (
  spans: readonly object[],
  resource: Readonly<Record<string, Value>> = { 'service.name': 'booking' },
): object => ({
  resourceSpans: [
    {
      resource: { attributes: otelAttributes(resource) },
      scopeSpans: [{ scope: { name: 'agent', version: '1' }, spans }],
    },
  ],
});

const codec = messageCodec(otlpMessages);
const isId = /^(?:trace|span|parentSpan)Id$/;
/** Protobuf's JSON has bytes in base64, OTLP's has ids in hex. */
const inBase64 = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((one) => inBase64(one));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([member, one]) => [member, inBase64(one, member)]),
    );
  }
  return isId.test(name) ? Buffer.from(String(value), 'hex').toString('base64') : value;
};
export const otelBytes = (request: object): Uint8Array =>
  codec.encode('ExportTraceServiceRequest', inBase64(request) as object);
export const readMessage = (message: string, bytes: Uint8Array): Json =>
  codec.decode(message, Buffer.from(bytes)) as Json;
