// Stored for ever: the members below are the storage format of TraceLogged, version 2.
import type { SentTrace } from '../kernel/records/sent-record.js';
import type { Instant, SpanId } from '../kernel/schema-types.js';
import { spanContents, traceContent, openSpanIds } from './record-contents.js';
import type { SpanContent, TraceLogged } from './traces.js';

/**
 * Version 2 of `TraceLogged` (D-229): the trace byte for byte as the request had it, in `sent`, and
 * what the service adds. `trace` and `spans` of version 1 follow from both.
 */
export type ReceivedTrace = Omit<TraceLogged, 'trace' | 'spans'> & {
  /** Time of records that were sent without one. */
  readonly received_at: Instant;
  /** Id of the first span that was sent without one; the ids of later ones follow from it. */
  readonly first_span_id?: SpanId;
  /** Prices of spans that have one, by their index in pre-order. */
  readonly prices?: Readonly<Record<string, NonNullable<SpanContent['price']>>>;
  readonly sent: SentTrace;
};

/** Reads data of version 2 as data of version 1. */
export const traceLoggedOf = (data: unknown): TraceLogged => {
  const { received_at, first_span_id, prices, sent, ...members } = data as ReceivedTrace;
  let index = -1;
  const spans = spanContents(sent.spans, members.trace_id, {
    receivedAt: received_at,
    nextId: openSpanIds(() => {
      if (first_span_id === undefined) throw new TypeError('TraceLogged lacks first_span_id');
      return first_span_id;
    }).next,
    priceOf: () => {
      index += 1;
      return prices?.[index];
    },
  });
  return { ...members, trace: traceContent(sent, members.trace_id, received_at), spans };
};
