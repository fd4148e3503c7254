import { countSpans } from '../../contract/record-rules.js';
import type { SentTraces } from '../../contract/ingest.js';
import {
  spanContents,
  traceContent,
  type SpanDefaults,
  openSpanIds,
} from '../../events/record-contents.js';
import type { SpanContent, TraceLogged } from '../../events/traces.js';
import type { SentTrace } from '../../kernel/records/sent-record.js';
import type { Brand, Instant, SessionId, TraceId } from '../../kernel/schema-types.js';
import type { Run } from '../facts/runs.js';
import { distinctSpans } from './span-additions.js';
import { differingRecords } from './content-equality.js';
import type { ReceivedBytes } from './event-packing.js';

/** Traces of one request, ready to be decided one by one. */
export type TraceBatch = {
  /** Ids as sent: a repeated trace occurs twice. */
  readonly ids: readonly TraceId[];
  readonly spansCount: number;
  /** Distinct traces in the order of the request. */
  readonly logged: readonly TraceLogged[];
  /** Traces that are exactly what these bytes of the request say. */
  readonly received: ReadonlyMap<TraceLogged, ReceivedBytes>;
  /**
   * Ids repeated in the request with different content: the first counts (contract 5.6, rule 3).
   */
  readonly differ: readonly string[];
  /** Spans with an id of the client's own, with their trace. */
  readonly sentSpans: ReadonlyMap<string, TraceId>;
};

type BatchTarget = {
  readonly run: Run;
  readonly sessionOf: (trace: SentTrace) => SessionId | null;
  readonly itemBytes: readonly Uint8Array[] | null;
};
type BatchDefaults = Pick<SpanDefaults, 'receivedAt' | 'priceOf'> & {
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
};

export const batchOf = (
  body: SentTraces,
  { run, sessionOf, itemBytes }: BatchTarget,
  { mint, receivedAt, priceOf }: BatchDefaults,
): TraceBatch => {
  const first = new Map<TraceId, TraceLogged>();
  const received = new Map<TraceLogged, ReceivedBytes>();
  const sentSpans = new Map<string, TraceId>();
  const ids: TraceId[] = [];
  const differ: string[] = [];
  let spansCount = 0;
  for (const [index, sent] of body.traces.entries()) {
    const traceId = sent.id ?? mint('TraceId');
    const spanIds = openSpanIds(() => mint('SpanId'));
    const flat = spanContents(sent.spans, traceId, { nextId: spanIds.next, receivedAt, priceOf });
    const { distinct: spans, differ: twice } = hasRepeats(flat)
      ? distinctSpans(flat)
      : { distinct: flat, differ: [] };
    const logged: TraceLogged = {
      project_id: run.projectId,
      run_id: run.id,
      run_kind: run.kind,
      trace_id: traceId,
      session_id: sessionOf(sent),
      is_complete: body.is_complete ?? true,
      logging_method: body.logging_method ?? 'api_direct',
      ...(body.client_version != null && { client_version: body.client_version }),
      trace: traceContent(sent, traceId, receivedAt),
      spans,
    };
    ids.push(traceId);
    spansCount += countSpans(sent.spans);
    const before = first.get(traceId);
    const conflicting =
      before === undefined
        ? [...twice, ...ownedByEarlierTrace(logged, sentSpans)]
        : [...twice, ...differingRecords(logged, before)];
    differ.push(...conflicting);
    if (before === undefined && conflicting.length === 0) {
      first.set(traceId, logged);
      const bytes = itemBytes?.[index];
      if (bytes !== undefined && spans === flat)
        received.set(logged, { sent: bytes, receivedAt, firstSpanId: spanIds.first() });
      for (const span of spans) if (isSent(span)) sentSpans.set(span.id, traceId);
    }
  }
  return { ids, spansCount, logged: [...first.values()], received, differ, sentSpans };
};

/** Linear scan of small traces: comparing a few ids is cheaper than a hash table. */
const linearScanMax = 16;
const hasRepeats = (spans: readonly SpanContent[]): boolean =>
  spans.length <= linearScanMax
    ? spans.some(({ id }, index) => isAmong(spans, id, index))
    : new Set(spans.map(({ id }) => id)).size < spans.length;
const isAmong = (spans: readonly SpanContent[], id: string, before: number): boolean => {
  for (let at = 0; at < before; at += 1) if (spans[at]?.id === id) return true;
  return false;
};

const isSent = ({ minted }: TraceLogged['trace']): boolean => minted?.includes('id') !== true;

/** Spans that an earlier trace of the request has already. */
const ownedByEarlierTrace = (
  { spans, trace_id: traceId }: TraceLogged,
  sentSpans: ReadonlyMap<string, TraceId>,
): readonly string[] =>
  spans.map(({ id }) => id).filter((id) => (sentSpans.get(id) ?? traceId) !== traceId);

/** Sessions named by id, each with the time of the first trace that names it. */
export const sessionsById = (
  body: SentTraces,
  receivedAt: Instant,
): ReadonlyMap<SessionId, Instant> => {
  const named = new Map<SessionId, Instant>();
  for (const trace of body.traces) {
    const id = trace.session_id ?? body.session_id;
    if (id != null && !named.has(id)) named.set(id, trace.created_at ?? receivedAt);
  }
  return named;
};

/** The external id, if a trace needs it, with the time of the first one that does. */
export const externalSessionOf = (
  body: SentTraces,
  receivedAt: Instant,
): { readonly id: string; readonly createdAt: Instant } | null => {
  if (body.session_external_id == null || body.session_id != null) return null;
  const needing = body.traces.find((trace) => trace.session_id == null);
  return needing === undefined
    ? null
    : { id: body.session_external_id, createdAt: needing.created_at ?? receivedAt };
};
