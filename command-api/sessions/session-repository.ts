import type { SessionEvent, SessionStarted } from '../../events/traces.js';
import type { ReservationEvent } from '../../events/reservations.js';
import { canonicalUuid } from '../../kernel/uuid-and-instant.js';
import { isRejection, type Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import {
  logStart as nowhere,
  type EventLog,
  type Ids,
  type Position,
  type StreamName,
} from '../../kernel/ports.js';
import {
  nameReservationFold,
  uniqueName,
  type NameReservation,
} from '../../kernel/name-reservation.js';
import type { Brand, Instant, ProjectId, RunId, SessionId } from '../../kernel/schema-types.js';
import {
  appendEvents,
  loadStreamState,
  transact,
  type Authorship,
  type StreamState,
} from '../../kernel/transact.js';
import { reservationStream, type IdDeriver } from '../facts/reservations.js';
import { join, sessions, sessionStream, start, type Session } from './sessions.js';

/** Sessions named by traces, with the start time for those to create (contract 7 on 5.6). */
export type SessionsRequest = {
  readonly projectId: ProjectId;
  readonly run: { readonly id: RunId; readonly kind: SessionStarted['run_kind'] };
  readonly ids: ReadonlyMap<SessionId, Instant>;
  /** True if the text may be the id of a session of the run, too. */
  readonly external: {
    readonly id: string;
    readonly createdAt: Instant;
    readonly orId?: true;
  } | null;
};
type JoinedSessions = {
  /** The session with the requested external id. */
  readonly external: SessionId | null;
  readonly position: Position;
};
type SessionRequester = {
  readonly cause: Authorship;
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
};
type StartedSession = { readonly session: Session; readonly position: Position };

export type SessionRepository = {
  /**
   * Creates missing sessions. Throws Fault `conflict` for a session of another run or a deleted
   * one.
   */
  readonly joinSessions: (
    requested: SessionsRequest,
    requester: SessionRequester,
  ) => Promise<JoinedSessions>;
  /**
   * Starts a session as described by a client. With the client's own id: that session, or Fault
   * `conflict`. Without: the run's session with that external id, unchanged, else a new one.
   */
  readonly begin: (requested: SessionStarted, cause: Authorship) => Promise<StartedSession>;
};

/** External ids, each of one session of its run. */
const externalIds = uniqueName({
  stream: ({ ids }: IdDeriver, { project_id, run_id, external_id }: SessionStarted) =>
    reservationStream('session', ids.derive('Reservation', project_id, run_id, external_id ?? '')),
  holder: (id, { project_id: project }) => sessionStream(project, id),
  fold: sessions,
  isLive: ({ deleted }) => !deleted,
  has: () => true,
});

export const openSessionRepository = ({
  log,
  ids,
}: {
  readonly log: EventLog;
  readonly ids: Ids;
}): SessionRepository => {
  const sessionOf = (project: ProjectId, id: string): Promise<StreamState<Session | null>> =>
    loadStreamState(log, sessionStream(project, id), sessions);

  /**
   * The session with that external id, whatever its id; created with the requested id when missing.
   */
  const beginShared = async (
    requested: SessionStarted,
    externalId: string,
    cause: Authorship,
  ): Promise<StartedSession> => {
    const names = externalIds.stream({ ids }, { ...requested, external_id: externalId });
    const holder = await takeExternalId(log, names, null, requested.session_id, cause);
    try {
      return await transactSession(log, { ...requested, session_id: holder }, join, cause);
    } catch (error) {
      // The claim and the session are two appends. A missing session whose stream takes no events
      // was deleted: its external id is free again.
      if (!(error instanceof Fault) || error.code !== 'conflict') throw error;
      if (holder === requested.session_id || (await isLive(log, requested.project_id, holder)))
        throw error;
      const next = await takeExternalId(log, names, holder, requested.session_id, cause);
      return transactSession(log, { ...requested, session_id: next }, join, cause);
    }
  };

  const beginOwn = async (
    requested: SessionStarted,
    cause: Authorship,
  ): Promise<StartedSession> => {
    const { project_id: project, session_id: id, external_id: externalId } = requested;
    if (externalId !== null) {
      // A session known by its id is checked first: it may have another external id, or none.
      const { state } = await sessionOf(project, id);
      const isNew = state === null;
      const claimed = !isNew || (await externalIds.claim({ log, ids }, requested, id, cause));
      if (!claimed) {
        throw new Fault('conflict', 'This external id belongs to another session');
      }
    }
    return transactSession(log, requested, start, cause);
  };

  return {
    begin: (requested, cause) =>
      requested.external_id !== null && requested.minted
        ? beginShared(requested, requested.external_id, cause)
        : beginOwn(requested, cause),
    joinSessions: async (requested, { cause, mint }) => {
      const position = await joinById(log, requested, cause);
      if (requested.external === null) return { external: null, position };
      const { id, createdAt, orId } = requested.external;
      const known = orId === true ? await liveById(log, requested, id) : null;
      if (known !== null) return known;
      const session = startedBy(requested, mint('SessionId'), createdAt);
      const begun = await beginShared({ ...session, external_id: id, minted: true }, id, cause);
      return {
        external: begun.session.started.session_id,
        position: begun.position > position ? begun.position : position,
      };
    },
  };
};

const isLive = async (log: EventLog, project: ProjectId, id: string): Promise<boolean> =>
  (await loadStreamState(log, sessionStream(project, id), sessions)).state?.deleted === false;

/** The live session of the run with this id; null when missing. */
const liveById = async (
  log: EventLog,
  { projectId, run }: SessionsRequest,
  text: string,
): Promise<JoinedSessions | null> => {
  const id = canonicalUuid(text);
  if (id === null) return null;
  const { state, position } = await loadStreamState(log, sessionStream(projectId, id), sessions);
  if (state?.deleted !== false || state.started.run_id !== run.id) return null;
  return { external: state.started.session_id, position };
};

/** A session created by a trace: its other members stay empty (contract 7 on 5.6). */
const startedBy = (
  { projectId, run }: SessionsRequest,
  id: SessionId,
  createdAt: Instant,
): SessionStarted => ({
  project_id: projectId,
  run_id: run.id,
  run_kind: run.kind,
  session_id: id,
  name: '',
  external_id: null,
  previous_session_id: null,
  user_metadata: {},
  created_at: createdAt,
  minted: false,
});

/**
 * Creates missing sessions in one append; a lost race is decided again (optimistic concurrency).
 */
const joinById = async (
  log: EventLog,
  requested: SessionsRequest,
  cause: Authorship,
): Promise<Position> => {
  const missing: SessionStarted[] = [];
  let position = nowhere;
  for (const [id, createdAt] of requested.ids) {
    const session = startedBy(requested, id, createdAt);
    const known = await loadStreamState(log, sessionStream(requested.projectId, id), sessions);
    const decision = join(session)(known.state);
    if (isRejection(decision)) throw new Fault(decision.rejected, decision.detail);
    if (decision.length > 0) missing.push(session);
    if (known.position > position) position = known.position;
  }
  if (missing.length === 0) return position;
  const results = await appendEvents(
    log,
    missing.map((session) => ({
      stream: sessionStream(requested.projectId, session.session_id),
      events: [{ type: 'SessionStarted', data: session }],
    })),
    cause,
  );
  for (const [index, session] of missing.entries()) {
    const result = results[index] ?? 'conflict';
    const joined =
      result === 'conflict'
        ? (await transactSession(log, session, join, cause)).position
        : result.position;
    if (joined > position) position = joined;
  }
  return position;
};

const transactSession = async (
  log: EventLog,
  requested: SessionStarted,
  decide: (requested: SessionStarted) => Decide<Session | null, SessionEvent>,
  cause: Authorship,
): Promise<StartedSession> => {
  const stream = sessionStream(requested.project_id, requested.session_id);
  const { state, position } = await transact(log, stream, sessions, decide(requested), cause).catch(
    async (error: unknown) => {
      // An empty stream that takes no first event was erased.
      const isLost = error instanceof Fault && error.code === 'conflict';
      if (!isLost || (await loadStreamState(log, stream, sessions)).state !== null) throw error;
      throw new Fault('conflict', `Session ${requested.session_id} was deleted`);
    },
  );
  if (state === null) throw new TypeError(`${stream} is there after it was decided on`);
  return { session: state, position };
};

/**
 * Holder of the external id after `candidate` tried to take it over from `before`; the first writer
 * wins.
 */
const takeExternalId = async (
  log: EventLog,
  names: StreamName,
  before: string | null,
  candidate: SessionId,
  cause: Authorship,
): Promise<SessionId> => {
  const takeOver: Decide<NameReservation, ReservationEvent> = ({ holder }) =>
    holder === before ? [{ type: 'NameClaimed', data: { holder: candidate } }] : [];
  const { state } = await transact(log, names, nameReservationFold, takeOver, cause);
  return (state.holder ?? candidate) as SessionId;
};
