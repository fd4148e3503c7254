import { isTooLong } from '../../contract/long-texts.js';
import type { OtelSpansReceived } from '../../events/traces.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import { isJsonObject } from '../../kernel/otel/values.js';
import { textBytesMax } from '../../kernel/records/limits.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import {
  attributesIn,
  countIn,
  eventsIn,
  idIn,
  linksIn,
  memberOf,
  nanosecondsIn,
  objectsIn,
  textIn,
} from './otel-values.js';
import { wrongTypeIn } from './otel-types.js';
import { jsonBytes } from './event-packing.js';

export type OtelSource = Pick<OtelSpansReceived['parts'][number], 'resource' | 'scope'>;
/** Spans of one trace in one request, grouped by source. */
export type SentOtelTrace = {
  /** Lower-case hex. */
  readonly traceId: string;
  readonly parts: readonly { readonly place: OtelSource; readonly spans: OtelSpan[] }[];
};
type DecodedSpans = {
  readonly traces: readonly SentOtelTrace[];
  /** Count of invalid spans, with distinct reasons. */
  readonly refused: RefusedSpans;
};

/** Count of refused spans, with distinct reasons. */
export type RefusedSpans = { count: number; readonly reasons: Set<string> };
export const noRefusedSpans = (): RefusedSpans => ({ count: 0, reasons: new Set() });
export const refuseSpans = (refused: RefusedSpans, count: number, reason: string): void => {
  if (count === 0) return;
  refused.count += count;
  refused.reasons.add(reason);
};

export const addRefusedSpans = (refused: RefusedSpans, { count, reasons }: RefusedSpans): void => {
  refused.count += count;
  for (const reason of reasons) refused.reasons.add(reason);
};

/** Limit of contract 1.11: the source is stored with each event of its spans. */
const sourceBytesMax = 65_536;

/**
 * Decodes an `ExportTraceServiceRequest` in JSON into spans by trace, in order of arrival. Unknown
 * members are ignored; a span with an invalid member is refused, and the others are read.
 */
export const decodeSpans = (body: JsonObject): DecodedSpans => {
  const traces = new Map<string, Map<OtelSource, OtelSpan[]>>();
  const refused = noRefusedSpans();
  for (const ofResource of objectsIn(memberOf(body, 'resourceSpans'))) {
    const resource = decodeSource(ofResource, 'resource');
    for (const ofScope of objectsIn(memberOf(ofResource, 'scopeSpans'))) {
      const scope = decodeSource(ofScope, 'scope');
      const place: OtelSource = {
        ...(resource !== null && { resource }),
        ...(scope !== null && { scope }),
      };
      const spans = objectsIn(memberOf(ofScope, 'spans'));
      const wrong = sourceComplaint(ofResource, ofScope);
      if (wrong !== null || jsonBytes(place) > sourceBytesMax) {
        const tooLarge = `resource or scope of more than ${sourceBytesMax} bytes`;
        refuseSpans(refused, spans.length, wrong ?? tooLarge);
        continue;
      }
      for (const given of spans) {
        const span = decodeSpan(given);
        if (typeof span === 'string') refuseSpans(refused, 1, span);
        else addSpan(traces, place, span);
      }
    }
  }
  return {
    traces: [...traces].map(([traceId, parts]) => ({
      traceId,
      parts: [...parts].map(([place, spans]) => ({ place, spans })),
    })),
    refused,
  };
};

/** First member of a resource or scope with a wrong type; null: all are valid. */
const sourceComplaint = (ofResource: JsonObject, ofScope: JsonObject): string | null => {
  const [resource, scope] = [ofResource['resource'], ofScope['scope']];
  return (
    (isJsonObject(resource) ? wrongTypeIn('Resource', resource, 'resource') : null) ??
    (isJsonObject(scope) ? wrongTypeIn('InstrumentationScope', scope, 'scope') : null) ??
    [ofResource, ofScope].map(schemaComplaint).find((one) => one !== null) ??
    null
  );
};
const schemaComplaint = (holder: JsonObject): string | null => {
  const schema = memberOf(holder, 'schemaUrl') ?? '';
  return typeof schema === 'string' ? null : 'schemaUrl is not a string';
};

const addSpan = (
  traces: Map<string, Map<OtelSource, OtelSpan[]>>,
  place: OtelSource,
  span: OtelSpan,
): void => {
  const parts = traces.get(span.traceId) ?? new Map<OtelSource, OtelSpan[]>();
  traces.set(span.traceId, parts);
  const spans = parts.get(place);
  if (spans === undefined) parts.set(place, [span]);
  else spans.push(span);
};

