import { createHash } from 'node:crypto';

export type Summary = {
  readonly samples: number;
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
  readonly min: number;
  readonly max: number;
  /** Between the first and the third quartile, as a share of the median. */
  readonly spread: number;
};

/** Nearest rank, as contract 4.5 has it. Of no values 0. */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;

export const summary = (values: readonly number[]): Summary => {
  const sorted = values.toSorted((a, b) => a - b);
  const median = percentile(sorted, 0.5);
  const quartiles = percentile(sorted, 0.75) - percentile(sorted, 0.25);
  return {
    samples: sorted.length,
    median,
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    spread: median === 0 ? 0 : quartiles / median,
  };
};

/**
 * Welch's t: the distance of two means in units of what chance alone moves their difference by
 * (variances may differ). Beyond 4.5 in size chance has no more than some millionths. 0 of fewer
 * than two values each and between equal values; infinite between values that differ without any
 * spread.
 */
export const welch = (ones: readonly number[], others: readonly number[]): number => {
  if (ones.length < 2 || others.length < 2) return 0;
  const [one, other] = [momentsOf(ones), momentsOf(others)];
  const error = Math.sqrt(one.variance / ones.length + other.variance / others.length);
  if (error > 0) return (one.mean - other.mean) / error;
  return one.mean === other.mean ? 0 : Math.sign(one.mean - other.mean) * Infinity;
};

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** `variance` of the population that these are a sample of. */
const momentsOf = (
  values: readonly number[],
): { readonly mean: number; readonly variance: number } => {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
};

/**
 * Twelve digits that are equal when the answers are: members in the order of their names, numbers
 * to twelve significant digits, because sums of doubles depend on the order of their terms.
 */
export const resultHash = (answers: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(answers)))
    .digest('hex')
    .slice(0, 12);

const canonical = (value: unknown): unknown => {
  if (typeof value === 'number') return Number(value.toPrecision(12));
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((name) => [name, canonical(members[name])]),
  );
};
