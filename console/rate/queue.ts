/** The place of a page of the queue: behind a trace, or so many traces from the begin. */
type QueuePlace = { readonly after: string } | { readonly starting_token: number };

/** Traces to rate, each once, in their order, as far as their pages came. */
export type RatingQueue = {
  readonly ids: readonly string[];
  /** The page to ask for next; null: all pages came. */
  readonly next: QueuePlace | null;
  /** True when the queue goes on at the begin behind its last trace. */
  readonly wraps: boolean;
};

type QueuePage = {
  readonly ids: readonly string[];
  readonly lastId: string | null;
  readonly hasMore: boolean;
};

/** A queue that begins so many traces behind the first one, and ends with those before. */
export const queueFrom = (offset: number): RatingQueue => ({
  ids: [],
  next: { starting_token: offset },
  wraps: offset > 0,
});

/** The queue with the answer to its `next`. */
export const queueWithPage = (queue: RatingQueue, page: QueuePage): RatingQueue => {
  const known = new Set(queue.ids);
  const fresh = page.ids.filter((id) => !known.has(id));
  const ids = [...queue.ids, ...fresh];
  // A page that repeats a trace has come around to where the queue began.
  const isAround = fresh.length < page.ids.length;
  if (page.hasMore && page.lastId !== null && !isAround) {
    return { ...queue, ids, next: { after: page.lastId } };
  }
  if (queue.wraps) return { ids, next: { starting_token: 0 }, wraps: false };
  return { ...queue, ids, next: null };
};

/** The first traces that are not done: the one that is shown, and those to fetch ahead. */
export const tracesToRate = (
  ids: readonly string[],
  done: ReadonlySet<string>,
  count: number,
): readonly string[] => {
  const open = new Set<string>();
  for (const id of ids) {
    if (open.size === count) break;
    if (!done.has(id)) open.add(id);
  }
  return [...open];
};

/**
 * Traces that a caller's own order begins behind, of `count`: the same for each visit, and another
 * for each caller, so that two people who rate together begin apart.
 */
export const ownOffset = (callerId: string, count: number): number => {
  const share = Number.parseInt(callerId.replaceAll('-', '').slice(-8), 16) / 2 ** 32;
  return Number.isNaN(share) ? 0 : Math.floor(share * count);
};

/** `12 of 214 left`. */
export const progressText = (left: number | undefined, all: number | undefined): string => {
  const [remaining, total] = [left, all].map((count) => count?.toLocaleString('en') ?? '…');
  return `${remaining} of ${total} left`;
};
