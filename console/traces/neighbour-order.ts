import type { TraceRecord } from './record-facts.js';

type Placed = Pick<TraceRecord, 'id' | 'created_at'>;

/**
 * The neighbour among the answered records; null at the end of the run. Lists are in the order of
 * time, newest first, and of equal times by id, descending.
 */
export const neighbourOf = (
  trace: Placed,
  records: readonly Partial<Placed>[],
  direction: 'older' | 'newer',
): string | null => {
  const beyond = records
    .map(({ id = '', created_at: at = '' }) => ({ id, at }))
    .filter(({ id, at }) => {
      if (at !== trace.created_at) return true;
      return direction === 'older' ? id < trace.id : id > trace.id;
    });
  const sign = direction === 'older' ? -1 : 1;
  beyond.sort((one, other) => {
    if (one.at !== other.at) return one.at < other.at ? -sign : sign;
    return one.id < other.id ? -sign : sign;
  });
  return beyond[0]?.id ?? null;
};
