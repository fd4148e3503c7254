import type { TraceEvent } from '../../events/traces.js';
import { Fault } from '../../kernel/fault.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { otelModelCall } from '../../kernel/otel/record.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import {
  laterPosition,
  logStart,
  type Position,
  type Sha256,
  type StreamName,
} from '../../kernel/ports.js';
import type { Brand, RunId, TraceId } from '../../kernel/schema-types.js';
import {
  appendEvents,
  transactAll,
  type Authorship,
  type StreamState,
} from '../../kernel/transact.js';
import type { Prices } from '../facts/price-list.js';
import { liveRun, type Run } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import {
  noRefusedSpans,
  refuseSpans,
  addRefusedSpans,
  type RefusedSpans,
  type SentOtelTrace,
} from './otel-decoder.js';
import { firstSpanEvents, laterSpanEvents, type OtelBatch } from './otel-span-events.js';
import {
  sessionsOfNewTraces,
  sessionsOfOldTraces,
  sessionNamedBy,
  type NewTraceSessions,
  type SessionTrace,
} from './otel-sessions.js';
import type { JoinSessions, NamedSession } from './join-sessions.js';
import { sessionTracesMax } from './session-sizes.js';
import type { Trace } from './trace.js';
import type { TraceWriteNeeds } from './trace-ingest.js';

export type OtelWriteNeeds = TraceWriteNeeds & {
  readonly sha256: Sha256;
  readonly joinSessions: JoinSessions;
};

type OtelWriteContext = {
  readonly run: Run;
  readonly prices: Prices;
  readonly cause: Authorship;
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
};

type SpanWriteResult = { readonly position: Position; readonly refused: RefusedSpans };

/** Traces per append, as in an ingest request of contract 5.6. */
const appendTracesMax = 1_000;

/**
 * Ingests spans, those of a trace in one append; idempotent for known spans (contract 5.12, rule
 * 2). Optimistic concurrency: a trace with concurrent appends is decided again. Throws Fault
 * `unavailable` after too many conflicts: the exporter retries without duplicates.
 */
export const ingestOtelSpans = async (
  needs: OtelWriteNeeds,
  traces: readonly SentOtelTrace[],
  context: OtelWriteContext,
): Promise<SpanWriteResult> => {
  const refused = noRefusedSpans();
  let position = logStart;
  for (let from = 0; from < traces.length; from += appendTracesMax) {
    const some = traces
      .slice(from, from + appendTracesMax)
      .map((one) => otelTraceWrite(needs, one, context));
    const at = await writeBatch(needs, some, context, refused);
    position = laterPosition(position, at);
  }
  return { position, refused };
};

type OtelTraceWrite = {
  readonly stream: StreamName;
  readonly traceId: TraceId;
  readonly batch: OtelBatch;
  /** The first session that the trace names; null: none. */
  readonly session: NamedSession | null;
};

const otelTraceWrite = (
  { sha256 }: OtelWriteNeeds,
  { traceId: hex, parts }: SentOtelTrace,
  { run, prices, cause }: OtelWriteContext,
): OtelTraceWrite => {
  const traceId = uuidFromDigest(sha256(`otel-trace:${hex}`)) as TraceId;
  const idOf = (span: string): string => uuidFromDigest(sha256(`otel-span:${hex}:${span}`));
  const received = (sent: OtelSpan) => {
    const { parentSpanId: parent } = sent;
    const span = {
      id: idOf(sent.spanId),
      parent_id: parent === undefined ? traceId : idOf(parent),
      sent,
    };
    const call = prices.isEmpty ? null : otelModelCall(otelMapping, sent, cause.at);
    const price = call === null ? undefined : prices.priceOfModel(call.model, call.at);
    return price === undefined ? span : { ...span, price };
  };
  return {
    stream: traceStream(run.projectId, traceId),
    traceId,
    batch: {
      base: {
        project_id: run.projectId,
        run_id: run.id,
        run_kind: run.kind,
        trace_id: traceId,
        otel_trace_id: hex,
        received_at: cause.at,
      },
      parts: parts.map(({ place, spans }) => ({ place, spans: spans.map(received) })),
    },
    session: sessionNamedBy(
      parts.map(({ place, spans }) => ({ resource: place.resource, spans })),
      cause.at,
    ),
  };
};

/** UUID with version and variant of RFC 9562 for derived ids (contract 5.12, rule 2). */
const uuidFromDigest = (digest: Uint8Array): string => {
  const bytes = digest.slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => (0x100 + byte).toString(16).slice(1)).join('');
  const [one, two, three, four, five] = [0, 8, 12, 16, 20].map((from, at) =>
    hex.slice(from, [8, 12, 16, 20, 32][at]),
  );
  return `${one}-${two}-${three}-${four}-${five}`;
};

