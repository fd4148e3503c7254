/** Bins of a histogram at most (contract 4.5, rule 3): what a chart of 320 px shows apart. */
export const histogramBinsMax = 50;

/**
 * Counts of values by bin. A bin has the values from its lower edge on that are less than its upper
 * edge, the last one also those equal to its upper edge. One edge more than counts.
 */
export type Histogram = {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
};

const steps = [1, 2, 5] as const;
/** Powers of ten around which multiples and quotients of doubles stay exact enough to be edges. */
const [powerMin, powerMax] = [-300, 308];

/**
 * Edges of the bins of values between the least and the greatest: multiples of the least width of
 * 1, 2 or 5 times a power of ten that needs at most `histogramBinsMax` bins, whole for an integer.
 * One value, or a range without such edges, is one bin.
 */
export const histogramEdges = (
  least: number,
  greatest: number,
  isInteger: boolean,
): readonly number[] => {
  if (least === greatest && !isInteger) return [least, greatest];
  // Divided before it is subtracted: the range may be beyond the doubles.
  const width = greatest / histogramBinsMax - least / histogramBinsMax;
  const lowest = Math.max(Math.floor(Math.log10(width)), isInteger ? 0 : powerMin);
  for (let power = lowest; power <= powerMax; power += 1) {
    for (const step of steps) {
      const edges = multiplesAround(least, greatest, { step, power, isInteger });
      if (edges !== null) return edges;
    }
  }
  return [least, greatest];
};

type BinWidth = {
  readonly step: (typeof steps)[number];
  readonly power: number;
  readonly isInteger: boolean;
};

/** Multiples of the width that enclose the values; null: too many, or not ascending. */
const multiplesAround = (
  least: number,
  greatest: number,
  { step, power, isInteger }: BinWidth,
): readonly number[] | null => {
  // A quotient by a power of ten is the double nearest to the decimal number, a product is not.
  const multiple = (count: number): number =>
    (power < 0 ? (count * step) / 10 ** -power : count * step * 10 ** power) + 0;
  const width = multiple(1);
  let first = Math.floor(least / width);
  if (multiple(first) > least) first -= 1;
  else if (multiple(first + 1) <= least) first += 1;
  // The bin of an integer ends before the next one, so that each has a bin where there are few.
  let last = isInteger ? Math.floor(greatest / width) + 1 : Math.ceil(greatest / width);
  if (multiple(last) < greatest) last += 1;
  else if (!isInteger && multiple(last - 1) >= greatest) last -= 1;
  const bins = last - first;
  if (!(bins >= 1 && bins <= histogramBinsMax)) return null;
  const edges = Array.from({ length: bins + 1 }, (_, at) => multiple(first + at));
  const [lowest = Number.NaN] = edges;
  const isAscending = edges.every((edge, at) => at === 0 || edge > (edges[at - 1] ?? edge));
  const encloses = lowest <= least && greatest <= (edges.at(-1) ?? Number.NaN);
  return isAscending && encloses && edges.every(Number.isFinite) ? edges : null;
};

/** Number of the bin that has the value, which is between the first edge and the last. */
export const histogramBin = (edges: readonly number[], value: number): number => {
  const last = edges.length - 2;
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (value < (edges[middle] ?? Infinity)) high = middle - 1;
    else low = middle;
  }
  return low;
};

/** Histogram of values with the edges; null without values, or without edges. */
export const histogramOf = (
  edges: readonly number[] | null,
  values: Iterable<number>,
): Histogram | null => {
  if (edges === null) return null;
  const counts = Array<number>(edges.length - 1).fill(0);
  let total = 0;
  for (const value of values) {
    const bin = histogramBin(edges, value);
    counts[bin] = (counts[bin] ?? 0) + 1;
    total += 1;
  }
  return total === 0 ? null : { edges, counts };
};
