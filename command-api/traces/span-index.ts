import type { ProjectId, SpanId, TraceId } from '../../kernel/schema-types.js';

/**
 * Index from span to trace, a hint only: callers confirm it on the stream of the trace. It may lag
 * behind the log, and it may lack old spans and those of other processes.
 */
export type SpanIndex = {
  /** Known owners of the spans, without I/O, since every ingest request looks them up. */
  readonly owners: (project: ProjectId, spans: Iterable<string>) => ReadonlyMap<string, TraceId>;
  readonly traceOf: (project: ProjectId, span: SpanId) => Promise<TraceId | null>;
  /** Records spans that are now durable in this trace. */
  readonly record: (project: ProjectId, trace: TraceId, spans: Iterable<string>) => void;
};

/** Lookup supplied by main: read models, or a stub without entries. */
export type SpanLookup = {
  /** Looks up a span that was not written recently. May wait until the read model has caught up. */
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

/** Size of the table, a power of two. Twelve bytes each, so some 6 MB. */
const slotCount = 2 ** 19;
/** Trace ids kept for the slots. */
const tracesMax = 2 ** 16;

/**
 * Lossy fixed-size hash table of recent writes, span id → trace id: saves ingest a read-model
 * lookup. Hot path of every incoming span: numbers in typed arrays cost a tenth of strings in a
 * Map, and no garbage collection. A newer span overwrites the slot of an older one.
 */
export const openRecentSpans = () => {
  const high = new Uint32Array(slotCount);
  const low = new Uint32Array(slotCount);
  /** Index of the trace, counted from 1; 0 = an empty slot. */
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
 * 32-bit hash of a text (FNV-1a, finished as in MurmurHash3). A collision costs a read of the wrong
 * stream, no more.
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
