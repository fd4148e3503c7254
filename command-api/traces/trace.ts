import type { RunKind } from '../../contract/selectors.js';
import type {
  OtelSpansReceived,
  RecordChanges,
  RecordContent,
  SpanContent,
  TraceEvent,
} from '../../events/traces.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { otelTrace, mergeRoot } from '../../kernel/otel/trace.js';
import type { ProjectId, RunId, SessionId, TraceId } from '../../kernel/schema-types.js';
import { withScores } from '../facts/scores.js';
import {
  persistentGet,
  emptyPersistentMap,
  persistentSet,
  type PersistentMap,
} from './persistent-map.js';
import { objectFingerprint, recordBytes, fingerprintLongValues } from './fingerprints.js';
import { jsonBytes, estimateCharacters } from './event-packing.js';

/**
 * A record as sent, for comparison with repeats, and in its current state, for changes; both
 * shortened.
 */
type LoggedRecord = {
  readonly sent: RecordContent;
  readonly now: RecordContent;
  /** Metrics of `now` recorded by a scorer. Absent: none. */
  readonly scored?: ReadonlySet<string>;
  /**
   * Fingerprint of a span as sent by an exporter: compares repeats independently of the mapping.
   */
  readonly print?: string;
};

/** State of a trace; null before it was logged. */
export type Trace = {
  readonly projectId: ProjectId;
  readonly id: TraceId;
  readonly runId: RunId;
  readonly runKind: RunKind;
  readonly sessionId: SessionId | null;
  readonly sentComplete: boolean;
  readonly isComplete: boolean;
  /** The root span from an exporter; null: not received. */
  readonly root: string | null;
  /** Spans of the request that logged it, shortened. */
  readonly sentSpans: readonly SpanContent[];
  /** Records of the trace and its spans, by id. */
  readonly records: PersistentMap<LoggedRecord>;
  readonly deleted: boolean;
  /** Bytes of its current records as JSON, or of the exporters' spans, if more (1.11). */
  readonly bytes: number;
  readonly spansCount: number;
  /** Approximate characters, for caches. */
  readonly weight: number;
};

export const traces: Fold<Trace | null, TraceEvent> = {
  initial: null,
  evolve: (trace, { type, data }) => {
    if (type === 'TraceLogged') {
      const spans = data.spans.map(fingerprintLongValues);
      const records = [fingerprintLongValues(data.trace), ...spans];
      return {
        projectId: data.project_id,
        id: data.trace_id,
        runId: data.run_id,
        runKind: data.run_kind,
        sessionId: data.session_id,
        sentComplete: data.is_complete,
        isComplete: data.is_complete,
        root: null,
        sentSpans: spans,
        records: persistentSet<LoggedRecord>(emptyPersistentMap(), records.map(recordEntry)),
        deleted: false,
        bytes: sum(records, recordBytes),
        spansCount: spans.length,
        weight: sum(records, estimateCharacters),
      };
    }
    if (type === 'OtelSpansReceived') return withReceivedSpans(trace, data);
    if (trace === null) return null;
    switch (type) {
      case 'SpansLogged': {
        const spans = data.spans.map(fingerprintLongValues);
        return {
          ...trace,
          records: persistentSet(trace.records, spans.map(recordEntry)),
          sentSpans: data.with_trace === true ? [...trace.sentSpans, ...spans] : trace.sentSpans,
          bytes: trace.bytes + sum(spans, recordBytes),
          spansCount: trace.spansCount + spans.length,
          weight: trace.weight + sum(spans, estimateCharacters),
        };
      }
      case 'TraceUpdated': {
        const isComplete = data.changes.is_complete ?? trace.isComplete;
        return {
          ...withChangedRecord(trace, trace.id, (now) => withChanges(now, data.changes)),
          isComplete,
        };
      }
      case 'SpanUpdated':
        return withChangedRecord(trace, data.span_id, (now) => withChanges(now, data.changes));
      case 'ScoresRecorded':
        return withScoredRecord(
          trace,
          data.record_id,
          data.scores,
          data.scorer === undefined ? 'client' : 'scorer',
        );
      case 'RatingGiven':
      case 'RatingWithdrawn':
        // Ratings do not affect logging or changes.
        return trace;
      case 'TraceDeleted':
        return { ...trace, deleted: true };
      default:
        return unreachable(type);
    }
  },
};

