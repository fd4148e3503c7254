import { logSpans, logTraces, updateSpan, updateTrace } from '../../contract/ingest.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import type { PartialIngest } from '../../contract/partial-ingest.js';
import {
  complaintsAboutChange,
  complaintsAboutSpans,
  complaintsAboutTraces,
  countSpans,
  complaintsAboutUnfit,
  unfitMetrics,
} from '../../contract/record-rules.js';
import type { VisibleProject } from '../../contract/roles.js';
import { selectorComplaints } from '../../contract/selectors.js';
import { spanContents, openSpanIds } from '../../events/record-contents.js';
import type { SpanContent } from '../../events/traces.js';
import { Fault } from '../../kernel/fault.js';
import { laterPosition, type Clock, type EventLog, type Ids } from '../../kernel/ports.js';
import type { Brand, ProjectId, SpanId, TraceId } from '../../kernel/schema-types.js';
import { openPrices } from '../facts/price-list.js';
import { liveRun, runForRecords, runMembers } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import { batchOf, externalSessionOf, sessionsById } from './trace-batch.js';
import { otelReceiverRoutes, type OtelRouteNeeds } from './otel-routes.js';
import { pollUntilFound, openTraceRepository } from './trace-repository.js';
import { persistentGet } from './persistent-map.js';
import { addSpans, takenIdsConflict } from './span-additions.js';
import type { JoinSessions } from './join-sessions.js';
import { openSessionSizes } from './session-sizes.js';
import { openSpanIndex, type SpanLookup } from './span-index.js';
import type { Trace } from './trace.js';
import { ownedElsewhere, sentIds, writeTraces, type TraceWriteNeeds } from './trace-ingest.js';
import * as changes from './record-changes.js';

type TraceNeeds = SpanLookup &
  OtelRouteNeeds & {
    readonly log: EventLog;
    readonly ids: Ids;
    readonly clock: Clock;
    readonly joinSessions: JoinSessions;
  };

type TraceRouteContext = TraceNeeds &
  TraceWriteNeeds & { readonly prices: ReturnType<typeof openPrices> };

export const traceWrites = (needs: TraceNeeds): readonly Route[] => {
  const known: TraceRouteContext = {
    ...needs,
    traceRepository: openTraceRepository(needs),
    spanIndex: openSpanIndex(needs),
    sessionSizes: openSessionSizes(needs.log),
    prices: openPrices(needs.log),
  };
  return [
    logTracesRoute(known),
    updateTraceRoute(known),
    logSpansRoute(known),
    updateSpanRoute(known),
    ...otelReceiverRoutes(known),
  ];
};

const logTracesRoute = (needs: TraceRouteContext): Route =>
  writeRoute(
    logTraces,
    async (request) => {
      const { body, partial, itemBytes, cause, mint } = request;
      const run = await runForRecords(needs, request);
      const joined = await needs.joinSessions(
        {
          projectId: run.projectId,
          run,
          ids: sessionsById(body, cause.at),
          external: externalSessionOf(body, cause.at),
        },
        { cause, mint },
      );
      const batch = batchOf(
        body,
        {
          run,
          sessionOf: (trace) => trace.session_id ?? body.session_id ?? joined.external,
          itemBytes,
        },
        { mint, receivedAt: cause.at, priceOf: (await needs.prices(run.projectId)).priceOf },
      );
      const written = await writeTraces(needs, run.projectId, batch, cause);
      const last = batch.ids.at(-1);
      const lastSent = body.traces.at(-1);
      const known = last === undefined ? undefined : written.sessions.get(last);
      return {
        position: laterPosition(joined.position, written.position),
        notes: unfitMetricNotes(body, partial),
        body: {
          ...projectMembers(run.projectId, request.project),
          ...runMembers(run),
          session_id:
            known === undefined
              ? (lastSent?.session_id ?? body.session_id ?? joined.external)
              : known,
          records_count: batch.ids.length + batch.spansCount,
          traces_count: batch.ids.length,
          spans_count: batch.spansCount,
          new_records_count: written.fresh,
          trace_ids: body.include_trace_ids === false ? null : [...batch.ids],
          ...partialMembers(partial),
        },
      };
    },
    ({ body, isStrict }) => [
      ...selectorComplaints(body),
      ...complaintsAboutTraces(body.traces),
      ...(isStrict ? complaintsAboutUnfit(body) : []),
    ],
  );

const updateTraceRoute = (needs: TraceRouteContext): Route =>
  writeRoute(
    updateTrace,
    async ({ body, params, project, cause }) => {
      const { project_id: projectId, trace_id: traceId } = params;
      const trace = await liveTrace(needs, projectId, traceId);
      const { position } = await needs.traceRepository.transact(
        traceStream(projectId, traceId),
        changes.updateTrace(body),
        cause,
      );
      return {
        position,
        notes: unfitMetricNotes(body),
        body: {
          ...traceMembers(trace, project),
          records_count: 1,
          traces_count: 1,
          spans_count: 0,
          trace_id: traceId,
        },
      };
    },
    ({ body, isStrict }) => [
      ...complaintsAboutChange(body),
      ...(isStrict ? complaintsAboutUnfit(body) : []),
    ],
  );

