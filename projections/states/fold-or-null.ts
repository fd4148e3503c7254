/**
 * Runs `fold`; null when today's code cannot fold an event: poison events that lists park are shown
 * unchanged in history.
 */
export const foldOrNull = <T>(fold: () => T): T | null => {
  try {
    return fold();
  } catch (error) {
    return nullIfUnfoldable(error);
  }
};

/** Null for an error of a fold; throws any other. */
export const nullIfUnfoldable = (error: unknown): null => {
  if (error instanceof TypeError || error instanceof RangeError) return null;
  throw error;
};
