/** Times of one bucket, as the service writes them; its end is the beginning of the next. */
export type ChartBucket = { readonly start: string; readonly end: string };

/** One line or set of bars: a value per bucket; null where a metric has no value. */
export type ChartSeries = {
  readonly label: string;
  readonly values: readonly (number | null)[];
};

/** A value that parts the levels of a metric, and the word for what is from there on. */
export type ChartThreshold = { readonly value: number; readonly word: string };

/** Lines of a chart at most. */
export const seriesMax = 8;

/** The least 1, 2 or 5 times a power of ten that is not below any value; 1 without values. */
const roundMaximum = (values: readonly (number | null)[]): number => {
  const greatest = Math.max(0, ...values.map((value) => value ?? 0));
  if (greatest === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(greatest));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= greatest) ?? 10;
  return step * power;
};

/** The vertical range of values and thresholds: from 0, or below where values are negative. */
export const verticalRange = (
  series: readonly ChartSeries[],
  thresholds: readonly ChartThreshold[] = [],
): { readonly low: number; readonly high: number } => {
  const values = [...series.flatMap((one) => one.values), ...thresholds.map(({ value }) => value)];
  const hasNegative = values.some((value) => value !== null && value < 0);
  const low = hasNegative ? -roundMaximum(values.map((value) => -(value ?? 0))) : 0;
  return { low, high: roundMaximum(values) };
};

/** Runs of indexes with values: a line has a gap between two of them. */
export const runsOfValues = (
  values: readonly (number | null)[],
): readonly (readonly number[])[] => {
  const runs: number[][] = [];
  let open: number[] | null = null;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      open = null;
      continue;
    }
    if (open === null) runs.push((open = []));
    open.push(index);
  }
  return runs;
};

/** The buckets between two shares of the width, in order; each share is 0 to 1. */
export const bucketsBetween = (
  from: number,
  to: number,
  count: number,
): { readonly first: number; readonly last: number } => {
  const at = (share: number): number => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
  const [low, high] = from <= to ? [from, to] : [to, from];
  return { first: at(low), last: at(high) };
};

/** Index of the series whose value in the bucket is drawn nearest to a height. */
export const nearestSeries = (
  series: readonly ChartSeries[],
  bucket: number,
  height: number,
  y: (value: number) => number,
): number => {
  const distances = series.map(({ values }) => {
    const value = values[bucket];
    return value === null || value === undefined
      ? Number.POSITIVE_INFINITY
      : Math.abs(y(value) - height);
  });
  return Math.max(0, distances.indexOf(Math.min(...distances)));
};
