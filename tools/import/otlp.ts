import type { Json, JsonObject } from '../../kernel/schema-types.js';
import type { FilePiece } from './lines.js';
import { isList, isObject, parseObject, type ImportedRecord } from './records.js';

/**
 * OTLP as JSON (OpenTelemetry protocol 1.x, "OTLP/JSON file exporter": opentelemetry.io/docs/specs/
 * otel/protocol/file-exporter): an `ExportTraceServiceRequest` a line, or one span. The service
 * parses them itself (contract 5.12), so that an export by a collector and an import are one; here
 * they are only split to fit requests.
 */
export async function* otlpLines(pieces: AsyncIterable<FilePiece>): AsyncGenerator<ImportedRecord> {
  for await (const piece of pieces) {
    if ('problem' in piece) yield piece;
    else yield* recordsOf(piece.line, parseObject(piece.text));
  }
}

/** Enough for an efficient request, far below its limit (contract 1.11). */
const spansAtOnce = 100;

function* recordsOf(line: number, value: JsonObject | string): Generator<ImportedRecord> {
  if (typeof value === 'string') return yield { line, problem: value };
  if (isSpan(value)) {
    const resourceSpans = { scopeSpans: [{ spans: [value] }] };
    return yield { line, kind: 'otlp', resourceSpans };
  }
  const resources = value['resourceSpans'] ?? value['resource_spans'];
  if (!isList(resources)) return yield { line, problem: 'it has neither resourceSpans nor a span' };
  for (const resource of resources) {
    if (!isObject(resource)) yield { line, problem: 'an item of resourceSpans must be an object' };
    else yield* partsOf(line, resource);
  }
}

const isSpan = (value: JsonObject): boolean =>
  ('traceId' in value && 'spanId' in value) || ('trace_id' in value && 'span_id' in value);

function* partsOf(line: number, resource: JsonObject): Generator<ImportedRecord> {
  const { scopeSpans, scope_spans: snake, ...about } = resource;
  const scopes = scopeSpans ?? snake ?? [];
  if (!isList(scopes)) return yield { line, problem: 'scopeSpans must be a list' };
  for (const scope of scopes) {
    if (!isObject(scope)) {
      yield { line, problem: 'an item of scopeSpans must be an object' };
      continue;
    }
    const spans: readonly Json[] = isList(scope['spans']) ? scope['spans'] : [];
    for (let from = 0; from < spans.length; from += spansAtOnce) {
      const some = { ...scope, spans: spans.slice(from, from + spansAtOnce) };
      yield { line, kind: 'otlp', resourceSpans: { ...about, scopeSpans: [some] } };
    }
  }
}