const logSpansRoute = (needs: TraceRouteContext): Route =>
  writeRoute(
    logSpans,
    async ({ body, partial, params, project, cause, mint }) => {
      const { project_id: projectId } = params;
      const { trace_id: traceId, parent_id: parentId } = body;
      const trace = await liveTrace(needs, projectId, traceId);
      const { priceOf } = await needs.prices(projectId);
      const nextId = openSpanIds(() => mint('SpanId')).next;
      const defaults = { nextId, receivedAt: cause.at, priceOf };
      const spans = spanContents(body.spans, parentId, defaults, true);
      const named = sentIds(spans);
      const owned = await ownedElsewhere(needs, projectId, ownersOf(traceId, named));
      if (owned.size > 0) throw new Fault('conflict', takenIdsConflict([...owned]).detail);
      const { position } = await needs.traceRepository.transact(
        traceStream(projectId, traceId),
        addSpans(spans),
        cause,
      );
      needs.spanIndex.record(projectId, traceId, named);
      return {
        position,
        notes: unfitMetricNotes(body, partial),
        body: {
          ...traceMembers(trace, project),
          records_count: countSpans(body.spans),
          trace_id: traceId,
          parent_id: parentId,
          ...partialMembers(partial),
        },
      };
    },
    ({ body, isStrict }) => [
      ...complaintsAboutSpans(body.spans, body.trace_id),
      ...(isStrict ? complaintsAboutUnfit(body) : []),
    ],
  );

const ownersOf = (trace: TraceId, spans: readonly string[]): ReadonlyMap<string, TraceId> =>
  new Map(spans.map((span) => [span, trace]));

const updateSpanRoute = (needs: TraceRouteContext): Route =>
  writeRoute(
    updateSpan,
    async ({ body, params, project, cause }) => {
      const { project_id: projectId, span_id: spanId } = params;
      const { trace, span } = await liveSpan(needs, projectId, spanId);
      const { position } = await needs.traceRepository.transact(
        traceStream(projectId, trace.id),
        changes.updateSpan(spanId, body),
        cause,
      );
      return {
        position,
        notes: unfitMetricNotes(body),
        body: {
          ...traceMembers(trace, project),
          records_count: 1,
          trace_id: trace.id,
          parent_id: span.parent_id as Brand<string, 'RecordId'>,
          span_id: spanId,
        },
      };
    },
    ({ body, isStrict }) => [
      ...complaintsAboutChange(body),
      ...(isStrict ? complaintsAboutUnfit(body) : []),
    ],
  );

/**
 * The live trace. Throws Fault `not-found` when it does not arrive within 2 s, or it or its run is
 * deleted (contract 5.6, rule 4).
 */
const liveTrace = async (
  needs: TraceRouteContext,
  project: ProjectId,
  id: TraceId,
): Promise<Trace> => {
  const trace = await needs.traceRepository.existing(traceStream(project, id));
  const isLive =
    trace !== null && !trace.deleted && (await liveRun(needs.log, project, trace.runId)) !== null;
  if (!isLive) throw new Fault('not-found', 'Trace not found');
  return trace;
};

const liveSpan = async (needs: TraceRouteContext, project: ProjectId, id: SpanId) => {
  const found = await pollUntilFound(needs.clock, async () => {
    const traceId = await needs.spanIndex.traceOf(project, id);
    if (traceId === null) return null;
    const { state: trace } = await needs.traceRepository.load(traceStream(project, traceId));
    const span = trace === null ? undefined : persistentGet(trace.records, id)?.sent;
    return trace === null || span === undefined || span.type === 'trace'
      ? null
      : { trace, span: span as SpanContent };
  });
  const isLive =
    found !== null &&
    !found.trace.deleted &&
    (await liveRun(needs.log, project, found.trace.runId)) !== null;
  if (!isLive) throw new Fault('not-found', 'Span not found');
  return found;
};

const traceMembers = (trace: Trace, project: VisibleProject | null) => ({
  ...projectMembers(trace.projectId, project),
  ...runMembers({ id: trace.runId, kind: trace.runKind }),
  session_id: trace.sessionId,
});

const partialMembers = ({ rejected, truncated }: PartialIngest) => ({
  rejected: [...rejected],
  truncated: truncated.map((path) => [...path]),
});

const unfitMetricNotes = (body: Parameters<typeof unfitMetrics>[0], partial?: PartialIngest) => ({
  'X-Unfit-Metrics': unfitMetrics(body, partial?.rejected),
});

const projectMembers = (id: ProjectId, project: VisibleProject | null) => ({
  project_id: id,
  project_name: project?.name ?? '',
});
