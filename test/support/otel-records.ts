import { createHash } from 'node:crypto';
import { decodeSpans } from '../../command-api/traces/otel-decoder.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { otelRecord, type OtelRecord } from '../../kernel/otel/record.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import type { Instant, JsonObject } from '../../kernel/schema-types.js';
import { otelRequest, otelSpan, otelSpanId, otelTraceId } from './otlp.js';

type Attributes = Parameters<typeof otelSpan>[0]['attributes'];

/** The time of receipt of the spans below. */
export const noon = '2026-03-01T12:00:00.000000Z' as Instant;

/** The span as parsed from a request with it alone; throws when it is refused. */
export const readSpan = (given: object): OtelSpan => {
  const [trace] = decodeSpans(otelRequest([given]) as JsonObject).traces;
  const span = trace?.parts[0]?.spans[0];
  if (span === undefined) throw new Error('no span was read');
  return span;
};

/** The record of a span with these attributes and members, received at noon. */
export const recordOf = (attributes: Attributes, more: object = {}): OtelRecord => {
  const span = readSpan(otelSpan({ id: 1, attributes: attributes ?? {}, ...more }));
  return otelRecord(otelMapping, span, noon);
};

/** A uuid of version 4 made from the text (contract 5.12, rule 2). */
const derived = (text: string): string => {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** Ids of the records of `otelTraceId` and `otelSpanId`. */
export const traceRecordId = (trace: number): string => derived(`otel-trace:${otelTraceId(trace)}`);
export const spanRecordId = (trace: number, span: number): string =>
  derived(`otel-span:${otelTraceId(trace)}:${otelSpanId(span)}`);
