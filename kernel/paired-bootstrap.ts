import { mulberry32 } from './mulberry32.js';

export type BootstrapOptions = {
  readonly seed: number;
  /** Resamples; their quantiles are too coarse below `resamplesMin`. */
  readonly resamples: number;
  /** The interval's confidence, as 0.95. */
  readonly level: number;
};
export type BootstrapInterval = { readonly lower: number; readonly upper: number };
export type PairedBootstrap = {
  /** Draws at least so many, or what is left of them; false once all are drawn. */
  draw(atLeast: number): boolean;
  /** Once all are drawn. Beyond the doubles its ends are not finite. */
  interval(): BootstrapInterval;
};

/** Beyond these a percentile of 95 % hardly moves. */
export const resamplesMax = 10_000;
const resamplesMin = 200;

/**
 * The percentile interval of the mean of paired differences: B. Efron and R. J. Tibshirani, An
 * Introduction to the Bootstrap (1993), chapter 13. Each resample draws as many
 * differences as there are, with replacement; the interval ends at the (B + 1)·α-th smallest and
 * largest of their B means, α = (1 − level)/2. The same differences and choice give the same
 * interval, and differences with their sign turned the same interval with its sign turned. In
 * portions, so that nothing waits for all of it.
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
 * How often each of several intervals can be resampled within so many draws; 0: too seldom for any
 * to mean something.
 */
export const affordableResamples = (drawsMax: number, lengths: readonly number[]): number => {
  const each = lengths.reduce((sum, length) => sum + length, 0);
  const resamples = Math.min(resamplesMax, Math.floor(drawsMax / Math.max(1, each)));
  return resamples < resamplesMin ? 0 : resamples;
};
