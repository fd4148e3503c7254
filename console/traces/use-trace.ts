import { useMemo, useState } from 'preact/hooks';
import { useQuery, type Query } from '../client/queries.js';
import { readOutline, readSpan, readTrace, type OutlineSpan } from './questions.js';
import type { TraceRecord } from './record-facts.js';
import { spanTree, type SpanTree } from './tree.js';
import type { Span } from '../../clients/typescript/src/generated/spans-types.js';

export type TraceIds = { readonly projectId: string; readonly traceId: string };

/** How often a trace that has not ended is asked for again. */
const incompleteMs = 3_000;

/** The trace without its spans; null: not found. Asked again while it is incomplete. */
export const useTraceRecord = (ids: TraceIds): Query<TraceRecord | null> => {
  const [isIncomplete, setIsIncomplete] = useState(false);
  return useQuery({
    key: ['traces', 'one', ids.projectId, ids.traceId],
    ask: async (operations, signal) => {
      const record = await readTrace(operations, ids, signal);
      setIsIncomplete(record !== null && !record.is_complete);
      return record;
    },
    everyMs: isIncomplete ? incompleteMs : false,
  });
};

export type Outline = {
  /** Null before the first page. */
  readonly tree: SpanTree<OutlineSpan> | null;
  readonly query: Query<readonly OutlineSpan[]>;
};

/** The tree of a trace, made anew with each page that comes. */
export const useOutline = (ids: TraceIds, trace: TraceRecord | null): Outline => {
  const [partial, setPartial] = useState<readonly OutlineSpan[] | null>(null);
  const query = useQuery({
    key: ['spans', 'outline', ids.projectId, ids.traceId],
    ask: (operations, signal) =>
      readOutline(operations, ids, signal, (spans) => {
        if (!signal.aborted) setPartial(spans);
      }),
    everyMs: trace !== null && !trace.is_complete ? incompleteMs : false,
  });
  const spans = query.value ?? partial;
  const tree = useMemo(
    () => (trace === null || spans === null ? null : spanTree(trace, spans)),
    [trace, spans],
  );
  return { tree, query };
};

/** One span whole; null: not found. */
export const useSpan = (ids: TraceIds, spanId: string): Query<Span | null> =>
  useQuery({
    key: ['spans', 'one', ids.projectId, ids.traceId, spanId],
    ask: (operations, signal) => readSpan(operations, ids, spanId, signal),
    isEnabled: spanId !== '',
    keepsPrevious: true,
    freshMs: 30_000,
  });
