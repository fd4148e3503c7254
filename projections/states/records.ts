import type { SessionEvent, TraceEvent } from '../../events/traces.js';
import type { Recorded } from '../../kernel/ports.js';
import { recordOf } from '../../kernel/records/record-of.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { Json, JsonObject } from '../../kernel/shapes.js';
import { foldSession } from '../records/session.js';
import { foldTrace } from '../records/trace.js';
import { asText, shownValue, shownValues, textsOf, withTexts, type ShownMembers } from './shown.js';
import type { OpenState } from './state.js';

/** A trace and its spans, by id, as they are read (contract 5.7), without the tree. */
export const traceState = (): OpenState => {
  let rows: readonly RecordRow[] = [];
  return {
    fold: (events) => {
      rows = foldTrace(rows, events as unknown as readonly Recorded<TraceEvent>[]);
    },
    shown: () => {
      const [trace, ...spans] = rows;
      if (trace === undefined) return null;
      return {
        ...shownRecord(trace),
        spans: Object.fromEntries(spans.map((row) => [String(row.values['id']), shownRecord(row)])),
      };
    },
  };
};

type Bringing = { readonly spans: readonly unknown[] };

/** How many records the event brings: what folding it, and showing its trace, costs. */
export const recordsIn = ({ data }: Recorded): number => {
  const { spans, parts } = data as Partial<Bringing & { readonly parts: readonly Bringing[] }>;
  const count = (parts ?? []).reduce((sum, part) => sum + part.spans.length, spans?.length ?? 0);
  return 1 + count;
};

/** A session without what its traces say. */
export const sessionState = (): OpenState => {
  let row: RecordRow | null = null;
  return {
    fold: (events) => {
      row = foldSession(row, events as unknown as readonly Recorded<SessionEvent>[]);
    },
    shown: () => {
      if (row === null) return null;
      const shown = shownRecord(row);
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

/** What people wrote, or models did (contract 5.14). */
const texts = [
  'input',
  'output',
  'redacted_input',
  'redacted_output',
  'dataset_input',
  'dataset_output',
  'tools',
  'events',
];

const shownRecord = (row: RecordRow): ShownMembers => {
  const record = recordOf(row);
  return {
    ...withTexts(record, texts),
    metrics: shownValues(record['metrics'] ?? {}),
    metric_info: membersOf(record['metric_info'] ?? {}, shownMetric),
    user_metadata: textsOf(row.userMetadata),
    dataset_metadata: textsOf((record['dataset_metadata'] ?? {}) as JsonObject),
    ...(row.kind === 'trace' && { annotations: shownRatings(record['annotations'] ?? {}) }),
  };
};

/** Of a metric: how it came about, with its value, and an evaluation error without its words. */
const shownMetric = (info: Json): ShownMembers => {
  const { value, scorer_value, roll_up_metrics, standard_error, ...one } = info as JsonObject;
  return {
    ...withTexts(one, ['message']),
    ...(value !== undefined && { value: shownValue(value) }),
    ...(scorer_value !== undefined && { scorer_value: shownValue(scorer_value) }),
    ...(roll_up_metrics !== undefined && { roll_up_metrics: shownValues(roll_up_metrics) }),
    ...(standard_error !== undefined && {
      standard_error: withTexts(standard_error as JsonObject, ['message']),
    }),
  };
};

const shownRatings = (annotations: Json): ShownMembers =>
  membersOf(annotations, (byUser) => membersOf(byUser, shownRating));

const shownRating = (rating: Json): ShownMembers => {
  const { annotation_type = null, value = null, explanation = null } = rating as JsonObject;
  return {
    annotation_type,
    value: annotation_type === 'text' ? asText(value) : value,
    explanation: asText(explanation),
  };
};

const membersOf = (members: Json, each: (one: Json) => ShownMembers): ShownMembers =>
  Object.fromEntries(Object.entries(members as JsonObject).map(([name, one]) => [name, each(one)]));
