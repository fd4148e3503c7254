import { parseJsonText } from '../../kernel/json-text.js';
import type { BundleLine } from './bundle.js';

/**
 * Streams that expire by themselves, and those that earlier versions erased with a run without an
 * event. All other content may be gone only when an event that stays names it
 * (verifier/ALGORITHM.md, step 4).
 */
const selfExpiringStream =
  /^(idempotency|sealed-integration|run|(insights|scorer)-settings|scorer-task|experiment-scope)-/;
export const needsErasureEvent = (stream: string): boolean => !selfExpiringStream.test(stream);

type ErasureEventData = {
  readonly StreamsErased: { readonly streams: readonly string[] };
  readonly RecordsErased: {
    readonly project_id: string;
    readonly session_ids: readonly string[];
    readonly trace_ids: readonly string[];
  };
  readonly DatasetRowsErased: {
    readonly dataset_id: string;
    readonly contents: readonly { readonly content_id: string }[];
  };
};

const erasedStreamsByType: {
  readonly [T in keyof ErasureEventData]: (data: ErasureEventData[T]) => readonly string[];
} = {
  StreamsErased: ({ streams }) => streams,
  RecordsErased: ({ project_id: project, session_ids: sessions, trace_ids: traces }) => [
    ...sessions.map((id) => `session-${project}-${id}`),
    ...traces.map((id) => `trace-${project}-${id}`),
  ],
  DatasetRowsErased: ({ dataset_id: dataset, contents }) =>
    contents.map(({ content_id: id }) => `datasetrows-${dataset}-${id}`),
};

/** Streams that an erasure event names; empty for other events. */
export const erasedStreamsIn = (type: string, data: unknown): readonly string[] =>
  Object.hasOwn(erasedStreamsByType, type)
    ? erasedStreamsByType[type as keyof ErasureEventData](data as never)
    : [];

const erasedStreamsOfLine = ({ event_type: type, data }: BundleLine): readonly string[] =>
  data === null || !Object.hasOwn(erasedStreamsByType, type)
    ? []
    : erasedStreamsIn(type, parseJsonText(data));

/**
 * Tracks erasures that no erasure event has named, over lines in order (verifier/ALGORITHM.md, step
 * 4).
 */
export const trackUnnamedErasures = () => {
  const [unnamed, facts] = [new Set<string>(), new Set<string>()];
  return {
    note: (line: BundleLine): void => {
      for (const stream of erasedStreamsOfLine(line)) {
        facts.add(stream);
        unnamed.delete(stream);
      }
      const { erased, stream } = line;
      if (erased && needsErasureEvent(stream) && !facts.has(stream)) unnamed.add(stream);
    },
    any: (): boolean => unnamed.size > 0,
  };
};
