import type { SessionSizeEvent, TraceLogged } from '../../events/traces.js';
import { boundedMap } from '../../kernel/bounded-map.js';
import type { Fold } from '../../kernel/decision.js';
import { streamNameOf, type EventLog, type StreamName } from '../../kernel/ports.js';
import type { ProjectId, SessionId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';

/** Limit of contract 1.11: bounds the cost of showing, searching and rolling up one session. */
export const sessionTracesMax = 100_000;
/** Traces per counting event: one more append for each step, and none for most sessions. */
const stepTraces = 1_000;
/** Sessions with counts in memory, some 200 bytes each. */
const sessionsMax = 20_000;

/** Fold: number of traces of a session, as recorded in the log. */
const sizes: Fold<number, SessionSizeEvent> = {
  initial: 0,
  evolve: (traces, { data }) => traces + data.traces,
};

export const sizedSessionStream = (project: ProjectId, session: SessionId): StreamName =>
  streamNameOf('sized-session', project, session);

/** A trace as counted by its session. */
type SizedTrace = Pick<TraceLogged, 'project_id' | 'session_id'>;

type SessionKey = { readonly project: ProjectId; readonly session: SessionId };

export type SessionSizes = {
  /** The full sessions among those of these traces. */
  readonly fullSessions: (traces: readonly SizedTrace[]) => Promise<ReadonlySet<SessionId>>;
  /** Counts traces that are now durable, each for the first time. */
  readonly countTraces: (traces: readonly SizedTrace[], cause: Authorship) => Promise<void>;
};

/**
 * Counter of traces per session, recorded in the log in steps and kept in memory between them.
 * Traces of other processes are seen with each own step, so a session may exceed the limit by some
 * thousands (contract 1.11). A lost count leaves a trace too many, never one too few.
 */
export const openSessionSizes = (log: EventLog): SessionSizes => {
  const known = boundedMap<StreamName, { inLog: number; more: number }>(sessionsMax);

  const sizeOf = async (name: StreamName) => {
    const size = known.get(name) ?? {
      inLog: (await loadStreamState(log, name, sizes)).state,
      more: 0,
    };
    // A concurrent call may have loaded and counted.
    const now = known.get(name) ?? size;
    known.set(name, now);
    return now;
  };
  const recordStep = async (
    { project, session }: SessionKey,
    name: StreamName,
    cause: Authorship,
  ) => {
    const size = await sizeOf(name);
    const traces = size.more;
    if (traces < stepTraces) return;
    // Concurrent counts start from zero.
    size.more = 0;
    const grew: SessionSizeEvent = {
      type: 'SessionGrew',
      data: { project_id: project, session_id: session, traces },
    };
    try {
      const recorded = await transact(log, name, sizes, () => [grew], cause);
      size.inLog = recorded.state;
    } catch {
      // The traces are durable in any case: their count is recorded with the next step.
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
        await recordStep(place, name, cause);
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
