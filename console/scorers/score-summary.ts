import { printCount, printScore } from '../parts/numbers.js';
import type { Score } from './model.js';

/** Scores of one interval, or of one value; the last interval includes its upper end. */
export type ScoreBin = {
  readonly from: number;
  readonly to: number;
  readonly count: number;
};

export type ScoreSummary = {
  readonly count: number;
  /** Scores that are None. */
  readonly missing: number;
  readonly figures:
    | {
        readonly kind: 'numbers';
        readonly mean: number;
        readonly least: number;
        readonly greatest: number;
        readonly bins: readonly ScoreBin[];
      }
    | {
        readonly kind: 'values';
        /** The most frequent values first. */
        readonly values: readonly { readonly text: string; readonly count: number }[];
        /** Values beyond those. */
        readonly others: number;
      }
    | null;
};

const binsMax = 20;
const valuesMax = 10;

/** Folds scores of one type: numbers into a histogram, texts and booleans into counts. */
export const scoreSummary = (scores: readonly Score[]): ScoreSummary => {
  const present = scores.filter((score) => score !== null);
  const numbers = present.filter((score) => typeof score === 'number');
  const base = { count: scores.length, missing: scores.length - present.length };
  if (present.length === 0) return { ...base, figures: null };
  if (numbers.length === present.length) return { ...base, figures: numberFigures(numbers) };
  return { ...base, figures: valueFigures(present.map(String)) };
};

const numberFigures = (numbers: readonly number[]) => {
  const least = numbers.reduce((one, other) => Math.min(one, other));
  const greatest = numbers.reduce((one, other) => Math.max(one, other));
  // Divided first: the sum of large scores may be beyond all numbers, and rounded beyond the range.
  const sum = numbers.reduce((total, score) => total + score / numbers.length, 0);
  const mean = Math.max(least, Math.min(sum, greatest));
  return {
    kind: 'numbers',
    mean,
    least,
    greatest,
    bins: binsOf(numbers, least, greatest),
  } as const;
};

/** At most 20 bins of one width; whole numbers have a bin each where these suffice. */
const binsOf = (
  numbers: readonly number[],
  least: number,
  greatest: number,
): readonly ScoreBin[] => {
  const isWhole = numbers.every(Number.isInteger) && greatest - least < binsMax;
  const count = isWhole ? greatest - least + 1 : least === greatest ? 1 : binsMax;
  // Divided before the difference, which may be beyond all numbers.
  const width = isWhole ? 1 : greatest / count - least / count;
  const counts = Array.from({ length: count }, () => 0);
  for (const score of numbers) {
    const place = width === 0 ? 0 : Math.floor(score / width - least / width);
    const index = Math.max(0, Math.min(place, count - 1));
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts.map((size, index) => ({
    from: least + index * width,
    to: isWhole ? least + index : least + (index + 1) * width,
    count: size,
  }));
};

const valueFigures = (texts: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts]
    .map(([text, count]) => ({ text, count }))
    .sort((one, other) => other.count - one.count);
  return {
    kind: 'values',
    values: sorted.slice(0, valuesMax),
    others: Math.max(0, sorted.length - valuesMax),
  } as const;
};

/** The summary in a line: `100 scores · mean 41.2 · 3 None`. */
export const summaryText = ({ count, missing, figures }: ScoreSummary): string =>
  [
    count === 1 ? '1 score' : `${printCount(count)} scores`,
    ...(figures?.kind === 'numbers' ? [`mean ${printScore(figures.mean)}`] : []),
    ...(missing > 0 ? [`${printCount(missing)} None`] : []),
  ].join(' · ');

/** An interval in words: `12 to 14`, or `12` of one value. */
export const binText = ({ from, to }: ScoreBin): string =>
  from === to ? printScore(from) : `${printScore(from)} to ${printScore(to)}`;

/** A score as it is shown. */
export const scoreText = (score: Score): string => {
  if (score === null) return 'None';
  return typeof score === 'number' ? printScore(score) : String(score);
};
