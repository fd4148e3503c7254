import { countSpans } from '../../contract/record-rules.js';
import { spansMax, tracesMax } from '../../contract/records.js';
import type { SentSpan } from '../../kernel/records/sent-record.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { idText, isList, isObject } from './records.js';

/** Limit of a JSON body: a little less than a request may have (contract 1.11). */
const bytesMax = 9 * 1_048_576;
/** Depth limit of nested spans, each two levels of JSON, of which a request may have 128. */
const levelsMax = 50;
/** Byte limit of the spans of one request. */
const partBytes = 1_048_576;

export type TraceParts = {
  readonly trace: JsonObject;
  readonly spans: readonly (readonly JsonObject[])[];
};

/**
 * Splits a trace that exceeds a request: the trace without its spans, then its spans side by side,
 * each with its `parent_id`. Null if it fits, as nearly all do. Every record of it has an id, so
 * that the parts can be sent in any order and again.
 */
export const splitTrace = (trace: JsonObject, bytes: number): TraceParts | null => {
  const { spans, ...alone } = trace;
  if (!isList(spans)) return null;
  const count = countSpans(spans.filter(isObject) as unknown as readonly SentSpan[]);
  if (bytes <= bytesMax && count <= spansMax && levelsOf(trace) <= levelsMax) return null;
  const parts: JsonObject[][] = [];
  let room = 0;
  for (const span of flattenSpans(spans.filter(isObject), idText(trace['id']))) {
    const size = JSON.stringify(span).length;
    if (size > room || (parts.at(-1)?.length ?? 0) >= tracesMax) {
      parts.push([]);
      room = partBytes;
    }
    parts.at(-1)?.push(span);
    room -= size;
  }
  return { trace: alone, spans: parts };
};

const spansBelow = (record: JsonObject): readonly JsonObject[] =>
  isList(record['spans']) ? record['spans'].filter(isObject) : [];

const levelsOf = (trace: JsonObject): number => {
  let levels = 0;
  for (let level = spansBelow(trace); level.length > 0 && levels <= levelsMax; levels += 1) {
    level = level.flatMap(spansBelow);
  }
  return levels;
};

/** Parents before their children. A `parent_id` that a span states wins over nesting. */
function* flattenSpans(spans: readonly JsonObject[], trace: string): Generator<JsonObject> {
  const open = spans.map((span) => ({ span, parent: trace })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { span, parent } = next;
    const { spans: _, ...alone } = span;
    yield { ...alone, parent_id: span['parent_id'] ?? parent };
    for (const one of [...spansBelow(span)].reverse()) {
      open.push({ span: one, parent: idText(span['id']) });
    }
  }
}
