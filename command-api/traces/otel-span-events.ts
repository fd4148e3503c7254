import type { OtelSpansReceived, TraceEvent } from '../../events/traces.js';
import type { OtelReceivedSpan } from '../../kernel/otel/trace.js';
import { persistentGet } from './persistent-map.js';
import { traceTooLarge } from './span-additions.js';
import { noRefusedSpans, refuseSpans, type OtelSource, type RefusedSpans } from './otel-decoder.js';
import { objectFingerprint } from './fingerprints.js';
import { eventBytesMax, jsonBytes, estimateCharacters } from './event-packing.js';
import type { Trace } from './trace.js';

/** Spans of one trace in one request, with derived ids. */
export type OtelBatch = {
  readonly base: Pick<
    OtelSpansReceived,
    'project_id' | 'run_id' | 'run_kind' | 'trace_id' | 'otel_trace_id' | 'received_at'
  >;
  readonly parts: readonly { readonly place: OtelSource; readonly spans: readonly SentSpan[] }[];
};
type SentSpan = OtelReceivedSpan;

type SpanEvents = { readonly events: readonly TraceEvent[]; readonly refused: RefusedSpans };

/** Events for the first spans of a trace; the first of repeated spans counts. */
export const firstSpanEvents = (
  batch: OtelBatch,
  session: OtelSpansReceived['session_id'],
): SpanEvents => recordedSpans(batch, null, session);

/**
 * Events for an existing trace (contract 5.12, rule 2): a known span has no effect when equal and
 * is refused when different. A trace without a session gets the one that the batch names (rule 5).
 * Idempotent.
 */
export const laterSpanEvents = (
  batch: OtelBatch,
  trace: Trace,
  named: OtelSpansReceived['session_id'] = null,
): SpanEvents => {
  const outcome = recordedSpans(batch, trace, trace.sessionId ?? named);
  const added = spansIn(outcome.events);
  const bytes = added.reduce((sum, { sent }) => sum + jsonBytes(sent), trace.bytes);
  const beyond = added.length === 0 ? null : traceTooLarge(trace.spansCount + added.length, bytes);
  if (beyond === null) return outcome;
  refuseSpans(outcome.refused, added.length, beyond.detail);
  return { events: [], refused: outcome.refused };
};

const spansIn = (events: readonly TraceEvent[]): readonly SentSpan[] =>
  events.flatMap((event) =>
    event.type === 'OtelSpansReceived' ? event.data.parts.flatMap(({ spans }) => spans) : [],
  );

const recordedSpans = (
  { base, parts }: OtelBatch,
  trace: Trace | null,
  session: OtelSpansReceived['session_id'],
): SpanEvents => {
  const refused = noRefusedSpans();
  const seen = new Map<string, SentSpan>();
  const isNew = (span: SentSpan): boolean => {
    const known = trace === null ? undefined : persistentGet(trace.records, span.id);
    const twin = seen.get(span.id);
    if (known === undefined && twin === undefined) {
      seen.set(span.id, span);
      return true;
    }
    const isSame =
      known === undefined
        ? twin !== undefined && objectFingerprint(twin.sent) === objectFingerprint(span.sent)
        : known.print === objectFingerprint(span.sent);
    if (!isSame) refuseSpans(refused, 1, 'a span with this id came before with other content');
    return false;
  };
  const kept = parts
    .map(({ place, spans }) => ({ place, spans: spans.filter(isNew) }))
    .filter(({ spans }) => spans.length > 0);
  const root =
    trace?.root ??
    kept.flatMap(({ spans }) => spans).find(({ sent }) => sent.parentSpanId === undefined)?.id;
  const portions = packParts(kept);
  return {
    refused,
    events: portions.map((some, at): TraceEvent => {
      const hasRoot = some.some(({ spans }) => spans.some(({ id }) => id === root));
      return {
        type: 'OtelSpansReceived',
        data: {
          ...base,
          session_id: session,
          root: hasRoot && root !== undefined ? root : null,
          parts: some.map(({ place, spans }) => ({ ...place, spans })),
          ...(trace === null && at > 0 && { with_trace: true }),
        },
      };
    }),
  };
};

type Parts = OtelBatch['parts'];
const bytesPerUnitMax = 6;
const frameBytes = 1_024;

/**
 * Packs spans in order, as many as fit an event of at most 900 KB; a larger span gets one of its
 * own.
 */
const packParts = (parts: Parts): readonly Parts[] => {
  if (parts.length === 0) return [];
  if (estimateCharacters(parts) * bytesPerUnitMax <= eventBytesMax) return [parts];
  const portions: { place: OtelSource; spans: SentSpan[] }[][] = [[]];
  let room = eventBytesMax - frameBytes;
  for (const { place, spans } of parts) {
    const placeBytes = jsonBytes(place) + 16;
    let open: SentSpan[] | null = null;
    for (const span of spans) {
      const bytes = jsonBytes(span) + 1;
      if (bytes + (open === null ? placeBytes : 0) > room && (portions.at(-1)?.length ?? 0) > 0) {
        portions.push([]);
        room = eventBytesMax - frameBytes;
        open = null;
      }
      if (open === null) {
        open = [];
        portions.at(-1)?.push({ place, spans: open });
        room -= placeBytes;
      }
      open.push(span);
      room -= bytes;
    }
  }
  return portions;
};
