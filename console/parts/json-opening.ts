/** Values that a tree draws at first: a thousand take some 100 ms. */
const drawnMax = 1_000;

/**
 * The objects and lists that a tree of JSON opens at first: from the root on, level by level, so
 * many levels deep, and until it draws a thousand values. `pageSize`: entries of each that are
 * drawn at once.
 */
export const openedAtFirst = (
  root: unknown,
  levels: number,
  pageSize: number,
): ReadonlySet<unknown> => {
  const opened = new Set<unknown>();
  let level: readonly unknown[] = [root];
  let drawn = 0;
  for (let depth = 0; depth < levels && level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      const entries = Object.values(value).slice(0, pageSize);
      drawn += entries.length;
      if (drawn > drawnMax) return opened;
      opened.add(value);
      next.push(...entries);
    }
    level = next;
  }
  return opened;
};
