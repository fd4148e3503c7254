import type { SessionEvent, SessionStarted } from '../../events/traces.js';
import { unreachable } from '../../kernel/decision.js';
import type { Recorded } from '../../kernel/ports.js';
import type { ColumnValue, MetricCell, RecordRow } from '../../kernel/records.js';
import type { JsonObject } from '../../kernel/shapes.js';
import { add, results } from './derive.js';
import { annotatorsOfAll } from './annotations.js';
import { put } from './draft.js';

/**
 * The session's row after the events of its stream, without what its traces say; null = no session.
 */
export const foldSession = (
  row: RecordRow | null,
  events: readonly Recorded<SessionEvent>[],
): RecordRow | null => events.reduce(evolve, row);

const evolve = (row: RecordRow | null, event: Recorded<SessionEvent>): RecordRow | null => {
  const known = row === null ? -1 : Number(row.body['revision']);
  if (event.revision <= known) return row;
  switch (event.type) {
    case 'SessionStarted':
      return started(event, event.data);
    case 'SessionDeleted':
      return null;
    default:
      return unreachable(event);
  }
};

const started = (event: Recorded, data: SessionStarted): RecordRow => ({
  group: event.stream,
  ordinal: 0,
  kind: 'session',
  values: {
    id: data.session_id,
    name: data.name,
    created_at: data.created_at,
    ...(data.external_id !== null && { external_id: data.external_id }),
    // No columns of sessions, but every row says whose it is.
    session_id: data.session_id,
    project_id: data.project_id,
    run_id: data.run_id,
  },
  metrics: {},
  userMetadata: data.user_metadata,
  errors: {},
  annotators: [],
  spanCount: 0,
  body: {
    revision: event.revision,
    ...(data.previous_session_id !== null && { previous_session_id: data.previous_session_id }),
  },
});

/**
 * The session with what its traces say (contract 3.4, 3.6, 5.7): input of the first, output of the
 * last by `created_at` then `id`, metrics rolled up from their values, complete when all of them
 * are.
 */
export const withTraces = (session: RecordRow, traces: readonly RecordRow[]): RecordRow => {
  const ordered = [...traces].sort(byTime);
  const { input: _i, output: _o, ...own } = session.values;
  const values: Record<string, ColumnValue> = own;
  const input = ordered[0]?.values['input'];
  const output = ordered.at(-1)?.values['output'];
  if (input !== undefined) values['input'] = input;
  if (output !== undefined) values['output'] = output;
  const body: JsonObject = {
    ...session.body,
    is_complete: traces.every((trace) => trace.values['is_complete'] === true),
    traces: traces.length,
  };
  return {
    ...session,
    values,
    metrics: rolledUp(ordered),
    annotators: annotatorsOfAll(ordered),
    body,
  };
};

const byTime = (one: RecordRow, other: RecordRow): number => {
  const left = `${String(one.values['created_at'])}${String(one.values['id'])}`;
  const right = `${String(other.values['created_at'])}${String(other.values['id'])}`;
  return left < right ? -1 : left > right ? 1 : 0;
};

const rolledUp = (traces: readonly RecordRow[]): Readonly<Record<string, MetricCell>> => {
  const sums: Parameters<typeof add>[0] = new Map();
  for (const { metrics } of traces) {
    for (const [name, { value, rollUp, method }] of Object.entries(metrics)) {
      const number = typeof value === 'number' ? value : rollUp;
      if (number !== undefined) add(sums, name, number, method);
    }
  }
  const cells: Record<string, MetricCell> = {};
  for (const [name, sum] of results(sums)) put(cells, name, { rolledUp: true, ...sum });
  return cells;
};