const writeBatch = async (
  needs: OtelWriteNeeds,
  traces: readonly OtelTraceWrite[],
  context: OtelWriteContext,
  refused: RefusedSpans,
): Promise<Position> => {
  const { load } = needs.traceRepository;
  const sessions = await sessionsOfNewTraces(needs, traces, context.run, load, context);
  let { position } = sessions;
  const fresh = await appendNewTraces(needs, traces, sessions, context, refused);
  position = laterPosition(position, fresh.position);
  const rest = new Map(
    traces.filter(({ stream }) => !fresh.done.has(stream)).map((one) => [one.stream, one]),
  );
  return rest.size === 0
    ? position
    : laterPosition(position, await appendToTraces(needs, rest, context, refused));
};

/** Appends new traces, each on a stream that must not exist. */
const appendNewTraces = async (
  { log, sessionSizes, spanIndex }: OtelWriteNeeds,
  traces: readonly OtelTraceWrite[],
  sessions: NewTraceSessions,
  { run, cause }: OtelWriteContext,
  refused: RefusedSpans,
): Promise<{ readonly position: Position; readonly done: ReadonlySet<StreamName> }> => {
  const inSession = ({ stream }: OtelTraceWrite) => ({
    project_id: run.projectId,
    session_id: sessions.of.get(stream) ?? null,
  });
  const full = await sessionSizes.fullSessions(traces.map(inSession));
  const done = new Set<StreamName>();
  const tried = traces.flatMap((one) => {
    const { session_id: session } = inSession(one);
    if (sessions.known.has(one.stream)) return [];
    if (session === null || !full.has(session)) {
      return [{ one, ...firstSpanEvents(one.batch, session), stream: one.stream }];
    }
    refuseSpans(refused, spansOf(one).length, sessionFull);
    done.add(one.stream);
    return [];
  });
  const results = await appendEvents(log, tried, cause);
  let position = logStart;
  const begun = tried.filter(({ one, refused: twins }, at) => {
    const result = results[at] ?? 'conflict';
    if (result === 'conflict') return false;
    position = laterPosition(position, result.position);
    done.add(one.stream);
    addRefusedSpans(refused, twins);
    spanIndex.record(run.projectId, one.traceId, spansOf(one));
    return true;
  });
  await sessionSizes.countTraces(
    begun.map(({ one }) => inSession(one)),
    cause,
  );
  return { position, done };
};

const sessionFull = `the session has ${sessionTracesMax} traces`;

const spansOf = ({ batch }: OtelTraceWrite): readonly string[] =>
  batch.parts.flatMap(({ spans }) => spans.map(({ id }) => id));

/** Appends to existing traces, each decided in its current state. */
const appendToTraces = async (
  needs: OtelWriteNeeds,
  traces: ReadonlyMap<StreamName, OtelTraceWrite>,
  context: OtelWriteContext,
  refused: RefusedSpans,
): Promise<Position> => {
  const { log, traceRepository, sessionSizes, spanIndex } = needs;
  const { run, cause } = context;
  const gone = new Set<RunId>();
  const isGone = (trace: Trace | null): trace is null =>
    trace === null || trace.deleted || gone.has(trace.runId);
  const load = async (stream: StreamName): Promise<StreamState<Trace | null>> => {
    const loaded = await traceRepository.load(stream);
    const runId = loaded.state?.runId;
    // A trace stays in the run of its first spans, and is deleted with it.
    const isElsewhere = runId !== undefined && runId !== run.id;
    if (isElsewhere && (await liveRun(log, run.projectId, runId)) === null) gone.add(runId);
    return loaded;
  };
  const present = async (stream: StreamName): Promise<Trace | null> => {
    const { state } = await load(stream);
    return isGone(state) ? null : state;
  };
  const late = await sessionsOfOldTraces(needs, traces, present, context);
  const full = await sessionSizes.fullSessions([...late.of.values()]);
  const kept = new Map(
    [...traces].filter(([stream, one]) => {
      const session = late.of.get(stream)?.session_id ?? null;
      if (session === null || !full.has(session)) return true;
      refuseSpans(refused, spansOf(one).length, sessionFull);
      return false;
    }),
  );
  const decide = (trace: Trace | null, { batch, stream }: OtelTraceWrite): readonly TraceEvent[] =>
    isGone(trace)
      ? []
      : laterSpanEvents(batch, trace, late.of.get(stream)?.session_id ?? null).events;
  const settled = await transactAll(log, kept, { load, decide }, cause);
  let { position } = late;
  const joined: SessionTrace[] = [];
  for (const [stream, { before, events, position: at }] of settled) {
    const one = traces.get(stream);
    if (one === undefined) continue;
    if (at === 'conflict') {
      throw new Fault('unavailable', 'Too many concurrent writes to a trace; try again');
    }
    position = laterPosition(position, at);
    if (isGone(before.state)) {
      refuseSpans(refused, spansOf(one).length, 'the trace was deleted and keeps its id');
      continue;
    }
    const { refused: here } = laterSpanEvents(one.batch, before.state);
    addRefusedSpans(refused, here);
    if (events.length === 0) continue;
    spanIndex.record(run.projectId, one.traceId, spansOf(one));
    const session = before.state.sessionId === null ? late.of.get(stream) : undefined;
    if (session !== undefined) joined.push(session);
  }
  await sessionSizes.countTraces(joined, cause);
  return position;
};
