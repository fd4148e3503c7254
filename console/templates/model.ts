import type {
  AnnotationTemplate,
  Constraints,
} from '../../clients/typescript/src/generated/annotations-types.js';

/** A template by which traces are rated. */
export type RatingTemplate = AnnotationTemplate;

type RatingKind = Constraints['annotation_type'];

/** Kinds of ratings, with what each is for. */
export const ratingKinds = [
  { value: 'like_dislike', text: 'Like or dislike' },
  { value: 'star', text: 'Stars, 1 to 5' },
  { value: 'score', text: 'Score, a whole number' },
  { value: 'choice', text: 'Choice, one of a list' },
  { value: 'tags', text: 'Tags, any of a list' },
  { value: 'text', text: 'Text' },
] as const satisfies readonly { readonly value: RatingKind; readonly text: string }[];

/** A template's constraints in words. */
export const constraintsText = (constraints: Constraints): string => {
  switch (constraints.annotation_type) {
    case 'like_dislike':
      return 'like or dislike';
    case 'star':
      return '1 to 5 stars';
    case 'score':
      return `${constraints.min} to ${constraints.max}`;
    case 'choice':
      return constraints.allow_other ? 'one of these, or another' : 'one of these';
    case 'tags':
      return constraints.allow_other ? 'any of these, and others' : 'any of these';
    case 'text':
      return 'text';
  }
};

/** Constraints as they are typed. */
export type ConstraintsDraft = {
  readonly kind: RatingKind;
  readonly min: string;
  readonly max: string;
  /** One a line. */
  readonly labels: string;
  readonly allowsOther: boolean;
};

export const emptyConstraints: ConstraintsDraft = {
  kind: 'star',
  min: '0',
  max: '10',
  labels: '',
  allowsOther: false,
};

/** Labels of a template, and characters of each (contract 5.8). */
const labelsMax = 100;
const labelMax = 255;

/** The lines without blanks around them, each once. */
const labelsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

const wholeNumber = (text: string): number | null =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;

/** The constraints, or the sentence about what they lack. */
export const typedConstraints = (
  draft: ConstraintsDraft,
): { readonly constraints: Constraints } | { readonly problem: string } => {
  const { kind } = draft;
  if (kind === 'score') {
    const [min, max] = [wholeNumber(draft.min), wholeNumber(draft.max)];
    if (min === null || max === null) return { problem: 'Two whole numbers from 0' };
    if (min > max) return { problem: 'The lowest score first' };
    return { constraints: { annotation_type: kind, min, max } };
  }
  if (kind !== 'choice' && kind !== 'tags') return { constraints: { annotation_type: kind } };
  const labels = labelsOf(draft.labels);
  if (labels.length === 0) return { problem: 'At least one label' };
  if (labels.length > labelsMax) return { problem: `At most ${labelsMax} labels` };
  if (labels.some((label) => label.length > labelMax)) {
    return { problem: `A label has at most ${labelMax} characters` };
  }
  const allow_other = draft.allowsOther;
  return {
    constraints:
      kind === 'choice'
        ? { annotation_type: kind, choices: labels, allow_other }
        : { annotation_type: kind, tags: labels, allow_other },
  };
};

/** The list with one of its ids at another index. */
export const movedTo = (ids: readonly string[], id: string, index: number): readonly string[] => {
  const others = ids.filter((one) => one !== id);
  const at = Math.max(0, Math.min(others.length, index));
  return [...others.slice(0, at), id, ...others.slice(at)];
};

/** The items in the order of the ids; those that it does not name stay behind. */
export const inOrder = <T extends { readonly id: string }>(
  items: readonly T[],
  ids: readonly string[],
): readonly T[] => {
  const places = new Map(ids.map((id, index) => [id, index]));
  const placeOf = ({ id }: T): number => places.get(id) ?? ids.length;
  return [...items].sort((one, other) => placeOf(one) - placeOf(other));
};

/** `1 rating`, `1,204 ratings`. */
export const usageText = (count: number): string =>
  count === 1 ? '1 rating' : `${count.toLocaleString('en')} ratings`;

/** True where a member that is edited here was changed by somebody else, to another value. */
export const hasOverlap = <T extends object>(edits: Partial<T>, base: T, now: T): boolean =>
  (Object.keys(edits) as (keyof T)[]).some(
    (member) => now[member] !== base[member] && now[member] !== edits[member],
  );
