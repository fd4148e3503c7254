/**
 * Suggests the known name that a misspelt one most likely means; null when none is near. Near is an
 * edit distance (Damerau-Levenshtein: letters left out, added, replaced, or two neighbours swapped)
 * of at most 2, of names of up to three letters 1, and always less than the shorter name is long.
 * Case, `_` and `-` are ignored: `filterTree` is `filter_tree`.
 */
export const nearestName = (name: string, known: Iterable<string>): string | null => {
  const wanted = normalizeName(name);
  let nearest: string | null = null;
  let least = distanceMax + 1;
  for (const candidate of known) {
    const other = normalizeName(candidate);
    const distance = editDistance(wanted, other);
    if (distance < least && distance <= toleratedDistance(wanted, other)) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
};

const distanceMax = 2;
const shortNameMax = 3;

const toleratedDistance = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length);
  return Math.min(length <= shortNameMax ? 1 : distanceMax, length - 1);
};

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** Optimal string alignment distance; Infinity when the lengths differ by more than 2. */
const editDistance = (one: string, other: string): number => {
  if (Math.abs(one.length - other.length) > distanceMax) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped =
        i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
};
