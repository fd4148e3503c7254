import type { TraceEvent } from '../../events/traces.js';
import { Fault } from '../../kernel/fault.js';
import { otelMapping } from '../../kernel/otel/mapping.js';
import { otelRecord } from '../../kernel/otel/record.js';
import type { OtelSpan } from '../../kernel/otel/span.js';
import { later, start, type Position, type Sha256, type StreamName } from '../../kernel/ports.js';
import type { Brand, RunId, TraceId } from '../../kernel/shapes.js';
import { append, transactAll, type Authorship, type Loaded } from '../../kernel/transact.js';
import type { Prices } from '../facts/price-list.js';
import { runOf, type Run } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import {
  nothingRefused,
  refuse,
  refuseAll,
  type RefusedSpans,
  type SentOtelTrace,
} from './otel-reading.js';
import { firstSpans, moreSpans, type OtelBatch } from './otel-received.js';
import {
  firstSessions,
  lateSessions,
  sessionIn,
  type FirstSessions,
  type InSession,
} from './otel-sessions.js';
import type { JoinSessions, NamedSession } from './join-sessions.js';
import { sessionTracesMax } from './session-sizes.js';
import type { Trace } from './trace.js';
import type { Writing } from './write.js';

export type OtelWriting = Writing & {
  readonly sha256: Sha256;
  readonly joinSessions: JoinSessions;
};

type OtelAsker = {
  readonly run: Run;
  readonly prices: Prices;
  readonly cause: Authorship;
  readonly mint: <Name extends string>(name: Name) => Brand<string, Name>;
};

type SpansWritten = { readonly position: Position; readonly refused: RefusedSpans };

/** Streams of one append, as of an ingest request of contract 5.6. */
const tracesAtOnce = 1_000;

/**
 * Records the spans, all of a trace in one append; what is there already changes nothing (contract
 * 5.12, rule 2). A trace that somebody else adds to at the same time is decided on again. Throws
 * Fault `unavailable` when that never ends: the exporter sends it again, and nothing is doubled.
 */
export const writeSpans = async (
  needs: OtelWriting,
  traces: readonly SentOtelTrace[],
  asker: OtelAsker,
): Promise<SpansWritten> => {
  const refused = nothingRefused();
  let position = start;
  for (let from = 0; from < traces.length; from += tracesAtOnce) {
    const some = traces.slice(from, from + tracesAtOnce).map((one) => asked(needs, one, asker));
    const at = await written(needs, some, asker, refused);
    position = later(position, at);
  }
  return { position, refused };
};

type Asked = {
  readonly stream: StreamName;
  readonly traceId: TraceId;
  readonly batch: OtelBatch;
  /** The session that it names first; null: none. */
  readonly session: NamedSession | null;
};

const asked = (
  { sha256 }: OtelWriting,
  { traceId: hex, parts }: SentOtelTrace,
  { run, prices, cause }: OtelAsker,
): Asked => {
  const traceId = derived(sha256(`otel-trace:${hex}`)) as TraceId;
  const idOf = (span: string): string => derived(sha256(`otel-span:${hex}:${span}`));
  const received = (sent: OtelSpan) => {
    const { parentSpanId: parent } = sent;
    const span = {
      id: idOf(sent.spanId),
      parent_id: parent === undefined ? traceId : idOf(parent),
      sent,
    };
    if (prices.areNone) return span;
    const price = prices.of({ ...otelRecord(otelMapping, sent, cause.at), ...span });
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
    session: sessionIn(
      parts.map(({ place, spans }) => ({ resource: place.resource, spans })),
      cause.at,
    ),
  };
};

/** Version and variant of RFC 9562 for what is not random (contract 5.12, rule 2). */
const derived = (digest: Uint8Array): string => {
  const bytes = digest.slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => (0x100 + byte).toString(16).slice(1)).join('');
  const [one, two, three, four, five] = [0, 8, 12, 16, 20].map((from, at) =>
    hex.slice(from, [8, 12, 16, 20, 32][at]),
  );
  return `${one}-${two}-${three}-${four}-${five}`;
};

const written = async (
  needs: OtelWriting,
  traces: readonly Asked[],
  asker: OtelAsker,
  refused: RefusedSpans,
): Promise<Position> => {
  const { load } = needs.traceRepository;
  const sessions = await firstSessions(needs, traces, asker.run, load, asker);
  let { position } = sessions;
  const fresh = await appendedFirst(needs, traces, sessions, asker, refused);
  position = later(position, fresh.position);
  const rest = new Map(
    traces.filter(({ stream }) => !fresh.done.has(stream)).map((one) => [one.stream, one]),
  );
  return rest.size === 0 ? position : later(position, await addedTo(needs, rest, asker, refused));
};

