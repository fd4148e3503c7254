import type { SpanContent, TraceEvent, TraceLogged } from '../../events/traces.js';
import { reject, type Decide, type Rejection } from '../../kernel/decision.js';
import { persistentGet } from './persistent-map.js';
import { differingRecords, sameContent, type SentTraceContent } from './content-equality.js';
import { sessionTracesMax } from './session-sizes.js';
import { recordBytes, fingerprintLongValues } from './fingerprints.js';
import { spanEvents } from './event-packing.js';
import type { Trace } from './trace.js';

/** Ids of records that the live trace has with other content. */
export const differingIds = (trace: Trace, logged: TraceLogged): readonly string[] =>
  differingRecords(
    {
      ...logged,
      trace: fingerprintLongValues(logged.trace),
      spans: logged.spans.map(fingerprintLongValues),
    },
    sentContentOf(trace),
  );

const sentContentOf = (trace: Trace): SentTraceContent => {
  const record = persistentGet(trace.records, trace.id);
  if (record === undefined) throw new TypeError(`trace ${trace.id} lacks its own record`);
  return { trace: record.sent, spans: trace.sentSpans, is_complete: trace.sentComplete };
};

/** Adds later spans. A known span must be equal, under the same parent. */
export const addSpans =
  (spans: readonly SpanContent[]): Decide<Trace | null, TraceEvent> =>
  (trace) => {
    if (trace === null || trace.deleted) return reject('not-found', 'Trace not found');
    const { distinct, differ } = distinctSpans(
      spans,
      (id) => persistentGet(trace.records, id)?.sent,
    );
    if (differ.length > 0) return takenIdsConflict(differ);
    const beyond = traceTooLarge(
      trace.spansCount + distinct.length,
      distinct.reduce((bytes, span) => bytes + recordBytes(span), trace.bytes),
    );
    if (beyond !== null && distinct.length > 0) return beyond;
    const { projectId, id, runId } = trace;
    return spanEvents({ project_id: projectId, trace_id: id, run_id: runId }, distinct);
  };

/**
 * Spans without repeats, neither known before (shortened) nor earlier in the list; `differ` has the
 * ids with other content. Spans with minted ids cannot be known.
 */
export const distinctSpans = (
  spans: readonly SpanContent[],
  known: (id: string) => TraceLogged['trace'] | undefined = () => undefined,
): { readonly distinct: readonly SpanContent[]; readonly differ: readonly string[] } => {
  const distinct = new Map<string, SpanContent>();
  const differ = new Set<string>();
  for (const span of spans) {
    const before = known(span.id) as SpanContent | undefined;
    const same = before ?? distinct.get(span.id);
    const sent = before === undefined ? span : fingerprintLongValues(span);
    if (same === undefined) distinct.set(span.id, span);
    else if (same.parent_id !== span.parent_id || !sameContent(same, sent)) differ.add(span.id);
  }
  return { distinct: [...distinct.values()], differ: [...differ] };
};

/** Limits of contract 1.11: bound the cost of reading, scoring and showing one trace as a whole. */
const traceSpansMax = 20_000;
const traceBytesMax = 64 * 1024 * 1024;

/** Rejects a trace with too many spans, or too many bytes of records; null: within the limits. */
export const traceTooLarge = (spans: number, bytes: number): Rejection | null => {
  if (spans > traceSpansMax) {
    return reject('conflict', `A trace has at most ${traceSpansMax} spans; this would be ${spans}`);
  }
  return bytes > traceBytesMax
    ? reject('conflict', `The records of a trace have at most ${traceBytesMax} bytes as JSON`)
    : null;
};

const listedIdsMax = 20;

/**
 * Conflict (409) that names the ids (contract 5.6, rule 3): those with other content, those of
 * deleted traces, which keep their ids, and full sessions (contract 1.11).
 */
export const takenIdsConflict = (
  differ: readonly string[],
  deleted: readonly string[] = [],
  full: readonly string[] = [],
): Rejection =>
  reject(
    'conflict',
    [
      ...(differ.length > 0 ? [`Already logged with other content: ${joinIds(differ)}`] : []),
      ...(deleted.length > 0 ? [`These were deleted and keep their ids: ${joinIds(deleted)}`] : []),
      ...(full.length > 0
        ? [`These sessions have ${sessionTracesMax} traces and take no more: ${joinIds(full)}`]
        : []),
    ].join('. '),
  );

const joinIds = (ids: readonly string[]): string => {
  const more = ids.length > listedIdsMax ? ` and ${ids.length - listedIdsMax} more` : '';
  return `${ids.slice(0, listedIdsMax).join(', ')}${more}`;
};
