import { hash } from 'node:crypto';
import { randomIds } from '../../engines/node/ids.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { idText, isList, isObject } from './records.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const otelTrace = /^[0-9a-f]{32}$/i;
const otelSpan = /^[0-9a-f]{16}$/i;

/** SHA-256 in the layout of version 4, as contract 5.12, rule 2 makes ids of OTLP. */
const uuidFromText = (text: string): string => {
  const bytes = Buffer.from(hash('sha256', text, 'buffer').subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20].map((at, part) => hex.slice(at, [8, 12, 16, 20, 32][part])).join('-');
};

/**
 * Id of a trace from another system: a UUID is kept, an id of OpenTelemetry gets the one that OTLP
 * would give it, so that both ways meet in one record.
 */
export const traceIdFor = (source: string, theirs: string): string => {
  if (uuid.test(theirs)) return theirs.toLowerCase();
  return otelTrace.test(theirs)
    ? uuidFromText(`otel-trace:${theirs.toLowerCase()}`)
    : randomIds.derive('ImportedTrace', source, theirs);
};

/** Id of a span from another system, by the same rules. */
export const spanIdFor = (source: string, theirTrace: string, theirs: string): string => {
  if (uuid.test(theirs)) return theirs.toLowerCase();
  return otelTrace.test(theirTrace) && otelSpan.test(theirs)
    ? uuidFromText(`otel-span:${theirTrace.toLowerCase()}:${theirs.toLowerCase()}`)
    : randomIds.derive('ImportedSpan', source, theirTrace, theirs);
};

/**
 * Gives every record of a trace in Assay's form an id and keeps those of the file. A trace's id is
 * derived from its content, a span's from its trace and its place in it, so that the same line has
 * the same ids each time.
 */
export const withIds = (trace: JsonObject): JsonObject => {
  const id = trace['id'] ?? randomIds.derive('ImportedTrace', 'assay', JSON.stringify(trace));
  return { ...trace, id, ...spansWithIds(trace, idText(id)) };
};

const spansWithIds = (record: JsonObject, above: string): JsonObject => {
  const { spans } = record;
  if (!isList(spans)) return {};
  return {
    spans: spans.map((span, at): Json => {
      if (!isObject(span)) return span;
      const id = span['id'] ?? randomIds.derive('ImportedSpan', 'assay', above, String(at));
      return { ...span, id, ...spansWithIds(span, idText(id)) };
    }),
  };
};
