import type { TraceLogged } from '../../events/traces.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { otelRecord, externalSessionId } from '../../kernel/otel/record.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import { laterPosition, logStart, type Position, type StreamName } from '../../kernel/ports.js';
import type { Brand, Instant, ProjectId, RunId, SessionId } from '../../kernel/schema-types.js';
import type { Authorship, StreamState } from '../../kernel/transact.js';
import type { JoinSessions, NamedSession } from './join-sessions.js';
import type { OtelSource } from './otel-decoder.js';
import { laterSpanEvents, type OtelBatch } from './otel-span-events.js';
import type { Trace } from './trace.js';

/** A trace as counted by its session. */
export type SessionTrace = Pick<TraceLogged, 'project_id' | 'session_id'>;

type SpansOfResource = {
  readonly resource: OtelSource['resource'] | undefined;
  readonly spans: readonly OtelSpan[];
};

/**
 * The first session that these spans name, else their resources; null: none. A session to create
 * begins with the span that names it.
 */
export const sessionNamedBy = (
  parts: readonly SpansOfResource[],
  receivedAt: Instant,
): NamedSession | null => {
  const asNamed = (id: string, span: OtelSpan): NamedSession => ({
    id,
    createdAt: otelRecord(otelMapping, span, receivedAt).created_at,
    // SDKs send the id of a session created by its own route as its name.
    orId: true,
  });
  for (const span of parts.flatMap(({ spans }) => spans)) {
    const id = externalSessionId(otelMapping, span);
    if (id !== undefined) return asNamed(id, span);
  }
  for (const { resource, spans } of parts) {
    const id = resource === undefined ? undefined : externalSessionId(otelMapping, resource);
    if (id !== undefined && spans[0] !== undefined) return asNamed(id, spans[0]);
  }
  return null;
};

type Needs = { readonly joinSessions: JoinSessions };
type SessionRequester = {
  readonly cause: Authorship;
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
};
type RunOfSession = { readonly id: RunId; readonly kind: Trace['runKind'] };

/** Memoised joins: each session is joined once, by run and name. */
const openSessionJoins = ({ joinSessions }: Needs, { cause, mint }: SessionRequester) => {
  const joined = new Map<string, SessionId | null>();
  let position = logStart;
  return {
    position: (): Position => position,
    join: async (
      projectId: ProjectId,
      run: RunOfSession,
      session: NamedSession,
    ): Promise<SessionId | null> => {
      const key = `${run.id} ${session.id}`;
      const known = joined.get(key);
      if (known !== undefined) return known;
      const place = { projectId, run, ids: new Map<SessionId, Instant>() };
      const found = await joinSessions({ ...place, external: session }, { cause, mint });
      joined.set(key, found.external);
      position = laterPosition(position, found.position);
      return found.external;
    },
  };
};

export type NewTraceSessions = {
  readonly of: ReadonlyMap<StreamName, SessionId | null>;
  /** Traces that exist already and are not appended as new ones. */
  readonly known: ReadonlySet<StreamName>;
  readonly position: Position;
};

/** Sessions of traces that do not exist yet; created when missing. */
export const sessionsOfNewTraces = async (
  needs: Needs,
  traces: readonly { readonly stream: StreamName; readonly session: NamedSession | null }[],
  run: RunOfSession & { readonly projectId: ProjectId },
  load: (stream: StreamName) => Promise<StreamState<Trace | null>>,
  requester: SessionRequester,
): Promise<NewTraceSessions> => {
  const joins = openSessionJoins(needs, requester);
  const of = new Map<StreamName, SessionId | null>();
  const known = new Set<StreamName>();
  for (const { stream, session } of traces) {
    if (session === null) continue;
    if ((await load(stream)).state !== null) known.add(stream);
    else of.set(stream, await joins.join(run.projectId, run, session));
  }
  return { of, known, position: joins.position() };
};

/**
 * Sessions of existing traces without one, whose new spans name one (contract 5.12, rule 5), in the
 * run of the trace; created when missing. `load` returns null for a deleted trace.
 */
export const sessionsOfOldTraces = async (
  needs: Needs,
  traces: ReadonlyMap<
    StreamName,
    { readonly batch: OtelBatch; readonly session: NamedSession | null }
  >,
  load: (stream: StreamName) => Promise<Trace | null>,
  requester: SessionRequester,
): Promise<{ readonly of: ReadonlyMap<StreamName, SessionTrace>; readonly position: Position }> => {
  const joins = openSessionJoins(needs, requester);
  const of = new Map<StreamName, SessionTrace>();
  for (const [stream, { batch, session }] of traces) {
    if (session === null) continue;
    const trace = await load(stream);
    if (trace === null || trace.sessionId !== null) continue;
    // Repeated and refused spans are ignored.
    const added = laterSpanEvents(batch, trace).events.flatMap((event) =>
      event.type === 'OtelSpansReceived' ? event.data.parts : [],
    );
    const named = sessionNamedBy(
      added.map(({ resource, spans }) => ({ resource, spans: spans.map(({ sent }) => sent) })),
      batch.base.received_at,
    );
    if (named === null) continue;
    const run = { id: trace.runId, kind: trace.runKind };
    const id = await joins.join(trace.projectId, run, named);
    if (id !== null) of.set(stream, { project_id: trace.projectId, session_id: id });
  }
  return { of, position: joins.position() };
};
