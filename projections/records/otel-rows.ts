// Changes that received spans make to a trace's rows beyond their own (contract 5.12).
import type { OtelSpansReceived, TraceEvent } from '../../events/traces.js';
import type { OtelRootMembers } from '../../kernel/otel/trace.js';
import type { StoredEvent } from '../../kernel/ports.js';
import type { RecordRow } from '../../kernel/records/record.js';
import { clearOverlap, type RowBuilder } from './row-builder.js';
import { putText } from './content-row.js';
import { recordScores } from './scores.js';

/** Assigns the session that the first spans name to a trace without one (contract 5.12, rule 5). */
export const putSession = (
  rows: readonly RowBuilder[],
  { session_id: id }: OtelSpansReceived,
): void => {
  if (id === null || rows[0] === undefined || !isOutsideSessions(rows[0])) return;
  for (const { values } of rows) values['session_id'] = id;
};

/** True if the trace is outside sessions (contract 3.1, rule 4). */
const isOutsideSessions = ({ values }: Pick<RecordRow, 'values'>): boolean =>
  values['session_id'] === values['id'];

/**
 * True if these events assign a session to the trace: the full rows of its spans are needed then.
 */
export const assignsSession = (head: RecordRow, events: readonly StoredEvent[]): boolean =>
  isOutsideSessions(head) &&
  (events as readonly StoredEvent<TraceEvent>[]).some(
    ({ type, data }) => type === 'OtelSpansReceived' && data.session_id !== null,
  );

export const putRoot = (trace: RowBuilder, root: OtelRootMembers, at: string): void => {
  const { values } = trace;
  values['is_complete'] = true;
  values['created_at'] = root.created_at;
  if (root.name !== undefined) values['name'] = root.name;
  if (root.status_code !== undefined) values['status_code'] = root.status_code;
  if (root.input !== undefined) putText(trace, 'input', root.input);
  if (root.output !== undefined) putText(trace, 'output', root.output);
  if (root.metrics !== undefined) recordScores(trace, root.metrics, at);
  if (root.user_metadata !== undefined) {
    trace.userMetadata = { ...trace.userMetadata, ...root.user_metadata };
  }
  addTags(trace, root.tags ?? []);
  if (root.dataset_input !== undefined) values['dataset_input'] = root.dataset_input;
  if (root.dataset_output !== undefined) {
    values['dataset_output'] = root.dataset_output;
    clearOverlap(trace);
  }
  for (const name of ['redacted_input', 'redacted_output', 'dataset_metadata'] as const) {
    if (root[name] !== undefined) trace.body[name] = root[name];
  }
};

export const addTags = ({ values }: RowBuilder, added: readonly string[]): void => {
  const tags = new Set([...((values['tags'] ?? []) as readonly string[]), ...added]);
  if (tags.size > 0) values['tags'] = [...tags];
};
