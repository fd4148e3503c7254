import type { SpanContent, TraceEvent, TraceLogged } from '../../events/traces.js';
import { utf8ByteLength } from '../../kernel/code-points.js';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';
import type { ReceivedTrace } from '../../events/received-trace.js';
import { unclosedObject } from '../../kernel/json-text.js';
import type { StoredForm } from '../../kernel/ports.js';
import type { Instant, SpanId } from '../../kernel/schema-types.js';

/**
 * Limit of JSON bytes in one event, which fits the smallest limit of the engines (1 MiB) with its
 * frame.
 */
export const eventBytesMax = 900_000;

/** Bytes of JSON per UTF-16 unit, at most: the escape of a control character. */
const bytesPerUnitMax = 6;
/** Quotes, colon, comma and the digits of any number. */
const unitsPerValue = 30;

/** Upper estimate of the value's characters as JSON. Cheap: texts are not scanned. */
export const estimateCharacters = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 4;
  if (typeof value !== 'object' || value === null) return unitsPerValue;
  let weight = 4;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) weight += 2 + estimateCharacters(item);
    return weight;
  }
  for (const member in value) {
    weight +=
      member.length + 4 + estimateCharacters((value as Readonly<Record<string, unknown>>)[member]);
  }
  return weight;
};

/** `estimateCharacters` of a payload: each object is walked once. */
const charactersOfObject = memoizeByObject<object, number>(estimateCharacters);
export const payloadCharacters = (payload: unknown): number =>
  typeof payload === 'object' && payload !== null
    ? charactersOfObject(payload)
    : estimateCharacters(payload);

/**
 * Packs a trace into events of one append: one `TraceLogged` of at most 900 KB and `SpansLogged`
 * with the remaining spans. A larger record gets an event of its own.
 */
export const traceEvents = (logged: TraceLogged): readonly TraceEvent[] => {
  if (payloadCharacters(logged) * bytesPerUnitMax <= eventBytesMax) {
    return [{ type: 'TraceLogged', data: logged }];
  }
  const frame = jsonBytes({ ...logged, spans: [] });
  const [first = [], ...rest] = packSpans(logged.spans, frame);
  return [
    { type: 'TraceLogged', data: { ...logged, spans: first } },
    ...rest.map((spans): TraceEvent => ({
      type: 'SpansLogged',
      data: {
        project_id: logged.project_id,
        trace_id: logged.trace_id,
        run_id: logged.run_id,
        spans,
        with_trace: true,
      },
    })),
  ];
};

/** Packs later spans into events of at most 900 KB. */
export const spanEvents = (
  { project_id, trace_id, run_id }: Pick<TraceLogged, 'project_id' | 'trace_id' | 'run_id'>,
  spans: readonly SpanContent[],
): readonly TraceEvent[] =>
  packSpans(spans, 0)
    .filter((part) => part.length > 0)
    .map((part): TraceEvent => ({
      type: 'SpansLogged',
      data: { project_id, trace_id, run_id, spans: part },
    }));

const frameBytes = 256;

/**
 * Packs spans in order, as many per portion as fit; the first portion is empty when `before` fills
 * its event.
 */
const packSpans = (
  spans: readonly SpanContent[],
  before: number,
): readonly (readonly SpanContent[])[] => {
  if (before === 0 && estimateCharacters(spans) * bytesPerUnitMax <= eventBytesMax) return [spans];
  const portions: SpanContent[][] = [[]];
  let room = eventBytesMax - frameBytes - before;
  for (const span of spans) {
    const bytes = jsonBytes(span) + 1;
    if (bytes > room && (before > 0 || (portions.at(-1)?.length ?? 0) > 0)) {
      portions.push([]);
      room = eventBytesMax - frameBytes;
    }
    portions.at(-1)?.push(span);
    room -= bytes;
  }
  return portions;
};

/** Bytes of the value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => utf8ByteLength(JSON.stringify(value));

/** Trace as a request had it, and what its event needs beside that. */
export type ReceivedBytes = {
  readonly sent: Uint8Array;
  readonly receivedAt: Instant;
  /** Null: all spans have ids. */
  readonly firstSpanId: SpanId | null;
};

/**
 * Form of a trace's event with the bytes of the request in it (D-229); null where the event is to
 * be written from its data, which is much smaller: the request is written with many blanks, or
 * letters as escapes.
 */
export const receivedForm = (
  logged: TraceLogged,
  { sent, receivedAt, firstSpanId }: ReceivedBytes,
): StoredForm | null => {
  const { trace: _trace, spans, ...members } = logged;
  const prices = pricesOf(spans);
  const added: Omit<ReceivedTrace, 'sent'> = {
    ...members,
    received_at: receivedAt,
    ...(firstSpanId !== null && { first_span_id: firstSpanId }),
    ...(prices !== null && { prices }),
  };
  const head = encoder.encode(`${unclosedObject(added)},"sent":`);
  const isSmall = head.length + sent.length < eventBytesMax;
  return isSmall && isCompact(sent.length, logged) ? { schema: 2, json: [head, sent, end] } : null;
};

type Prices = NonNullable<ReceivedTrace['prices']>;
/** Null: no span has one. */
const pricesOf = (spans: TraceLogged['spans']): Prices | null => {
  let prices: Record<string, Prices[string]> | null = null;
  for (const [index, { price }] of spans.entries()) {
    if (price !== undefined) (prices ??= {})[index] = price;
  }
  return prices;
};

const encoder = new TextEncoder();
const end = encoder.encode('}');

/** Bytes as sent for each byte that would be written. */
const bytesRatioMax = 1.3;
/** The estimate is enough for texts in ASCII. */
const isCompact = (bytes: number, logged: TraceLogged): boolean =>
  bytes <= bytesRatioMax * payloadCharacters(logged) || bytes <= bytesRatioMax * jsonBytes(logged);
