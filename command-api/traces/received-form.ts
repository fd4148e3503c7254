import type { ReceivedTrace } from '../../events/received-trace.js';
import type { TraceLogged } from '../../events/traces.js';
import { unclosedObject } from '../../kernel/json-chunks.js';
import type { StoredForm } from '../../kernel/ports.js';
import type { Instant, SpanId } from '../../kernel/schema-types.js';
import { eventBytesMax, jsonBytes, payloadCharacters } from './event-packing.js';

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
