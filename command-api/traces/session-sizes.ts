import type { SessionSizeEvent, TraceLogged } from '../../events/traces.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { Fold } from '../../kernel/decision.js';
import { streamNameOf, type EventLog, type StreamName } from '../../kernel/ports.js';
import type { ProjectId, SessionId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';

/** Contract 1.11: what showing, searching and rolling up one session may cost. */
export const sessionTracesMax = 100_000;
/**
 * A session is counted in steps of so many: one append more for each, and none for most sessions.
 */
const stepTraces = 1_000;
/** Sessions whose counts are in memory, some 200 bytes each. */
const sessionsMax = 20_000;

/** How many traces the log says that a session has had. */
const sizes: Fold<number, SessionSizeEvent> = {
  initial: 0,
  evolve: (traces, { data }) => traces + data.traces,
};

export const sizedSessionStream = (project: ProjectId, session: SessionId): StreamName =>
  streamNameOf('sized-session', project, session);

/** A trace, as far as its session is concerned. */
type SizedTrace = Pick<TraceLogged, 'project_id' | 'session_id'>;

type SessionKey = { readonly project: ProjectId; readonly session: SessionId };

export type SessionSizes = {
  /** Those of the sessions that these traces are in which take no more. */
  readonly fullSessions: (traces: readonly SizedTrace[]) => Promise<ReadonlySet<SessionId>>;
  /** These are durable now, each for the first time. */
  readonly countTraces: (traces: readonly SizedTrace[], cause: Authorship) => Promise<void>;
};

/**
 * Counts the traces of sessions, in the log in steps and between them in memory. What other
 * processes logged is seen with each own step, so a session may end up with some thousands more
 * than the bound (contract 1.11); a lost count costs a trace too many and never one too few.
 */
export const openSessionSizes = (log: EventLog): SessionSizes => {
  const known = boundedMap<StreamName, { inLog: number; more: number }>(sessionsMax);

  const sizeOf = async (name: StreamName) => {
    const size = known.get(name) ?? {
      inLog: (await loadStreamState(log, name, sizes)).state,
      more: 0,
    };
    // Somebody may have asked at the same time, and counted.
    const now = known.get(name) ?? size;
    known.set(name, now);
    return now;
  };
  const say = async ({ project, session }: SessionKey, name: StreamName, cause: Authorship) => {
    const size = await sizeOf(name);
    const traces = size.more;
    if (traces < stepTraces) return;
    // Who counts meanwhile begins anew.
    size.more = 0;
    const grew: SessionSizeEvent = {
      type: 'SessionGrew',
      data: { project_id: project, session_id: session, traces },
    };
    try {
      const said = await transact(log, name, sizes, () => [grew], cause);
      size.inLog = said.state;
    } catch {
      // The traces are durable, whatever becomes of their count: it is said with the next ones.
      size.more += traces;
    }
  };

  return {
    fullSessions: async (traces) => {
      const full = new Set<SessionId>();
      for (const { session, name } of sessionsOf(traces).values()) {
        const { inLog, more } = await sizeOf(name);
        if (inLog + more >= sessionTracesMax) full.add(session);
      }
      return full;
    },
    countTraces: async (traces, cause) => {
      for (const { count, name, ...place } of sessionsOf(traces).values()) {
        const size = await sizeOf(name);
        size.more += count;
        await say(place, name, cause);
      }
    },
  };
};

const sessionsOf = (traces: readonly SizedTrace[]) => {
  const sessions = new Map<SessionId, SessionKey & { readonly name: StreamName; count: number }>();
  for (const { project_id: project, session_id: session } of traces) {
    if (session === null) continue;
    const one = sessions.get(session) ?? {
      project,
      session,
      name: sizedSessionStream(project, session),
      count: 0,
    };
    one.count += 1;
    sessions.set(session, one);
  }
  return sessions;
};
