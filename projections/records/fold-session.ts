import type { SessionEvent, SessionStarted } from '../../events/traces.js';
import { unreachable } from '../../kernel/decision.js';
import type { StoredEvent } from '../../kernel/ports.js';
import type { RecordRow } from '../../kernel/records/record.js';

/** Folds a session's stream into its row, without values from its traces; null = no session. */
export const foldSession = (
  row: RecordRow | null,
  events: readonly StoredEvent<SessionEvent>[],
): RecordRow | null => events.reduce(evolve, row);

const evolve = (row: RecordRow | null, event: StoredEvent<SessionEvent>): RecordRow | null => {
  const known = row === null ? -1 : Number(row.body['revision']);
  if (event.revision <= known) return row;
  switch (event.type) {
    case 'SessionStarted':
      return newSessionRow(event, event.data);
    case 'SessionDeleted':
      return null;
    default:
      return unreachable(event);
  }
};

const newSessionRow = (event: StoredEvent, data: SessionStarted): RecordRow => ({
  group: event.stream,
  ordinal: 0,
  kind: 'session',
  values: {
    id: data.session_id,
    name: data.name,
    created_at: data.created_at,
    ...(data.external_id !== null && { external_id: data.external_id }),
    // Not columns of sessions, but every row has its scope.
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
