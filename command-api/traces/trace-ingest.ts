import type { SpanContent, TraceLogged } from '../../events/traces.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type AppendResult, type EventLog, type Position } from '../../kernel/ports.js';
import type { ProjectId, SessionId, TraceId } from '../../kernel/schema-types.js';
import { appendEvents, type StreamAddition, type Authorship } from '../../kernel/transact.js';
import { liveRun } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import { receivedForm, traceEvents } from './event-packing.js';
import type { TraceBatch } from './trace-batch.js';
import type { TraceRepository } from './trace-repository.js';
import { persistentGet } from './persistent-map.js';
import { differingIds, takenIdsConflict } from './span-additions.js';
import type { SessionSizes } from './session-sizes.js';
import type { SpanIndex } from './span-index.js';

export type TraceWriteNeeds = {
  readonly log: EventLog;
  readonly traceRepository: TraceRepository;
  readonly spanIndex: SpanIndex;
  readonly sessionSizes: SessionSizes;
};

type TraceWriteResult = {
  readonly position: Position;
  /** Number of new traces and spans. */
  readonly fresh: number;
  /** Sessions of the traces that existed before. */
  readonly sessions: ReadonlyMap<TraceId, SessionId | null>;
};

/**
 * Appends every trace of the request in one append, each on a stream that must not exist
 * (optimistic concurrency); an existing one is read and compared (contract 5.6, rule 3). Throws
 * Fault `conflict` naming all taken ids, after the others were recorded; it lists the recorded
 * ones.
 */
export const writeTraces = async (
  needs: TraceWriteNeeds,
  project: ProjectId,
  batch: TraceBatch,
  cause: Authorship,
): Promise<TraceWriteResult> => {
  const owned = await ownedElsewhere(needs, project, batch.sentSpans);
  const hasOwned = ({ spans }: TraceLogged): boolean =>
    owned.size > 0 && spans.some(({ id }) => owned.has(id));
  const writable = batch.logged.filter((logged) => !hasOwned(logged));
  const differ = [...batch.differ, ...owned];
  const deleted: TraceId[] = [];
  const added: TraceId[] = [];
  const sessions = new Map<TraceId, SessionId | null>();
  let position = logStart;
  let fresh = 0;
  const full = await needs.sessionSizes.fullSessions(writable);
  const isFull = ({ session_id: id }: TraceLogged): boolean => id !== null && full.has(id);
  const results = await appendTraces(
    needs,
    writable.filter((logged) => !isFull(logged)),
    batch.received,
    cause,
  );
  const closed = new Set<SessionId>();
  for (const logged of writable) {
    const result = results.get(logged) ?? 'conflict';
    let at: Position;
    if (result === 'conflict') {
      const known = await compareWithLog(needs, logged);
      if (known.isNew && logged.session_id !== null && isFull(logged)) {
        closed.add(logged.session_id);
      } else if (known.isGone) deleted.push(logged.trace_id);
      differ.push(...known.differ);
      sessions.set(logged.trace_id, known.sessionId);
      at = known.position;
    } else {
      needs.spanIndex.record(project, logged.trace_id, sentIds(logged.spans));
      fresh += 1 + logged.spans.length;
      added.push(logged.trace_id);
      at = result.position;
    }
    if (at > position) position = at;
  }
  if (differ.length > 0 || deleted.length > 0 || closed.size > 0) {
    const { detail } = takenIdsConflict([...new Set(differ)], deleted, [...closed]);
    throw new Fault('conflict', detail, {
      members: { new_records_count: fresh, new_trace_ids: added },
    });
  }
  return { position, fresh, sessions };
};

/** Appends new traces and counts them in their sessions; returns the result of each. */
const appendTraces = async (
  { log, sessionSizes }: TraceWriteNeeds,
  traces: readonly TraceLogged[],
  received: TraceBatch['received'],
  cause: Authorship,
): Promise<ReadonlyMap<TraceLogged, AppendResult>> => {
  if (traces.length === 0) return new Map();
  const additions = traces.map((logged) => newTraceAddition(logged, received));
  const results = await appendEvents(log, additions, cause);
  await sessionSizes.countTraces(
    traces.filter((_, index) => results[index] !== 'conflict'),
    cause,
  );
  return new Map(traces.map((one, index) => [one, results[index] ?? 'conflict']));
};

const newTraceAddition = (
  logged: TraceLogged,
  received: TraceBatch['received'],
): StreamAddition => {
  const bytes = received.get(logged);
  const stored = bytes === undefined ? null : receivedForm(logged, bytes);
  return {
    stream: traceStream(logged.project_id, logged.trace_id),
    events: stored === null ? traceEvents(logged) : [{ type: 'TraceLogged', data: logged, stored }],
  };
};

type LogComparison = {
  /** True if the trace or its run was deleted. */
  readonly isGone: boolean;
  /** True if its stream has no events: never logged, or erased. */
  readonly isNew: boolean;
  readonly differ: readonly string[];
  readonly sessionId: SessionId | null;
  readonly position: Position;
};
const compareWithLog = async (
  { log, traceRepository }: TraceWriteNeeds,
  logged: TraceLogged,
): Promise<LogComparison> => {
  const { state, position } = await traceRepository.load(
    traceStream(logged.project_id, logged.trace_id),
  );
  // An empty stream that takes no first event was erased. A trace of a deleted run cannot be
  // repeated: a 200 would promise unreadable data.
  const isGone =
    state === null ||
    state.deleted ||
    (state.runId !== logged.run_id &&
      (await liveRun(log, logged.project_id, state.runId)) === null);
  return {
    isGone,
    isNew: state === null,
    differ: isGone ? [] : differingIds(state, logged),
    sessionId: state?.sessionId ?? null,
    position,
  };
};

/** Ids made by the client; minted ones are unknown to clients before they read them. */
export const sentIds = (spans: readonly SpanContent[]): readonly string[] =>
  spans.filter(({ minted }) => minted?.includes('id') !== true).map(({ id }) => id);

/**
 * Spans owned by another trace of the project: candidates from the index, confirmed on that trace's
 * stream.
 */
export const ownedElsewhere = async (
  { traceRepository, spanIndex }: TraceWriteNeeds,
  project: ProjectId,
  spans: ReadonlyMap<string, TraceId>,
): Promise<ReadonlySet<string>> => {
  const owned = new Set<string>();
  if (spans.size === 0) return owned;
  for (const [span, trace] of spanIndex.owners(project, spans.keys())) {
    if (trace === spans.get(span)) continue;
    const { state } = await traceRepository.load(traceStream(project, trace));
    if (state !== null && !state.deleted && persistentGet(state.records, span) !== undefined) {
      owned.add(span);
    }
  }
  return owned;
};
