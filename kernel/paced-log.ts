import type { Pace, Paused } from './pace.js';
import {
  later,
  start,
  type AppendResult,
  type Asking,
  type EventLog,
  type NewEvent,
  type Position,
  type StreamAppend,
} from './ports.js';
import { overlapWeightIn } from './records/overlap-weight.js';

/**
 * How long a part of an append waits at most for what its project logged before it. The caller has
 * an answer after 20 s (contract 1.11); what is in the log by then is followed by the rest.
 */
export const pauseMaxMs = 5_000;
/**
 * Streams of records are appended in parts of this weight, so that a large request does not get
 * ahead of others all at once. A stream is not divided.
 */
const partMax = 512 * 1024;
/** What folding an event costs, however small it is, as bytes of content that cost the same. */
const eventWeight = 4_096;
/** Likewise each of its spans: 2,000 of 300 bytes take longer than one text of 600 KB. */
const spanWeight = 2_048;

type Part = {
  readonly project: string | null;
  /** By what it is divided. */
  bytes: number;
  /** What counts until it is readable. */
  weight: number;
  readonly batch: StreamAppend[];
};

/**
 * Appends to the streams of records at the pace of their project. What a call appends before it has
 * to wait is durable at once; once a part of it is, the rest follows even when the caller leaves.
 */
export const pacedLog = (
  log: EventLog,
  {
    pace,
    asker,
    weightOf,
  }: {
    /** Null as long as nobody knows what is readable. */
    readonly pace: () => Pace | null;
    readonly asker: () => Asking;
    /** Roughly the bytes of an event's data. */
    readonly weightOf: (data: unknown) => number;
  },
): EventLog => {
  const appended = async (
    { project, weight, batch }: Part,
    waiting: Paused,
  ): Promise<readonly AppendResult[]> => {
    const end = project === null ? null : await pace()?.begin(project, weight, waiting);
    if (end == null) return log.append(batch);
    let last: Position | null = null;
    try {
      const results = await log.append(batch);
      for (const result of results) {
        if (result !== 'conflict') last = later(last ?? start, result.position);
      }
      return results;
    } finally {
      end(last);
    }
  };
  return {
    ...log,
    append: async (batch) => {
      if (pace() === null) return log.append(batch);
      const parts = partsOf(batch, weightOf);
      const { signal } = asker();
      const results: AppendResult[] = [];
      for (const [at, part] of parts.entries()) {
        // Each part waits as long as it may: a request of a hundred times the bound, or one whose
        // client has left, does not get ahead of others either.
        const asking = at === 0 && signal !== undefined ? { signal } : {};
        results.push(...(await appended(part, { ...asking, atMostMs: pauseMaxMs })));
      }
      return results;
    },
  };
};

/** Streams of records: `trace-<project>-<trace>` and `session-<project>-<session>`. */
const recordsForm = /^(?:trace|session)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/;
/** The project whose records the stream has; null: it has none. */
export const projectOf = (stream: string): string | null => recordsForm.exec(stream)?.[1] ?? null;

const partsOf = (
  batch: readonly StreamAppend[],
  weightOf: (data: unknown) => number,
): readonly Part[] => {
  const parts: Part[] = [];
  for (const one of batch) {
    const project = projectOf(one.stream);
    const bytes = project === null ? 0 : bytesOf(one.events, weightOf);
    const weight = project === null ? 0 : bytes + workOf(one.events, weightOf);
    const last = parts.at(-1);
    if (last?.project === project && last.bytes + bytes <= partMax) {
      last.batch.push(one);
      last.bytes += bytes;
      last.weight += weight;
    } else parts.push({ project, bytes, weight, batch: [one] });
  }
  return parts;
};

const bytesOf = (events: readonly NewEvent[], weightOf: (data: unknown) => number): number =>
  events.reduce((sum, { data }) => sum + eventWeight + weightOf(data), 0);

/** What the events cost beside their bytes. */
const workOf = (events: readonly NewEvent[], weightOf: (data: unknown) => number): number =>
  events.reduce((sum, { data }) => {
    const { spans } = (data ?? {}) as { readonly spans?: unknown };
    const ofSpans = Array.isArray(spans) ? spans.length * spanWeight : 0;
    return sum + ofSpans + overlapWeightIn(data, weightOf);
  }, 0);