/** Those that nobody has seen before, each on a stream that must not exist. */
const appendedFirst = async (
  { log, sessionSizes, spanIndex }: OtelWriting,
  traces: readonly Asked[],
  sessions: FirstSessions,
  { run, cause }: OtelAsker,
  refused: RefusedSpans,
): Promise<{ readonly position: Position; readonly done: ReadonlySet<StreamName> }> => {
  const inSession = ({ stream }: Asked) => ({
    project_id: run.projectId,
    session_id: sessions.of.get(stream) ?? null,
  });
  const full = await sessionSizes.full(traces.map(inSession));
  const done = new Set<StreamName>();
  const tried = traces.flatMap((one) => {
    const { session_id: session } = inSession(one);
    if (sessions.known.has(one.stream)) return [];
    if (session === null || !full.has(session)) {
      return [{ one, ...firstSpans(one.batch, session), stream: one.stream }];
    }
    refuse(refused, spansOf(one).length, sessionFull);
    done.add(one.stream);
    return [];
  });
  const results = await append(log, tried, cause);
  let position = start;
  const begun = tried.filter(({ one, refused: twins }, at) => {
    const result = results[at] ?? 'conflict';
    if (result === 'conflict') return false;
    position = later(position, result.position);
    done.add(one.stream);
    refuseAll(refused, twins);
    spanIndex.note(run.projectId, one.traceId, spansOf(one));
    return true;
  });
  await sessionSizes.note(
    begun.map(({ one }) => inSession(one)),
    cause,
  );
  return { position, done };
};

const sessionFull = `the session has ${sessionTracesMax} traces`;

const spansOf = ({ batch }: Asked): readonly string[] =>
  batch.parts.flatMap(({ spans }) => spans.map(({ id }) => id));

/** Those that are there, each decided on as it is now. */
const addedTo = async (
  needs: OtelWriting,
  traces: ReadonlyMap<StreamName, Asked>,
  asker: OtelAsker,
  refused: RefusedSpans,
): Promise<Position> => {
  const { log, traceRepository, sessionSizes, spanIndex } = needs;
  const { run, cause } = asker;
  const gone = new Set<RunId>();
  const isGone = (trace: Trace | null): trace is null =>
    trace === null || trace.deleted || gone.has(trace.runId);
  const load = async (stream: StreamName): Promise<Loaded<Trace | null>> => {
    const loaded = await traceRepository.load(stream);
    const runId = loaded.state?.runId;
    // A trace stays in the run of its first spans, and goes with it.
    const isElsewhere = runId !== undefined && runId !== run.id;
    if (isElsewhere && (await runOf(log, run.projectId, runId)) === null) gone.add(runId);
    return loaded;
  };
  const present = async (stream: StreamName): Promise<Trace | null> => {
    const { state } = await load(stream);
    return isGone(state) ? null : state;
  };
  const late = await lateSessions(needs, traces, present, asker);
  const full = await sessionSizes.full([...late.of.values()]);
  const kept = new Map(
    [...traces].filter(([stream, one]) => {
      const session = late.of.get(stream)?.session_id ?? null;
      if (session === null || !full.has(session)) return true;
      refuse(refused, spansOf(one).length, sessionFull);
      return false;
    }),
  );
  const decide = (trace: Trace | null, { batch, stream }: Asked): readonly TraceEvent[] =>
    isGone(trace) ? [] : moreSpans(batch, trace, late.of.get(stream)?.session_id ?? null).events;
  const settled = await transactAll(log, kept, { load, decide }, cause);
  let { position } = late;
  const joined: InSession[] = [];
  for (const [stream, { before, events, position: at }] of settled) {
    const one = traces.get(stream);
    if (one === undefined) continue;
    if (at === 'conflict') {
      throw new Fault('unavailable', 'Too many others add to a trace at the same time; try again');
    }
    position = later(position, at);
    if (isGone(before.state)) {
      refuse(refused, spansOf(one).length, 'the trace was deleted and keeps its id');
      continue;
    }
    const { refused: here } = moreSpans(one.batch, before.state);
    refuseAll(refused, here);
    if (events.length === 0) continue;
    spanIndex.note(run.projectId, one.traceId, spansOf(one));
    const session = before.state.sessionId === null ? late.of.get(stream) : undefined;
    if (session !== undefined) joined.push(session);
  }
  await sessionSizes.note(joined, cause);
  return position;
};