/** Folds received spans onto a new or existing trace. */
const withReceivedSpans = (before: Trace | null, data: OtelSpansReceived): Trace => {
  const mapped = otelTrace(otelMapping, data);
  const trace = before ?? traceFromSpans(data, mapped.trace);
  const prints = data.parts.flatMap(({ spans }) =>
    spans.map(({ sent }) => objectFingerprint(sent)),
  );
  const spans = mapped.spans.map(fingerprintLongValues);
  // The spans as sent are stored and read too, and much of them may be in no record.
  const bytes = Math.max(sum(spans, recordBytes), sum(data.parts, jsonBytes));
  const grown: Trace = {
    ...trace,
    // While a trace has no session, the first spans that name one set it (contract 5.12, rule 5).
    sessionId: trace.sessionId ?? data.session_id,
    records: persistentSet<LoggedRecord>(
      trace.records,
      spans.map((sent, at) => [sent.id, { sent, now: sent, print: prints[at] ?? '' }] as const),
    ),
    bytes: trace.bytes + bytes,
    spansCount: trace.spansCount + spans.length,
    weight: trace.weight + sum(spans, estimateCharacters) + sum(prints, estimateCharacters),
  };
  if (mapped.root === null) return grown;
  const { metrics = {}, ...members } = mapped.root;
  const rooted = { ...grown, isComplete: true, sentComplete: true, root: data.root };
  const own = withChangedRecord(rooted, trace.id, (now) => mergeRoot(now, members));
  return withScoredRecord(own, trace.id, metrics, 'client');
};

const traceFromSpans = (data: OtelSpansReceived, sent: RecordContent): Trace => {
  const record = fingerprintLongValues(sent);
  return {
    projectId: data.project_id,
    id: data.trace_id,
    runId: data.run_id,
    runKind: data.run_kind,
    sessionId: data.session_id,
    sentComplete: false,
    isComplete: false,
    root: null,
    sentSpans: [],
    records: persistentSet<LoggedRecord>(emptyPersistentMap(), [recordEntry(record)]),
    deleted: false,
    bytes: recordBytes(record),
    spansCount: 0,
    weight: estimateCharacters(record),
  };
};

const recordEntry = (sent: RecordContent): readonly [string, LoggedRecord] => [
  sent.id,
  { sent, now: sent },
];

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const withChangedRecord = (
  trace: Trace,
  id: string,
  change: (now: RecordContent) => RecordContent,
): Trace => {
  const record = persistentGet(trace.records, id);
  return record === undefined
    ? trace
    : withRecord(trace, id, { ...record, now: fingerprintLongValues(change(record.now)) });
};

/** Members overwrite, tags are added (contract 5.6, rule 5). */
export const withChanges = (now: RecordContent, changes: RecordChanges): RecordContent => {
  const { is_complete: _, tags: added = [], ...members } = changes;
  const tags = [...new Set([...(now.tags ?? []), ...added])];
  return { ...now, ...members, ...(tags.length > 0 && { tags }) };
};

type Scores = Readonly<Record<string, number | boolean | string | null>>;
const withScoredRecord = (
  trace: Trace,
  id: string,
  scores: Scores,
  by: 'client' | 'scorer',
): Trace => {
  const record = persistentGet(trace.records, id);
  if (record === undefined) return trace;
  const { metrics: before = {}, ...members } = record.now;
  const own = { metrics: before, scored: record.scored ?? noScorerMetrics };
  const { metrics, scored: scorers } = withScores(own, scores, by);
  return withRecord(trace, id, { ...record, now: { ...members, metrics }, scored: scorers });
};
const noScorerMetrics: ReadonlySet<string> = new Set();

const withRecord = (trace: Trace, id: string, record: LoggedRecord): Trace => {
  const before = persistentGet(trace.records, id)?.now ?? record.now;
  return {
    ...trace,
    records: persistentSet(trace.records, [[id, record]]),
    bytes: trace.bytes + recordBytes(record.now) - recordBytes(before),
    weight: trace.weight + estimateCharacters(record.now) - estimateCharacters(before),
  };
};
