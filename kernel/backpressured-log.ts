import type { IngestBackpressure, AppendWait } from './ingest-backpressure.js';
import {
  laterPosition,
  logStart,
  type AppendResult,
  type QueryContext,
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
export const appendWaitMaxMs = 5_000;
/**
 * Streams of records are appended in parts of this weight, so that a large request does not get
 * ahead of others all at once. A stream is not divided.
 */
const partWeightMax = 512 * 1024;
/** What folding an event costs, however small it is, as bytes of content that cost the same. */
const eventWeight = 4_096;
/** Likewise each of its spans: 2,000 of 300 bytes take longer than one text of 600 KB. */
const spanWeight = 2_048;

type AppendPart = {
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
export const withIngestBackpressure = (
  log: EventLog,
  {
    pace,
    asker,
    weightOf,
  }: {
    /** Null as long as nobody knows what is readable. */
    readonly pace: () => IngestBackpressure | null;
    readonly asker: () => QueryContext;
    /** Roughly the bytes of an event's data. */
    readonly weightOf: (data: unknown) => number;
  },
): EventLog => {
  const appended = async (
    { project, weight, batch }: AppendPart,
    waiting: AppendWait,
  ): Promise<readonly AppendResult[]> => {
    const end = project === null ? null : await pace()?.admitAppend(project, weight, waiting);
    if (end == null) return log.append(batch);
    let last: Position | null = null;
    try {
      const results = await log.append(batch);
      for (const result of results) {
        if (result !== 'conflict') last = laterPosition(last ?? logStart, result.position);
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
      const parts = splitAppend(batch, weightOf);
      const { signal } = asker();
      const results: AppendResult[] = [];
      for (const [at, part] of parts.entries()) {
        // Each part waits as long as it may: a request of a hundred times the bound, or one whose
        // client has left, does not get ahead of others either.
        const asking = at === 0 && signal !== undefined ? { signal } : {};
        results.push(...(await appended(part, { ...asking, atMostMs: appendWaitMaxMs })));
      }
      return results;
    },
  };
};

/** Streams of records: `trace-<project>-<trace>` and `session-<project>-<session>`. */
const recordsForm = /^(?:trace|session)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/;
/** The project whose records the stream has; null: it has none. */
export const recordStreamProject = (stream: string): string | null =>
  recordsForm.exec(stream)?.[1] ?? null;

const splitAppend = (
  batch: readonly StreamAppend[],
  weightOf: (data: unknown) => number,
): readonly AppendPart[] => {
  const parts: AppendPart[] = [];
  for (const one of batch) {
    const project = recordStreamProject(one.stream);
    const bytes = project === null ? 0 : weighEvents(one.events, weightOf);
    const weight = project === null ? 0 : bytes + extraFoldWeight(one.events, weightOf);
    const last = parts.at(-1);
    if (last?.project === project && last.bytes + bytes <= partWeightMax) {
      last.batch.push(one);
      last.bytes += bytes;
      last.weight += weight;
    } else parts.push({ project, bytes, weight, batch: [one] });
  }
  return parts;
};

const weighEvents = (events: readonly NewEvent[], weightOf: (data: unknown) => number): number =>
  events.reduce((sum, { data }) => sum + eventWeight + weightOf(data), 0);

/** What the events cost beside their bytes. */
const extraFoldWeight = (
  events: readonly NewEvent[],
  weightOf: (data: unknown) => number,
): number =>
  events.reduce((sum, { data }) => {
    const { spans } = (data ?? {}) as { readonly spans?: unknown };
    const ofSpans = Array.isArray(spans) ? spans.length * spanWeight : 0;
    return sum + ofSpans + overlapWeightIn(data, weightOf);
  }, 0);
