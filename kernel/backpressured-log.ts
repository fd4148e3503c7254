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
 * Longest wait of one part of an append for its project's earlier events. The caller has an answer
 * after 20 s (contract 1.11); the remaining parts are appended after it.
 */
export const appendWaitMaxMs = 5_000;
/**
 * Record streams are appended in parts of this weight, so that a large request does not overtake
 * all others at once. A stream is not divided.
 */
const partWeightMax = 512 * 1024;
/** Fold cost of one event, however small, expressed as bytes of content of equal cost. */
const eventWeight = 4_096;
/** Fold cost of one span: 2,000 of 300 bytes take longer than one text of 600 KB. */
const spanWeight = 2_048;

type AppendPart = {
  readonly project: string | null;
  /** Bytes by which the append is divided. */
  bytes: number;
  /** Weight that counts until the part is readable. */
  weight: number;
  readonly batch: StreamAppend[];
};

/**
 * Backpressure: wraps a log so that appends to record streams wait for their project's limit.
 * Everything a call appends before its first wait is durable at once; after the first part, the
 * rest follows even if the client disconnects.
 */
export const withIngestBackpressure = (
  log: EventLog,
  {
    backpressure,
    currentContext,
    weightOf,
  }: {
    /** Null until a readable position is known. */
    readonly backpressure: () => IngestBackpressure | null;
    readonly currentContext: () => QueryContext;
    /** Approximate size of an event's data in bytes. */
    readonly weightOf: (data: unknown) => number;
  },
): EventLog => {
  const appended = async (
    { project, weight, batch }: AppendPart,
    waiting: AppendWait,
  ): Promise<readonly AppendResult[]> => {
    const end =
      project === null ? null : await backpressure()?.admitAppend(project, weight, waiting);
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
      if (backpressure() === null) return log.append(batch);
      const parts = splitAppend(batch, weightOf);
      const { signal } = currentContext();
      const results: AppendResult[] = [];
      for (const [at, part] of parts.entries()) {
        // Each part has the full wait: a request of a hundred times the limit, or one whose client
        // disconnected, does not overtake others either.
        const context = at === 0 && signal !== undefined ? { signal } : {};
        results.push(...(await appended(part, { ...context, atMostMs: appendWaitMaxMs })));
      }
      return results;
    },
  };
};

/** Record streams: `trace-<project>-<trace>` and `session-<project>-<session>`. */
const recordsForm = /^(?:trace|session)-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/;
/** Returns the project of a record stream; null for any other stream. */
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
    const fits = last?.project === project && last.bytes + bytes <= partWeightMax;
    if (last !== undefined && (fits || one.afterPrevious === true)) {
      last.batch.push(one);
      last.bytes += bytes;
      last.weight += weight;
    } else parts.push({ project, bytes, weight, batch: [one] });
  }
  return parts;
};

const weighEvents = (events: readonly NewEvent[], weightOf: (data: unknown) => number): number =>
  events.reduce((sum, { data }) => sum + eventWeight + weightOf(data), 0);

/** Fold cost of the events beyond their bytes: spans and overlap metrics. */
const extraFoldWeight = (
  events: readonly NewEvent[],
  weightOf: (data: unknown) => number,
): number =>
  events.reduce(
    (sum, { data }) => sum + spanCount(data) * spanWeight + overlapWeightIn(data, weightOf),
    0,
  );

/** Number of spans that an event of a record stream adds. */
export const spanCount = (data: unknown): number => {
  const { spans } = (data ?? {}) as { readonly spans?: unknown };
  return Array.isArray(spans) ? spans.length : 0;
};
