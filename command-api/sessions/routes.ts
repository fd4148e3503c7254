import { createSession, type SentSession } from '../../contract/ingest.js';
import { writeRoute, type ResponseReplay, type Route } from '../../contract/operation.js';
import { selectorComplaints } from '../../contract/selectors.js';
import type { SessionStarted } from '../../events/traces.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { Instant, SessionId, Static } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { type Run, runForRecords } from '../facts/runs.js';
import type { SessionRepository } from './session-repository.js';
import { sessions, sessionStream } from './sessions.js';

type Needs = { readonly log: EventLog; readonly ids: Ids; readonly sessions: SessionRepository };

export const sessionWrites = (needs: Needs): readonly Route[] => [
  writeRoute(
    createSession,
    async (request) => {
      const { body, cause, mint } = request;
      const run = await runForRecords(needs, request);
      const requested = asStarted(body, run, body.id ?? mint('SessionId'), cause.at);
      const { session, position } = await needs.sessions.begin(requested, cause);
      const { started } = session;
      return {
        position,
        body: {
          id: started.session_id,
          name: started.name,
          project_id: started.project_id,
          project_name: request.project?.name ?? '',
          previous_session_id: started.previous_session_id,
          external_id: started.external_id,
        },
      };
    },
    ({ body }) => selectorComplaints(body),
    echoOf(needs),
  ),
];

type Created = Static<typeof createSession.response>;

/**
 * Stored response without the client's names, which are erased with the session; a replay reads
 * them again.
 */
const echoOf = ({ log }: Pick<Needs, 'log'>): ResponseReplay => ({
  toStored: (body) => {
    const { name: _, external_id: _external, ...kept } = body as Created;
    return kept;
  },
  restore: async (kept) => {
    const { id, project_id: project } = kept as Pick<Created, 'id' | 'project_id'>;
    const { state } = await loadStreamState(log, sessionStream(project, id), sessions);
    if (state === null || state.deleted) throw new Fault('not-found', 'Session was deleted');
    const { name, external_id } = state.started;
    return { ...(kept as object), name, external_id };
  },
});

const asStarted = (
  body: SentSession,
  run: Run,
  id: SessionId,
  receivedAt: Instant,
): SessionStarted => ({
  project_id: run.projectId,
  run_id: run.id,
  run_kind: run.kind,
  session_id: id,
  name: body.name ?? '',
  external_id: body.external_id ?? null,
  previous_session_id: body.previous_session_id ?? null,
  user_metadata: Object.fromEntries(
    Object.entries(body.user_metadata ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== null,
    ),
  ),
  created_at: receivedAt,
  minted: body.id == null,
});