export const countSentSpans = (body: JsonObject): number => {
  let count = 0;
  for (const ofResource of objectsIn(memberOf(body, 'resourceSpans'))) {
    for (const ofScope of objectsIn(memberOf(ofResource, 'scopeSpans'))) {
      count += objectsIn(memberOf(ofScope, 'spans')).length;
    }
  }
  return count;
};

/** A resource or scope with its schema; null when empty. */
const decodeSource = (holder: JsonObject, name: 'resource' | 'scope') => {
  const member = holder[name];
  const given: JsonObject = isJsonObject(member) ? member : {};
  const attributes = attributesIn(given['attributes']);
  const dropped = countIn(memberOf(given, 'droppedAttributesCount'));
  const schema = textIn(memberOf(holder, 'schemaUrl'));
  const [called, version] = [textIn(given['name']), textIn(given['version'])];
  const place = {
    ...(called !== '' && { name: called }),
    ...(version !== '' && { version }),
    ...(attributes.length > 0 && { attributes }),
    ...(dropped !== undefined && { droppedAttributesCount: dropped }),
    ...(schema !== '' && { schemaUrl: schema }),
  };
  return Object.keys(place).length === 0 ? null : place;
};

/** Decodes a span; a text says what is invalid. */
const decodeSpan = (given: JsonObject): OtelSpan | string => {
  const traceId = idIn(memberOf(given, 'traceId'), 16);
  if (traceId === null || traceId === '') return 'traceId is not 16 bytes, or all zeros';
  const spanId = idIn(memberOf(given, 'spanId'), 8);
  if (spanId === null || spanId === '') return 'spanId is not 8 bytes, or all zeros';
  const parent = idIn(memberOf(given, 'parentSpanId'), 8);
  if (parent === null) return 'parentSpanId is not 8 bytes';
  if (parent === spanId) return 'a span is not its own parent';
  const start = nanosecondsIn(memberOf(given, 'startTimeUnixNano'));
  const end = nanosecondsIn(memberOf(given, 'endTimeUnixNano'));
  if (start === null || end === null) return 'a time is not a number of nanoseconds in 64 bits';
  const wrong = wrongTypeIn('Span', given);
  if (wrong !== null) return wrong;
  const span: OtelSpan = {
    traceId,
    spanId,
    ...(parent !== '' && { parentSpanId: parent }),
    name: textIn(given['name']),
    startTimeUnixNano: start,
    endTimeUnixNano: end,
    ...decodeOptionalMembers(given),
  };
  return hasLongText(span) ? `a text has more than ${textBytesMax} bytes` : span;
};

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const codes = ['unset', 'ok', 'error'];
/** Enum value by number, or by name as protobuf's JSON may write it. */
const decodeEnum = (value: Json | undefined, prefix: string, names: readonly string[]): number => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : 0;
  return Math.max(0, names.indexOf(textIn(value).toLowerCase().replace(prefix, '')));
};

const decodeOptionalMembers = (given: JsonObject): Partial<OtelSpan> => {
  const kind = decodeEnum(given['kind'], 'span_kind_', kinds);
  const state = textIn(memberOf(given, 'traceState'));
  const flags = countIn(given['flags']);
  const attributes = attributesIn(given['attributes']);
  const events = eventsIn(given['events']);
  const links = linksIn(given['links']);
  const droppedAttributes = countIn(memberOf(given, 'droppedAttributesCount'));
  const droppedEvents = countIn(memberOf(given, 'droppedEventsCount'));
  const droppedLinks = countIn(memberOf(given, 'droppedLinksCount'));
  const status = decodeStatus(given['status']);
  return {
    ...(state !== '' && { traceState: state }),
    ...(flags !== undefined && { flags }),
    ...(kind !== 0 && { kind }),
    ...(attributes.length > 0 && { attributes }),
    ...(droppedAttributes !== undefined && { droppedAttributesCount: droppedAttributes }),
    ...(events.length > 0 && { events }),
    ...(droppedEvents !== undefined && { droppedEventsCount: droppedEvents }),
    ...(links.length > 0 && { links }),
    ...(droppedLinks !== undefined && { droppedLinksCount: droppedLinks }),
    ...(status !== undefined && { status }),
  };
};

const decodeStatus = (value: Json | undefined): OtelSpan['status'] => {
  if (!isJsonObject(value)) return undefined;
  const code = decodeEnum(value['code'], 'status_code_', codes);
  const message = textIn(value['message']);
  if (code === 0 && message === '') return undefined;
  return { ...(code !== 0 && { code }), ...(message !== '' && { message }) };
};

const hasLongText = (value: unknown): boolean => {
  if (typeof value === 'string') return isTooLong(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText);
};
