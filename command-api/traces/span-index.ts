import type { ProjectId, SpanId, TraceId } from '../../kernel/shapes.js';

/**
 * Which trace a span is in. An index may say where to look but never what is true: whoever asks confirms on the stream
 * of the trace. It may lag behind the log, and it may lack what is old or what another process wrote.
 */
export type SpanIndex = {
  /** Only those that it knows. */
  readonly owners: (
    project: ProjectId,
    spans: readonly string[],
  ) => Promise<ReadonlyMap<string, TraceId>>;
  readonly traceOf: (project: ProjectId, span: SpanId) => Promise<TraceId | null>;
  /** Spans that were just made durable in this trace. */
  readonly note: (project: ProjectId, trace: TraceId, spans: Iterable<string>) => void;
};

/** What main supplies: read models, or answers that know nothing. */
export type SpanQuestions = {
  /**
   * Asked by every ingest request that names ids of spans which were not written lately: it has to be quick, or know
   * nothing.
   */
  readonly spanOwners: SpanIndex['owners'];
  /** Asked for a change of a span that was not written lately. It may wait until the read model has caught up. */
  readonly traceOfSpan: SpanIndex['traceOf'];
};

/** The spans written last by this process, so that in the usual case nobody waits for a read model. */
const recentMax = 100_000;

export const openSpanIndex = ({ spanOwners, traceOfSpan }: SpanQuestions): SpanIndex => {
  const recent = new Map<string, TraceId>();
  const keyOf = (project: ProjectId, span: string): string => `${project}/${span}`;
  return {
    owners: async (project, spans) => {
      const found = new Map<string, TraceId>();
      const unknown: string[] = [];
      for (const span of spans) {
        const trace = recent.get(keyOf(project, span));
        if (trace === undefined) unknown.push(span);
        else found.set(span, trace);
      }
      if (unknown.length > 0) {
        for (const [span, trace] of await spanOwners(project, unknown)) found.set(span, trace);
      }
      return found;
    },
    traceOf: async (project, span) =>
      recent.get(keyOf(project, span)) ?? (await traceOfSpan(project, span)),
    note: (project, trace, spans) => {
      for (const span of spans) recent.set(keyOf(project, span), trace);
      for (const oldest of recent.keys()) {
        if (recent.size <= recentMax) return;
        recent.delete(oldest);
      }
    },
  };
};
