import { useEffect, useState } from 'preact/hooks';
import { useQuery } from '../client/queries.js';
import { withFilter, type RecordQuestion } from '../explorer/questions.js';
import { both, type FilterTree } from '../language/filter-tree.js';
import { readTrace } from '../traces/questions.js';
import { ownOffset, queueFrom, queueWithPage, tracesToRate, type RatingQueue } from './queue.js';
import type { RateSession } from './session.js';
import type { RateView } from './state.js';

/** Traces of a page of the queue. */
const pageSize = 20;
/** Traces that are read whole: the shown one and the two behind it. */
const readAhead = 3;
const freshMs = 60_000;

/** The filter's traces that the caller has not rated by every template. */
export const unratedTree = (tree: FilterTree | null, callerId: string): FilterTree =>
  both(tree, { not: { filter: { type: 'fully_annotated', user_ids: [callerId] } } });

export type QueueQuestion = {
  readonly callerId: string;
  /** The traces of the filter, rated or not. */
  readonly question: RecordQuestion;
  readonly tree: FilterTree | null;
  readonly order: RateView['order'];
  /** When the queue was asked for; another time asks anew. */
  readonly now: number;
  readonly isEnabled: boolean;
};

/** How many traces the filter has, and how many of them are left to rate. */
export const useQueueCounts = (queue: QueueQuestion) => {
  const { question, tree, callerId, now, isEnabled } = queue;
  const all = useQuery({
    key: ['rating-total', question, tree, now],
    ask: (operations, signal) => operations.traces.count(withFilter(question, tree), { signal }),
    freshMs: Number.POSITIVE_INFINITY,
    isEnabled,
  });
  const left = useQuery({
    key: ['rating-progress', question, tree, now, callerId],
    ask: (operations, signal) =>
      operations.traces.count(withFilter(question, unratedTree(tree, callerId)), { signal }),
    isEnabled,
  });
  return {
    all: all.value?.total_count,
    left: left.value?.total_count,
    isBehind: left.isBehind,
    fault: all.fault ?? left.fault,
    refetch: left.refetch,
  };
};

/**
 * Ids of the traces to rate, the next one first, as far as they are needed. Rated ones drop out of
 * the question, so that its pages are read behind the last trace and not by number.
 */
export const useRatingQueue = (
  queue: QueueQuestion,
  left: number | undefined,
  { returned, skipped, saved }: Pick<RateSession, 'returned' | 'skipped' | 'saved'>,
) => {
  const { question, tree, callerId, order, now } = queue;
  const key = JSON.stringify([question, tree, callerId, order, now]);
  const [state, setState] = useState<{ readonly key: string; readonly queue: RatingQueue }>();
  const start = order === 'newest' ? 0 : left === undefined ? null : ownOffset(callerId, left);
  const begun = start === null ? null : queueFrom(start);
  const read = state?.key === key ? state.queue : begun;
  const done = new Set([...skipped, ...saved]);
  const open = tracesToRate([...returned, ...(read?.ids ?? [])], done, readAhead);
  const place = open.length < readAhead ? (read?.next ?? null) : null;
  const page = useQuery({
    key: ['rating-queue', key, place],
    ask: async (operations, signal) => {
      const answer = await operations.traces.search(
        {
          ...withFilter(question, unratedTree(tree, callerId)),
          ...(order === 'mine' && { sort: { column_id: 'id', ascending: true } }),
          ...place,
          limit: pageSize,
          fields: ['name'],
        },
        { signal },
      );
      return {
        ids: answer.records.map(({ id }) => id),
        lastId: answer.last_row_id,
        hasMore: answer.next_starting_token !== null,
      };
    },
    freshMs: Number.POSITIVE_INFINITY,
    isEnabled: queue.isEnabled && place !== null,
  });
  const answer = place === null ? undefined : page.value;
  useEffect(() => {
    if (answer !== undefined && read !== null)
      setState({ key, queue: queueWithPage(read, answer) });
  }, [answer]);
  return {
    open,
    isWhole: read?.next === null,
    fault: place === null ? null : page.fault,
    refetch: page.refetch,
  };
};

/** A trace of the queue, whole; null: it was deleted. */
export const useQueuedTrace = (projectId: string, traceId: string | undefined) =>
  useQuery({
    key: ['traces', 'one', projectId, traceId ?? ''],
    ask: (operations, signal) =>
      readTrace(operations, { projectId, traceId: traceId ?? '' }, signal),
    isEnabled: traceId !== undefined,
    freshMs,
  });
