import { metricsMax } from '../../contract/records.js';
import type { SentMetrics } from '../../kernel/records/sent-record.js';
import type { RecordChanges, RecordContent, TraceEvent } from '../../events/traces.js';
import { reject, type Decide, type Rejection } from '../../kernel/decision.js';
import { type Complaint, valueComplaint } from '../../kernel/fault.js';
import { tagsMax } from '../../kernel/records/limits.js';
import type { Json, SpanId } from '../../kernel/schema-types.js';
import { bareMetrics, distinctTags } from '../../events/record-contents.js';
import { persistentGet } from './persistent-map.js';
import { traceTooLarge } from './span-additions.js';
import { sameJson } from './content-equality.js';
import { recordBytes, fingerprintIfLong } from './fingerprints.js';
import { withChanges, type Trace } from './trace.js';
import { inputOf, isInputOf, isOutputOf, outputOf } from '../../events/record-values.js';

/** A change as sent (contract 5.6, rule 5); null or absent: unchanged. */
type SentChange = {
  readonly input?: Json;
  readonly output?: Json;
  readonly status_code?: number | null;
  readonly tags?: readonly (string | null)[] | null;
  readonly is_complete?: boolean | null;
  readonly duration_ns?: number | null;
  readonly metrics?: SentMetrics | null;
};

/** Changes the trace's own record; no event without an effect. */
export const updateTrace =
  (change: SentChange): Decide<Trace | null, TraceEvent> =>
  (trace) => {
    const found = recordOf(trace, trace?.id);
    if (found === null) return reject('not-found', 'Trace not found');
    const { record, place } = found;
    const difference = differenceTo(record, change);
    if ('rejected' in difference) return difference;
    const { is_complete: complete } = change;
    const changes =
      complete == null || complete === trace?.isComplete
        ? difference.changes
        : { ...difference.changes, is_complete: complete };
    const beyond = sizeRejection(found, changes);
    if (beyond !== null) return beyond;
    return [
      ...unlessEmpty(changes, {
        type: 'TraceUpdated',
        data: { ...place, run_id: found.trace.runId, changes },
      }),
      ...scoresRecorded({ ...place, record_id: record.id, scores: difference.scores }),
    ];
  };

/** Changes one span of the trace; no event without an effect. */
export const updateSpan =
  (spanId: SpanId, change: SentChange): Decide<Trace | null, TraceEvent> =>
  (trace) => {
    const found = recordOf(trace, spanId);
    if (found === null || found.record.type === 'trace') {
      return reject('not-found', 'Span not found');
    }
    const { record, place } = found;
    const difference = differenceTo(record, change);
    if ('rejected' in difference) return difference;
    const { changes, scores } = difference;
    const beyond = sizeRejection(found, changes);
    if (beyond !== null) return beyond;
    return [
      ...unlessEmpty(changes, {
        type: 'SpanUpdated',
        data: { ...place, run_id: found.trace.runId, span_id: spanId, changes },
      }),
      ...scoresRecorded({ ...place, record_id: spanId, scores }),
    ];
  };

const recordOf = (trace: Trace | null, id: string | undefined) => {
  const record =
    trace === null || trace.deleted || id === undefined
      ? undefined
      : persistentGet(trace.records, id);
  return trace === null || record === undefined
    ? null
    : { trace, record: record.now, place: { project_id: trace.projectId, trace_id: trace.id } };
};

/** Rejects growth beyond the limit; a change that does not grow the trace always passes. */
const sizeRejection = (
  { trace, record }: { readonly trace: Trace; readonly record: RecordContent },
  changes: RecordChanges,
): Rejection | null => {
  const more = recordBytes(withChanges(record, changes)) - recordBytes(record);
  return more > 0 ? traceTooLarge(trace.spansCount, trace.bytes + more) : null;
};

const unlessEmpty = (changes: object, event: TraceEvent): readonly TraceEvent[] =>
  Object.keys(changes).length === 0 ? [] : [event];

const scoresRecorded = (data: ScoresRecorded): readonly TraceEvent[] =>
  unlessEmpty(data.scores, { type: 'ScoresRecorded', data });

type ScoresRecorded = Extract<TraceEvent, { readonly type: 'ScoresRecorded' }>['data'];
type Difference = { readonly changes: RecordChanges; readonly scores: ScoresRecorded['scores'] };

const differenceTo = (record: RecordContent, change: SentChange): Difference | Rejection => {
  const complaints = [
    ...valueComplaints(record, 'input', change.input ?? null),
    ...valueComplaints(record, 'output', change.output ?? null),
  ];
  const input = change.input == null ? undefined : inputOf(record.type, change.input);
  const output = change.output == null ? undefined : outputOf(record.type, change.output);
  const before = record.tags ?? [];
  const tags = distinctTags(change.tags ?? []).filter((tag) => !before.includes(tag));
  const scores = differentScores(record, change);
  complaints.push(
    ...countComplaints('tags', before.length + tags.length, tagsMax),
    ...countComplaints('metrics', scores.count, metricsMax),
  );
  if (complaints.length > 0) {
    return reject('invalid', 'The request is not valid', { complaints });
  }
  const { status_code: status } = change;
  return {
    changes: {
      ...(input !== undefined &&
        !sameJson(fingerprintIfLong(input), record.input ?? '') && { input }),
      ...(output !== undefined &&
        !sameJson(fingerprintIfLong(output), record.output ?? null) && { output }),
      ...(status != null && status !== record.status_code && { status_code: status }),
      ...(tags.length > 0 && { tags }),
    },
    scores: scores.values,
  };
};

/** Scores that differ from the recorded ones, and the resulting number of metrics. */
const differentScores = (record: RecordContent, change: SentChange) => {
  const before = new Map(Object.entries(record.metrics ?? {}));
  const wanted = new Map(Object.entries(bareMetrics(change.metrics ?? {})));
  if (change.duration_ns != null) wanted.set('duration_ns', change.duration_ns);
  const values = [...wanted].filter(([name, value]) => value !== (before.get(name) ?? null));
  let count = before.size;
  for (const [name, value] of values) {
    if (value === null) count -= 1;
    else if (!before.has(name)) count += 1;
  }
  return { values: Object.fromEntries(values), count };
};

/** Checks the value against the span's kind, which the request does not name. */
const valueComplaints = (
  { type }: RecordContent,
  member: 'input' | 'output',
  value: Json,
): readonly Complaint[] => {
  const fits = member === 'input' ? isInputOf : isOutputOf;
  return value === null || fits(type, value)
    ? []
    : [valueComplaint(['body', member], `a record of type ${type} cannot have this ${member}`)];
};

/** Totals of a record stay within the limits of one request (contract 1.11). */
const countComplaints = (
  member: 'tags' | 'metrics',
  count: number,
  most: number,
): readonly Complaint[] =>
  count <= most
    ? []
    : [
        {
          loc: ['body', member],
          msg: `List should have at most ${most} items, not ${count}`,
          type: 'too_long',
        },
      ];
