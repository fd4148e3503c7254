import type { RunKind } from '../../contract/selectors.js';
import type { RecordChanges, RecordContent, SpanContent, TraceEvent } from '../../events/traces.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import type { ProjectId, RunId, SessionId, TraceId } from '../../kernel/shapes.js';
import { layered, noLayers, withLayer, type Layers } from './layers.js';
import { weightOf } from './sizes.js';

/** A record as it came, which a repeat is compared with, and as it is now, which a change is. */
export type LoggedRecord = {
  readonly sent: RecordContent;
  readonly now: RecordContent;
};

/** What is known of a trace; null before it was logged. */
export type Trace = {
  readonly projectId: ProjectId;
  readonly id: TraceId;
  readonly runId: RunId;
  readonly runKind: RunKind;
  readonly sessionId: SessionId | null;
  readonly sentComplete: boolean;
  readonly isComplete: boolean;
  /** What came in the request that logged it. */
  readonly sentSpans: readonly SpanContent[];
  /** The trace's own and its spans', by id. */
  readonly records: Layers<LoggedRecord>;
  readonly deleted: boolean;
  /** Roughly its characters, for whoever keeps it in memory. */
  readonly weight: number;
};

export const traces: Fold<Trace | null, TraceEvent> = {
  initial: null,
  evolve: (trace, { type, data }) => {
    if (type === 'TraceLogged') {
      return {
        projectId: data.project_id,
        id: data.trace_id,
        runId: data.run_id,
        runKind: data.run_kind,
        sessionId: data.session_id,
        sentComplete: data.is_complete,
        isComplete: data.is_complete,
        sentSpans: data.spans,
        records: withLayer<LoggedRecord>(noLayers(), [data.trace, ...data.spans].map(entry)),
        deleted: false,
        weight: weightOf(data),
      };
    }
    if (trace === null) return null;
    switch (type) {
      case 'SpansLogged':
        return {
          ...trace,
          records: withLayer(trace.records, data.spans.map(entry)),
          sentSpans:
            data.with_trace === true ? [...trace.sentSpans, ...data.spans] : trace.sentSpans,
          weight: trace.weight + weightOf(data.spans),
        };
      case 'TraceUpdated': {
        const isComplete = data.changes.is_complete ?? trace.isComplete;
        return { ...changed(trace, trace.id, data.changes), isComplete };
      }
      case 'SpanUpdated':
        return changed(trace, data.span_id, data.changes);
      case 'ScoresRecorded':
        return scored(trace, data.record_id, data.scores);
      case 'RatingGiven':
      case 'RatingWithdrawn':
        // Who rated it is nothing that logging or changing it depends on.
        return trace;
      case 'TraceDeleted':
        return { ...trace, deleted: true };
      default:
        return unreachable(type);
    }
  },
};

const entry = (sent: RecordContent): readonly [string, LoggedRecord] => [
  sent.id,
  { sent, now: sent },
];

const changed = (trace: Trace, id: string, changes: RecordChanges): Trace => {
  const record = layered(trace.records, id);
  if (record === undefined) return trace;
  const { is_complete: _, tags: added = [], ...members } = changes;
  const tags = [...new Set([...(record.now.tags ?? []), ...added])];
  const now = { ...record.now, ...members, ...(tags.length > 0 && { tags }) };
  return replaced(trace, id, { ...record, now }, weightOf(changes));
};

type Scores = Readonly<Record<string, number | boolean | string | null>>;
const scored = (trace: Trace, id: string, scores: Scores): Trace => {
  const record = layered(trace.records, id);
  if (record === undefined) return trace;
  const { metrics: before = {}, ...members } = record.now;
  const metrics = Object.fromEntries(
    [...new Map([...Object.entries(before), ...Object.entries(scores)])].filter(
      (one): one is [string, number | boolean | string] => one[1] !== null,
    ),
  );
  return replaced(trace, id, { ...record, now: { ...members, metrics } }, weightOf(scores));
};

const replaced = (trace: Trace, id: string, record: LoggedRecord, added: number): Trace => ({
  ...trace,
  records: withLayer(trace.records, [[id, record]]),
  weight: trace.weight + added,
});
