import { otelMapping, type RoutingHeader } from '../../kernel/otel/mapping.js';
import { routingOf } from '../../kernel/otel/record.js';
import type { OtelSource, SentOtelTrace } from './otel-decoder.js';

type TargetHeaders = Readonly<Partial<Record<RoutingHeader, string>>>;
/** Traces of one request with the same target. */
export type TargetedTraces = {
  /** Routing from their resources, in place of missing headers. */
  readonly placed: TargetHeaders;
  readonly traces: readonly SentOtelTrace[];
};

/**
 * Groups the traces of a request by target: a resource names the project and the run in place of
 * missing headers (contract 5.12, rule 1).
 */
export const groupByTarget = (
  traces: readonly SentOtelTrace[],
  headers: Readonly<Record<string, string>>,
): readonly TargetedTraces[] => {
  const open = openHeaders(headers);
  if (open.length === 0 || traces.length === 0) return [{ placed: {}, traces }];
  const known = new Map<OtelSource, TargetHeaders>();
  const groups = new Map<string, { placed: TargetHeaders; traces: SentOtelTrace[] }>();
  for (const { traceId, parts } of traces) {
    const byKey = new Map<string, SentOtelTrace['parts'][number][]>();
    for (const part of parts) {
      const placed = known.get(part.place) ?? targetHeadersOf(part.place, open);
      known.set(part.place, placed);
      const key = JSON.stringify(placed);
      if (!groups.has(key)) groups.set(key, { placed, traces: [] });
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [part]);
      else same.push(part);
    }
    for (const [key, same] of byKey) groups.get(key)?.traces.push({ traceId, parts: same });
  }
  return [...groups.values()];
};

const projectHeaders = ['projectid', 'project'] as const;
const streamHeaders = ['logstreamid', 'logstream'] as const;
const experimentHeaders = ['experimentid', 'experiment'] as const;
const runHeaders = [...streamHeaders, ...experimentHeaders];

/** Routing headers that the request lacks, so that resources may name them. */
const openHeaders = (headers: Readonly<Record<string, string>>): readonly RoutingHeader[] =>
  [projectHeaders, runHeaders].flatMap((names) =>
    names.some((name) => headers[name] !== undefined) ? [] : names,
  );

/**
 * Routing of a resource: an id takes precedence over a name, and an experiment over a log stream.
 */
const targetHeadersOf = (
  { resource }: OtelSource,
  open: readonly RoutingHeader[],
): TargetHeaders => {
  const routing = routingOf(otelMapping, resource?.attributes);
  const first = (names: readonly RoutingHeader[]): TargetHeaders => {
    const name = names.find((one) => open.includes(one) && routing[one] !== undefined);
    return name === undefined ? {} : { [name]: routing[name] };
  };
  return { ...first(projectHeaders), ...first([...experimentHeaders, ...streamHeaders]) };
};
