import type {
  Constraints,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';

/** A rating before a key; `isContinued`: the key before was a digit of the same field. */
type KeyedRating = { readonly value: RatingValue | null; readonly isContinued: boolean };

const starsMax = 5;

/**
 * The rating after a key, null for a withdrawn one; undefined where the key has no meaning. A digit
 * chooses the option of that number, star or tag, and writes a score; 0 withdraws, but in a score.
 * Left and right step through stars, scores and options, within their bounds.
 */
export const ratingAfterKey = (
  constraints: Constraints,
  before: KeyedRating,
  key: string,
): RatingValue | null | undefined => {
  if (key === 'Backspace') return null;
  const digit = /^\d$/.test(key) ? Number(key) : null;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? null;
  if (digit === null && step === null) return undefined;
  switch (constraints.annotation_type) {
    case 'star': {
      const stars = digit ?? steppedNumber(before.value, step ?? 0, 1, starsMax);
      if (stars > starsMax) return undefined;
      return stars === 0 ? null : { annotation_type: 'star', value: stars };
    }
    case 'score':
      return {
        annotation_type: 'score',
        value:
          digit === null
            ? steppedNumber(before.value, step ?? 0, constraints.min, constraints.max)
            : scoreAfterDigit(constraints.max, before, digit),
      };
    case 'like_dislike':
    case 'choice':
      return optionAfterKey(ratingOptions(constraints), before.value, digit, step);
    case 'tags':
      return digit === null ? undefined : tagsAfterDigit(constraints.tags, before.value, digit);
    case 'text':
      return undefined;
  }
};

/** Ratings to choose from, in the order in which they are shown. */
const ratingOptions = (constraints: Constraints): readonly RatingValue[] => {
  if (constraints.annotation_type === 'like_dislike') {
    return [true, false].map((value) => ({ annotation_type: 'like_dislike', value }));
  }
  if (constraints.annotation_type !== 'choice') return [];
  return constraints.choices.map((value) => ({ annotation_type: 'choice', value }));
};

/** The next number within the bounds; without one before, the end that the step comes from. */
const steppedNumber = (
  value: RatingValue | null,
  step: number,
  min: number,
  max: number,
): number => {
  if (typeof value?.value !== 'number') return step > 0 ? min : max;
  return Math.max(min, Math.min(max, value.value + step));
};

/** Digits after each other are one number, until it would exceed the highest score. */
const scoreAfterDigit = (max: number, before: KeyedRating, digit: number): number => {
  const number = before.isContinued ? before.value?.value : undefined;
  const longer = typeof number === 'number' ? number * 10 + digit : digit;
  return longer <= max ? longer : digit;
};

const optionAfterKey = (
  options: readonly RatingValue[],
  value: RatingValue | null,
  digit: number | null,
  step: number | null,
): RatingValue | null | undefined => {
  if (digit === 0) return null;
  if (digit !== null) return options[digit - 1];
  const at = options.findIndex((option) => option.value === value?.value);
  if (at < 0) return step === 1 ? options[0] : options.at(-1);
  return options[Math.max(0, Math.min(options.length - 1, at + (step ?? 0)))];
};

const tagsAfterDigit = (
  tags: readonly string[],
  before: RatingValue | null,
  digit: number,
): RatingValue | null | undefined => {
  if (digit === 0) return null;
  const tag = tags[digit - 1];
  if (tag === undefined) return undefined;
  const chosen = before?.annotation_type === 'tags' ? before.value : [];
  const value = chosen.includes(tag) ? chosen.filter((one) => one !== tag) : [...chosen, tag];
  return value.length === 0 ? null : { annotation_type: 'tags', value };
};
