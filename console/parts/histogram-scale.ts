/** Counts of values by bin; one edge more than counts (contract 4.5, rule 3). */
export type ChartHistogram = {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
};

/** The range from the first of these bins to the last. */
export const rangeText = (
  { edges }: ChartHistogram,
  first: number,
  last: number,
  format: (value: number) => string,
): string => `${format(edges[first] ?? 0)} to ${format(edges[last + 1] ?? 0)}`;

/** The histogram as a sentence: its values, its range and its fullest bin. */
export const histogramSentence = (
  histogram: ChartHistogram,
  format: (value: number) => string,
): string => {
  const { counts } = histogram;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const most = counts.indexOf(Math.max(...counts));
  const range = rangeText(histogram, 0, counts.length - 1, format);
  const fullest = rangeText(histogram, most, most, format);
  return `${total} values from ${range}, most of them, ${counts[most] ?? 0}, from ${fullest}`;
};
