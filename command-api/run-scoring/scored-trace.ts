import type { FailureReason } from '../../contract/scoring-counts.js';
import type { RecordContent, TraceEvent } from '../../events/traces.js';
import { unreachable } from '../../kernel/decision.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { otelTrace, mergeRoot } from '../../kernel/otel/trace.js';
import type { Metadata, Position, StoredEvent } from '../../kernel/ports.js';
import type { Instant, Json, ProjectId, RunId, TraceId } from '../../kernel/schema-types.js';
import { withScores } from '../facts/scores.js';

/**
 * State of a trace for scoring: the current content of its records, and the scores since they
 * changed.
 */
export type ScoredTrace = {
  readonly projectId: ProjectId;
  readonly id: TraceId;
  readonly runId: RunId;
  /** Organisation of the first event. */
  readonly organizationId: Metadata['organization_id'];
  /** Revision of the event that first completed it; null: incomplete. */
  readonly completedAt: number | null;
  /** Records: the trace itself first, then its spans in order of arrival. */
  readonly records: ReadonlyMap<string, ScoredRecord>;
  /** Revision of the last event that changed a span. */
  readonly spansChangedAt: number;
  /** Revision of the stream's last event. */
  readonly revision: number;
};
export type ScoredRecord = {
  readonly content: RecordContent;
  /** Names of the metrics whose value a scorer recorded. */
  readonly scored: ReadonlySet<string>;
  /** Revision of the last event that changed content seen by scorers. */
  readonly changedAt: number;
  /** Newest score by metric. */
  readonly scores: ReadonlyMap<string, RecordedScore>;
};
type RecordedScore = {
  readonly at: number;
  readonly position: Position;
  readonly madeAt: Instant;
  /** Error code; null: the record has a score. */
  readonly code: number | null;
  /** Version of the scorer, and its backfill job; null: not recorded in the event. */
  readonly version: number | null;
  readonly job: string | null;
  /** Failure reason; null: the record has a score, or the event does not name it. */
  readonly failure: FailureReason | null;
};

const codeSuffix = '_ems_error_code';
export const errorCodeOf = (metric: string): string => `${metric}${codeSuffix}`;
export const errorMessageOf = (metric: string): string => `${metric}_error_message`;

/** Revision of the last event after which the record must be scored again (contract 5.10). */
export const lastRelevantChange = (trace: ScoredTrace, id: string): number => {
  const record = trace.records.get(id);
  const below = record?.content.type === 'trace' ? trace.spansChangedAt : 0;
  return Math.max(trace.completedAt ?? 0, record?.changedAt ?? 0, below);
};

/** Folds events onto `before`. Null: no trace, or deleted or erased. */
export const scoredTrace = (
  events: readonly StoredEvent[],
  before: ScoredTrace | null = null,
): ScoredTrace | null =>
  events.reduce<ScoredTrace | null>(
    (trace, event) => evolve(trace, event as unknown as StoredEvent<TraceEvent>),
    before,
  );

/** Characters of the records' contents, an estimate of their memory. */
export const textLength = ({ records }: ScoredTrace): number => {
  let sum = 0;
  for (const { content } of records.values()) {
    for (const one of [content.input, content.output, content.tools]) sum += lengthOf(one);
    sum += recordText;
  }
  return sum;
};
/** Estimated characters of a record's other members and of bookkeeping. */
const recordText = 500;

const lengthOf = (value: Json | undefined): number => {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  const members = Array.isArray(value) ? value : Object.values(value);
  return members.reduce<number>((sum, one) => sum + lengthOf(one as Json), 16);
};

const evolve = (trace: ScoredTrace | null, event: StoredEvent<TraceEvent>): ScoredTrace | null => {
  const { type, data, revision } = event;
  if (type === 'TraceLogged') {
    return {
      projectId: data.project_id,
      id: data.trace_id,
      runId: data.run_id,
      organizationId: event.metadata.organization_id,
      completedAt: data.is_complete ? revision : null,
      records: withRecords(new Map(), [data.trace, ...data.spans], revision),
      spansChangedAt: revision,
      revision,
    };
  }
  if (type === 'OtelSpansReceived') return withReceivedSpans(trace, event);
  if (trace === null || type === 'TraceDeleted') return null;
  return { ...trace, ...changesBy(trace, event), revision };
};

/**
 * Folds received spans. A root span gives its members to the trace and completes it (contract 5.12,
 * rule 3).
 */
