import { otlpOperations, otlpDestinationsMax, otlpSpansMax } from '../../contract/otlp.js';
import type { MisspeltHeader } from '../../contract/misspelt-headers.js';
import { writeRoute, type Route } from '../../contract/operation.js';
import { Fault, type Complaint } from '../../kernel/fault.js';
import { laterPosition, logStart } from '../../kernel/ports.js';
import type { Sha256 } from '../../kernel/ports.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import type { openPrices } from '../facts/price-list.js';
import { groupByTarget, type TargetedTraces } from './otel-target-groups.js';
import {
  headerComplaints,
  otelTargetRun,
  type TargetRun,
  type OtelTargetNeeds,
} from './otel-target.js';
import { limitResources } from './otel-resource-limits.js';
import {
  countSentSpans,
  decodeSpans,
  refuseSpans,
  addRefusedSpans,
  type RefusedSpans,
} from './otel-decoder.js';
import { containerComplaints } from './otel-types.js';
import { ingestOtelSpans, type OtelWriteNeeds } from './otel-ingest.js';

export type OtelRouteNeeds = Omit<OtelTargetNeeds, 'log' | 'ids'> & { readonly sha256: Sha256 };
type OtelRouteContext = OtelWriteNeeds &
  OtelTargetNeeds & { readonly prices: ReturnType<typeof openPrices> };

/** Write routes of the OTLP receiver at its three addresses (contract 5.12). */
export const otelReceiverRoutes = (needs: OtelRouteContext): readonly Route[] =>
  otlpOperations.map((operation) =>
    writeRoute(
      operation,
      async ({ body, headers, misspeltHeaders, principal, cause, mint }) => {
        const { traces, refused } = decodeSpans(body);
        let position = logStart;
        const projects = new Set<string>();
        for (const [at, group] of groupByTarget(limitResources(traces), headers).entries()) {
          if (at >= otlpDestinationsMax) {
            const reason = `one request has spans of at most ${otlpDestinationsMax} runs`;
            refuseSpans(refused, countGroupSpans(group), reason);
            continue;
          }
          const run = await runOfGroup(needs, group, { headers, principal, cause }, refused);
          if (run === null) continue;
          projects.add(run.projectName);
          const prices = await needs.prices(run.projectId);
          const context = { run, prices, cause, mint };
          const written = await ingestOtelSpans(needs, group.traces, context);
          addRefusedSpans(refused, written.refused);
          position = laterPosition(position, written.position);
        }
        return { position, body: answerOf(refused, warningOf(misspeltHeaders, projects)) };
      },
      ({ body, headers }) => [
        ...headerComplaints(headers),
        ...containerComplaints(body as JsonObject),
        ...countComplaints(body as JsonObject),
      ],
    ),
  );

/**
 * The run of a group; null: the resource names a missing or invisible target, and only its spans
 * are refused. A wrong target in the headers is a Fault of the request.
 */
const runOfGroup = async (
  needs: OtelRouteContext,
  group: TargetedTraces,
  request: Parameters<typeof otelTargetRun>[1],
  refused: RefusedSpans,
): Promise<TargetRun | null> => {
  const { placed } = group;
  const isRouted = Object.keys(placed).length > 0;
  const headers = { ...request.headers, ...placed };
  const wrong = isRouted ? headerComplaints(headers) : [];
  const spans = countGroupSpans(group);
  if (wrong[0] !== undefined) {
    refuseSpans(refused, spans, `the resource names a place: ${wrong[0].msg}`);
    return null;
  }
  try {
    return await otelTargetRun(needs, { ...request, headers });
  } catch (error) {
    const isPlace =
      isRouted && error instanceof Fault && ['not-found', 'forbidden'].includes(error.code);
    if (!isPlace) throw error;
    refuseSpans(refused, spans, `the resource names a place: ${error.message}`);
    return null;
  }
};

const countGroupSpans = ({ traces }: TargetedTraces): number =>
  traces.flatMap(({ parts }) => parts.flatMap(({ spans }) => spans)).length;

const countComplaints = (body: JsonObject): readonly Complaint[] => {
  const count = countSentSpans(body);
  if (count <= otlpSpansMax) return [];
  const msg = `List should have at most ${otlpSpansMax} items, not ${count}`;
  return [{ loc: ['body', 'resourceSpans'], msg, type: 'too_long' }];
};

/** Warning about headers whose names resemble those of a project or run; null without one. */
const warningOf = (
  misspelt: readonly MisspeltHeader[],
  projects: ReadonlySet<string>,
): string | null => {
  if (misspelt.length === 0 || projects.size === 0) return null;
  const headers = misspelt.map(({ sent, meant }) => `'${sent}' (did you mean '${meant}'?)`);
  const used = [...projects].map((name) => `'${name}'`).join(', ');
  return `unread headers: ${headers.join(', ')}; the spans went to the project ${used}`;
};

/**
 * The OTLP response, with reasons short enough for a line of a collector's log. A warning without
 * refused spans has `rejectedSpans` 0, as in the protocol.
 */
const answerOf = ({ count, reasons }: RefusedSpans, warning: string | null) =>
  count === 0 && warning === null
    ? {}
    : {
        partialSuccess: {
          rejectedSpans: String(count),
          errorMessage: [...reasons, ...(warning === null ? [] : [warning])].join('; '),
        },
      };
