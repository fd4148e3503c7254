import { batchOf, type TraceBatch } from '../../command-api/traces/trace-batch.js';
import type { Run } from '../../command-api/facts/runs.js';
import { traces, type Trace } from '../../command-api/traces/trace.js';
import { logTraces, type SentTraces } from '../../contract/ingest.js';
import { spanContents, type SpanDefaults, openSpanIds } from '../../events/record-contents.js';
import type { SpanContent, TraceEvent, TraceLogged } from '../../events/traces.js';
import { compileGuard } from '../../engines/ajv/compile.js';
import { parseJson } from '../../engines/koa/json-parser.js';
import { openJsonScan } from '../../engines/koa/json-scan.js';
import { isRejection, type Decision } from '../../kernel/decision.js';
import type { SentTrace } from '../../kernel/records/sent-record.js';
import type {
  Brand,
  Instant,
  ProjectId,
  RunId,
  SessionId,
  SpanId,
  TraceId,
  UserId,
} from '../../kernel/schema-types.js';
import type { Authorship } from '../../kernel/transact.js';
import { randomIds } from '../../engines/node/ids.js';

export const uuid = (number: number) =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
export const projectId = uuid(1) as ProjectId;
export const run: Run = {
  id: uuid(2) as RunId,
  projectId,
  kind: 'log_stream',
  name: 'default',
  createdBy: uuid(3) as UserId,
  createdAt: '2026-03-01T00:00:00.000000Z' as Instant,
  live: true,
};
export const noon = '2026-03-01T12:00:00.000000Z' as Instant;
export const later = '2026-03-01T13:00:00.000000Z' as Instant;
export const traceId = uuid(10) as TraceId;
export const spanId = uuid(11) as SpanId;

/** Generates unique ids, as in the service. */
let drawn = 0;
const mint = <Name extends string>(_name: Name): Brand<string, Name> => {
  drawn += 1;
  // Far apart, since ids of spans count on from one that is drawn.
  return `${String(drawn).padStart(8, '0')}-0000-4000-8000-000000000000` as Brand<string, Name>;
};
const guard = compileGuard(logTraces.body ?? logTraces.params, 'body');
const parsedBody = (body: unknown): SentTraces => {
  const guarded = guard(structuredClone(body));
  if (!guarded.ok) throw new Error(JSON.stringify(guarded.complaints));
  return guarded.value as SentTraces;
};
/** Batch that the service makes of a request. */
export const traceBatchOf = (body: unknown, receivedAt = noon): TraceBatch =>
  batchOfSent(parsedBody(body), null, { receivedAt, priceOf: () => undefined });

/** Batch that the service makes of the bytes of a request; it is not parsed twice. */
export const traceBatchOfBytes = (
  bytes: Buffer,
  priceOf: SpanDefaults['priceOf'] = () => undefined,
): TraceBatch => {
  const { upTo, itemBounds } = openJsonScan(bytes, 'traces');
  const parsed = parseJson(bytes, upTo(bytes.length), 128, itemBounds);
  if (!('value' in parsed)) throw new Error(JSON.stringify(parsed.complaint));
  const { value, itemBytes = null } = parsed;
  return batchOfSent(parsedBody(value), itemBytes, { receivedAt: noon, priceOf });
};

const batchOfSent = (
  sent: SentTraces,
  itemBytes: readonly Uint8Array[] | null,
  defaults: Pick<SpanDefaults, 'receivedAt' | 'priceOf'>,
): TraceBatch => {
  const sessionOf = (trace: SentTrace): SessionId | null =>
    trace.session_id ?? sent.session_id ?? null;
  return batchOf(sent, { run, sessionOf, itemBytes }, { mint, ...defaults });
};
/** Event that the service makes of a request with this trace. */
export const traceLoggedOf = (sent: object, more: object = {}, receivedAt = noon): TraceLogged => {
  const [logged] = traceBatchOf({ traces: [sent], ...more }, receivedAt).logged;
  if (logged === undefined) throw new Error('the request has no trace');
  return logged;
};
export const lateSpansOf = (
  sent: readonly object[],
  parent: string = traceId,
): readonly SpanContent[] =>
  spanContents(
    parsedBody({ traces: [{ spans: sent }] }).traces[0]?.spans,
    parent,
    {
      nextId: openSpanIds(() => mint('SpanId')).next,
      receivedAt: later,
      priceOf: () => undefined,
    },
    true,
  );
/** Serialises a value as the log does. */
export const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
export const traceLoggedEvent = (data: TraceLogged): TraceEvent => ({
  type: 'TraceLogged',
  data: throughJson(data),
});
export const traceStateAfter = (...events: readonly TraceEvent[]): Trace | null =>
  throughJson(events).reduce(traces.evolve, traces.initial);
export const eventsOf = (decision: Decision<TraceEvent>): readonly TraceEvent[] => {
  if (isRejection(decision)) throw new Error(decision.detail);
  return decision;
};

export const booking = {
  id: traceId,
  name: 'book',
  created_at: '2026-03-01T09:00:00Z',
  input: 'a flight, please',
  tags: ['a'],
  metrics: { reward: 1 },
  spans: [{ type: 'llm', id: spanId, input: 'a flight, please', output: 'booked' }],
};

/** Authorship of a request at noon, by the service for an editor. */
export const authorAtNoon = (): Authorship => ({
  actor: { type: 'service', id: 'assay', role: 'editor' },
  requestId: 'request',
  correlationId: 'request',
  causationId: null,
  organizationId: null,
  at: noon,
  eventId: () => randomIds.next('EventId'),
});