const withReceivedSpans = (
  before: ScoredTrace | null,
  event: StoredEvent<Extract<TraceEvent, { type: 'OtelSpansReceived' }>>,
): ScoredTrace => {
  const { data, revision } = event;
  const { trace: first, root, spans } = otelTrace(otelMapping, data);
  const trace: ScoredTrace = before ?? {
    projectId: data.project_id,
    id: data.trace_id,
    runId: data.run_id,
    organizationId: event.metadata.organization_id,
    completedAt: null,
    records: withRecords(new Map(), [first], revision),
    spansChangedAt: revision,
    revision,
  };
  const records = new Map(withRecords(trace.records, spans, revision));
  const own = records.get(trace.id);
  if (root !== null && own !== undefined && before !== null) {
    const { metrics, ...members } = root;
    const content = mergeRoot(own.content, members);
    const before = { metrics: content.metrics ?? {}, scored: own.scored };
    const { metrics: all, scored } = withScores(before, metrics ?? {}, 'client');
    const now = { ...content, metrics: all };
    records.set(trace.id, { ...own, content: now, scored, changedAt: revision });
  }
  const completedAt = trace.completedAt ?? (root === null ? null : revision);
  return { ...trace, completedAt, records, spansChangedAt: revision, revision };
};

const changesBy = (trace: ScoredTrace, event: StoredEvent<TraceEvent>): Partial<ScoredTrace> => {
  const { type, data, revision } = event;
  switch (type) {
    case 'SpansLogged':
      return {
        records: withRecords(trace.records, data.spans, revision),
        spansChangedAt: revision,
      };
    case 'TraceUpdated': {
      const { is_complete: isComplete } = data.changes;
      const completedAt = trace.completedAt ?? (isComplete === true ? revision : null);
      return { records: withRecordChange(trace, trace.id, event), completedAt };
    }
    case 'SpanUpdated':
      return {
        records: withRecordChange(trace, data.span_id, event),
        ...(isRelevantChange(data.changes) && { spansChangedAt: revision }),
      };
    case 'ScoresRecorded':
      return { records: withRecordedScores(trace, event) };
    case 'TraceLogged':
    case 'OtelSpansReceived':
    case 'TraceDeleted':
    case 'RatingGiven':
    case 'RatingWithdrawn':
      return {};
    default:
      return unreachable(type);
  }
};

type Records = ScoredTrace['records'];

const withRecords = (
  records: Records,
  added: readonly RecordContent[],
  changedAt: number,
): Records =>
  new Map<string, ScoredRecord>([
    ...records,
    ...added.map((content) => {
      const record = { content, scored: new Set<string>(), changedAt, scores: new Map() };
      return [content.id, record] as const;
    }),
  ]);

type Changes = Extract<TraceEvent, { readonly type: 'TraceUpdated' }>['data']['changes'];
const isRelevantChange = (changes: Changes): boolean =>
  changes.input !== undefined || changes.output !== undefined;

const withRecordChange = (
  { records }: ScoredTrace,
  id: string,
  { data, revision }: StoredEvent<Extract<TraceEvent, { type: 'TraceUpdated' | 'SpanUpdated' }>>,
): Records => {
  const record = records.get(id);
  if (record === undefined) return records;
  const { is_complete: _isComplete, tags = [], ...members } = data.changes;
  const content = {
    ...record.content,
    ...members,
    tags: [...new Set([...(record.content.tags ?? []), ...tags])],
  };
  const changedAt = isRelevantChange(data.changes) ? revision : record.changedAt;
  return new Map(records).set(id, { ...record, content, changedAt });
};

const withRecordedScores = (
  { records }: ScoredTrace,
  event: StoredEvent<Extract<TraceEvent, { type: 'ScoresRecorded' }>>,
): Records => {
  const { data, metadata, revision, position } = event;
  const record = records.get(data.record_id);
  if (record === undefined) return records;
  // Scorers' events from before they named their scorer have no member `scorer`.
  const isScorers = metadata.actor.type === 'service';
  const own = { metrics: record.content.metrics ?? {}, scored: record.scored };
  const { metrics, scored } = withScores(own, data.scores, isScorers ? 'scorer' : 'client');
  const scores = new Map(record.scores);
  if (isScorers) {
    for (const name of Object.keys(data.scores)) {
      const code = data.scores[errorCodeOf(name)];
      scores.set(name, {
        at: revision,
        position,
        madeAt: metadata.at,
        code: typeof code === 'number' ? code : null,
        version: data.scorer?.version ?? null,
        job: data.scorer?.job_id ?? null,
        failure: (data.scorer?.failure as FailureReason | undefined) ?? null,
      });
    }
  }
  const content = { ...record.content, metrics };
  return new Map(records).set(data.record_id, { ...record, content, scored, scores });
};
