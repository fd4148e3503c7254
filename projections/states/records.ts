import type { SessionEvent, TraceEvent } from '../../events/traces.js';
import type { StoredEvent } from '../../kernel/ports.js';
import { contentMembers } from '../../kernel/records/record-contents.js';
import { toRecordView } from '../../kernel/records/record-view.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/schema-types.js';
import { foldSession } from '../records/fold-session.js';
import { foldTrace } from '../records/fold-trace.js';
import {
  maskedText,
  metricStateValue,
  metricStateValues,
  maskedTexts,
  withMaskedTexts,
  type StateMembers,
} from './masked-state.js';
import type { StateFold } from './state.js';

/** State of a trace and its spans, by id, as reads return them (contract 5.7), without the tree. */
export const traceState = (): StateFold => {
  let rows: readonly RecordRow[] = [];
  return {
    fold: (events) => {
      rows = foldTrace(rows, events as unknown as readonly StoredEvent<TraceEvent>[]);
    },
    snapshot: () => {
      const [trace, ...spans] = rows;
      if (trace === undefined) return null;
      return {
        ...recordMembers(trace),
        spans: Object.fromEntries(
          spans.map((row) => [String(row.values['id']), recordMembers(row)]),
        ),
      };
    },
  };
};

type Bringing = { readonly spans: readonly unknown[] };

/** Number of records in the event: the cost of folding it, and of showing its trace. */
export const countRecords = ({ data }: StoredEvent): number => {
  const { spans, parts } = data as Partial<Bringing & { readonly parts: readonly Bringing[] }>;
  const count = (parts ?? []).reduce((sum, part) => sum + part.spans.length, spans?.length ?? 0);
  return 1 + count;
};

/** State of a session without values from its traces. */
export const sessionState = (): StateFold => {
  let row: RecordRow | null = null;
  return {
    fold: (events) => {
      row = foldSession(row, events as unknown as readonly StoredEvent<SessionEvent>[]);
    },
    snapshot: () => {
      if (row === null) return null;
      const shown = recordMembers(row);
      return Object.fromEntries(sessionMembers.map((name) => [name, shown[name] ?? null]));
    },
  };
};

const sessionMembers = [
  'type',
  'id',
  'project_id',
  'run_id',
  'name',
  'created_at',
  'external_id',
  'previous_session_id',
  'user_metadata',
];

/** Members with content of users or models (contract 5.14). */
const texts = contentMembers.filter((member) => member !== 'dataset_metadata');

const recordMembers = (row: RecordRow): StateMembers => {
  const record = toRecordView(row);
  return {
    ...withMaskedTexts(record, texts),
    metrics: metricStateValues(record['metrics'] ?? {}),
    metric_info: membersOf(record['metric_info'] ?? {}, metricMembers),
    user_metadata: maskedTexts(row.userMetadata),
    dataset_metadata: maskedTexts((record['dataset_metadata'] ?? {}) as JsonObject),
    ...(row.kind === 'trace' && { annotations: ratingMembers(record['annotations'] ?? {}) }),
  };
};

/** State of a metric: its origin, its value, and an evaluation error with its message masked. */
const metricMembers = (info: Json): StateMembers => {
  const { value, scorer_value, roll_up_metrics, standard_error, ...one } = info as JsonObject;
  return {
    ...withMaskedTexts(one, ['message']),
    ...(value !== undefined && { value: metricStateValue(value) }),
    ...(scorer_value !== undefined && { scorer_value: metricStateValue(scorer_value) }),
    ...(roll_up_metrics !== undefined && { roll_up_metrics: metricStateValues(roll_up_metrics) }),
    ...(standard_error !== undefined && {
      standard_error: withMaskedTexts(standard_error as JsonObject, ['message']),
    }),
  };
};

const ratingMembers = (annotations: Json): StateMembers =>
  membersOf(annotations, (byUser) => membersOf(byUser, oneRatingMembers));

const oneRatingMembers = (rating: Json): StateMembers => {
  const { annotation_type = null, value = null, explanation = null } = rating as JsonObject;
  return {
    annotation_type,
    value: annotation_type === 'text' ? maskedText(value) : value,
    explanation: maskedText(explanation),
  };
};

const membersOf = (members: Json, each: (one: Json) => StateMembers): StateMembers =>
  Object.fromEntries(Object.entries(members as JsonObject).map(([name, one]) => [name, each(one)]));
