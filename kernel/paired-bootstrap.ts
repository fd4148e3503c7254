import { mulberry32 } from './mulberry32.js';

export type BootstrapOptions = {
  readonly seed: number;
  /** Number of resamples; below `resamplesMin` quantiles are too coarse. */
  readonly resamples: number;
  /** Confidence level, such as 0.95. */
  readonly level: number;
};
export type BootstrapInterval = { readonly lower: number; readonly upper: number };
export type PairedBootstrap = {
  /** Draws at least `atLeast` differences, or the rest; false once all are drawn. */
  draw(atLeast: number): boolean;
  /** The interval, once all are drawn; not finite beyond the range of doubles. */
  interval(): BootstrapInterval;
};

/** More resamples hardly move a 95 % percentile. */
export const resamplesMax = 10_000;
const resamplesMin = 200;

/**
 * Paired bootstrap: the percentile interval of the mean of paired differences (B. Efron and R. J.
 * Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). Each resample draws as many
 * differences as there are, with replacement; the interval ends at the (B + 1)·α-th smallest and
 * largest of their B means, α = (1 − level)/2. The same differences and options give the same
 * interval, and negated differences the negated interval. Runs in portions, so that it never blocks
 * for long.
 */
export const openPairedBootstrap = (
  differences: Float64Array,
  choice: BootstrapOptions,
): PairedBootstrap => {
  const { length } = differences;
  const { resamples, level } = choice;
  const word = mulberry32(choice.seed);
  const scale = length / 2 ** 32;
  const means = new Float64Array(resamples);
  let made = 0;
  return {
    draw: (atLeast) => {
      const end = Math.min(resamples, made + Math.ceil(atLeast / Math.max(1, length)));
      for (; made < end; made += 1) {
        let sum = 0;
        for (let at = 0; at < length; at += 1) sum += differences[Math.floor(word() * scale)] ?? 0;
        means[made] = sum / length + 0;
      }
      return made < resamples;
    },
    interval: () => {
      const sorted = means.toSorted();
      const at = Math.max(0, Math.floor(((resamples + 1) * (1 - level)) / 2) - 1);
      return { lower: sorted[at] ?? 0, upper: sorted[resamples - 1 - at] ?? 0 };
    },
  };
};

/**
 * Resamples that each of several intervals can have within `drawsMax` draws; 0: too few to be
 * meaningful.
 */
export const affordableResamples = (drawsMax: number, lengths: readonly number[]): number => {
  const each = lengths.reduce((sum, length) => sum + length, 0);
  const resamples = Math.min(resamplesMax, Math.floor(drawsMax / Math.max(1, each)));
  return resamples < resamplesMin ? 0 : resamples;
};
