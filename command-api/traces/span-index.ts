import type { ProjectId, SpanId, TraceId } from '../../kernel/schema-types.js';

/**
 * Which trace a span is in. An index may say where to look but never what is true: whoever asks
 * confirms on the stream of the trace. It may lag behind the log, and it may lack what is old or
 * what another process wrote.
 */
export type SpanIndex = {
  /** The known owners of the spans, without I/O: every ingest request asks for them. */
  readonly owners: (project: ProjectId, spans: Iterable<string>) => ReadonlyMap<string, TraceId>;
  readonly traceOf: (project: ProjectId, span: SpanId) => Promise<TraceId | null>;
  /** Spans that were just made durable in this trace. */
  readonly record: (project: ProjectId, trace: TraceId, spans: Iterable<string>) => void;
};

/** What main supplies: read models, or answers that know nothing. */
export type SpanLookup = {
  /**
   * Asked for a change of a span that was not written lately. It may wait until the read model has
   * caught up.
   */
  readonly traceOfSpan: SpanIndex['traceOf'];
};

export const openSpanIndex = ({ traceOfSpan }: SpanLookup): SpanIndex => {
  const recent = openRecentSpans();
  return {
    owners: (project, spans) => {
      const found = new Map<string, TraceId>();
      for (const span of spans) {
        const trace = recent.find(project, span);
        if (trace !== null) found.set(span, trace);
      }
      return found;
    },
    traceOf: async (project, span) =>
      recent.find(project, span) ?? (await traceOfSpan(project, span)),
    record: recent.note,
  };
};

/** A power of two. Twelve bytes each, so some 6 MB. */
const slotCount = 2 ** 19;
/** Traces whose ids are kept beside the slots. */
const tracesMax = 2 ** 16;

/**
 * The spans that this process wrote last, so that in the usual case nobody waits for a read model.
 * Every span that comes in goes through here; numbers in fixed tables cost a tenth of what strings
 * in a Map do, and the collector nothing. A newer span takes the slot of an older one, so old ones
 * are forgotten at random.
 */
export const openRecentSpans = () => {
  const high = new Uint32Array(slotCount);
  const low = new Uint32Array(slotCount);
  /** Which trace, counted from 1; 0 = an empty slot. */
  const places = new Uint32Array(slotCount);
  const traces: TraceId[] = [];
  let count = 0;
  return {
    note: (project: ProjectId, trace: TraceId, spans: Iterable<string>): void => {
      count += 1;
      traces[count % tracesMax] = trace;
      const seed = hash32(project, 0x9e3779b1);
      for (const span of spans) {
        const key = hash32(span, seed);
        const slot = key & (slotCount - 1);
        high[slot] = key;
        low[slot] = hash32(span, ~seed);
        places[slot] = count;
      }
    },
    find: (project: ProjectId, span: string): TraceId | null => {
      const seed = hash32(project, 0x9e3779b1);
      const key = hash32(span, seed);
      const slot = key & (slotCount - 1);
      const place = places[slot] ?? 0;
      const isSame =
        place > 0 && high[slot] === key >>> 0 && low[slot] === hash32(span, ~seed) >>> 0;
      return isSame && place > count - tracesMax ? (traces[place % tracesMax] ?? null) : null;
    },
  };
};

/**
 * 32 bits of the text (FNV-1a, finished as in MurmurHash3). A chance match costs a look at the
 * wrong stream, no more.
 */
const hash32 = (text: string, seed: number): number => {
  let hash = seed;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
};
