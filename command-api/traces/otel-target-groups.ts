import { otelMapping, type RoutingHeader } from '../../kernel/otel/mapping.js';
import { routingOf } from '../../kernel/otel/record.js';
import type { OtelSource, SentOtelTrace } from './otel-decoder.js';

type TargetHeaders = Readonly<Partial<Record<RoutingHeader, string>>>;
/** Traces of one request that go to one place. */
export type TargetedTraces = {
  /** What their resources say in place of headers that are missing. */
  readonly placed: TargetHeaders;
  readonly traces: readonly SentOtelTrace[];
};

/**
 * The traces of a request by where they go: a resource names the project and the run as headers do,
 * where these are missing (contract 5.12, rule 1).
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

/** Headers that the request leaves to resources. */
const openHeaders = (headers: Readonly<Record<string, string>>): readonly RoutingHeader[] =>
  [projectHeaders, runHeaders].flatMap((names) =>
    names.some((name) => headers[name] !== undefined) ? [] : names,
  );

/** Of several an id counts before a name, and an experiment before a log stream. */
const targetHeadersOf = (
  { resource }: OtelSource,
  open: readonly RoutingHeader[],
): TargetHeaders => {
  const said = routingOf(otelMapping, resource?.attributes);
  const first = (names: readonly RoutingHeader[]): TargetHeaders => {
    const name = names.find((one) => open.includes(one) && said[one] !== undefined);
    return name === undefined ? {} : { [name]: said[name] };
  };
  return { ...first(projectHeaders), ...first([...experimentHeaders, ...streamHeaders]) };
};
