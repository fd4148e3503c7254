import type {
  AnnotationTemplate,
  RatingOperation,
  RatingResult,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';

/** The caller's rating by one template, as it is edited. */
export type FieldDraft = {
  readonly rating: RatingValue | null;
  /** Empty: none. */
  readonly explanation: string;
};

/** The caller's ratings of one trace by the id of their template. */
export type RatingDraft = Readonly<Record<string, FieldDraft>>;

export const emptyField: FieldDraft = { rating: null, explanation: '' };

/** Operations that one request takes (contract 1.11). */
const operationsMax = 20;
const explanationMax = 4_096;
const textMax = 4_096;
const labelMax = 255;

type Given = RatingValue & { readonly explanation: string | null };

/** The ratings that the caller has given to a trace. */
export const ownRatings = (
  annotations: Readonly<Record<string, unknown>>,
  callerId: string,
): RatingDraft => {
  const drafts: Record<string, FieldDraft> = {};
  for (const [templateId, byUser] of Object.entries(annotations)) {
    const given = (byUser as Readonly<Record<string, Given>>)[callerId];
    if (given === undefined) continue;
    const { explanation, ...rating } = given;
    drafts[templateId] = { rating, explanation: explanation ?? '' };
  }
  return drafts;
};

const fieldOf = (draft: RatingDraft, templateId: string): FieldDraft =>
  draft[templateId] ?? emptyField;

/** The rating as it is sent: without blanks around a typed text. */
const sentRating = (rating: RatingValue | null): RatingValue | null =>
  rating?.annotation_type === 'text' || rating?.annotation_type === 'choice'
    ? { ...rating, value: rating.value.trim() }
    : rating;

const isSame = (one: FieldDraft, other: FieldDraft): boolean =>
  JSON.stringify(sentRating(one.rating)) === JSON.stringify(sentRating(other.rating)) &&
  one.explanation.trim() === other.explanation.trim();

/** The operations that turn the ratings of before into those of the draft, by template. */
export const ratingOperations = (
  before: RatingDraft,
  draft: RatingDraft,
): readonly RatingOperation[] =>
  Object.keys(draft)
    .filter((id) => !isSame(fieldOf(before, id), fieldOf(draft, id)))
    .flatMap((id) => operationsTo(id, fieldOf(before, id), fieldOf(draft, id)));

const operationsTo = (
  templateId: string,
  before: FieldDraft,
  after: FieldDraft,
): readonly RatingOperation[] => {
  if (after.rating !== null) return [creation(templateId, after)];
  return before.rating === null ? [] : [withdrawal(templateId)];
};

const withdrawal = (templateId: string): RatingOperation => ({
  operation_type: 'delete',
  annotation_template_id: templateId,
});

const creation = (templateId: string, { rating, explanation }: FieldDraft): RatingOperation => ({
  operation_type: 'create',
  annotation_template_id: templateId,
  rating: sentRating(rating),
  explanation: explanation.trim() === '' ? null : explanation.trim(),
});

/** The operations that put the ratings of before back, for the operations that changed them. */
export const undoOperations = (
  before: RatingDraft,
  operations: readonly RatingOperation[],
): readonly RatingOperation[] =>
  operations.map(({ annotation_template_id: id }) => {
    const field = fieldOf(before, id);
    return field.rating === null ? withdrawal(id) : creation(id, field);
  });

/** The draft after its operations: explanations as they are sent. */
export const draftAfter = (
  before: RatingDraft,
  operations: readonly RatingOperation[],
): RatingDraft => {
  const after: Record<string, FieldDraft> = { ...before };
  for (const { annotation_template_id: id, rating, explanation } of operations) {
    after[id] = { rating: rating ?? null, explanation: explanation ?? '' };
  }
  return after;
};

/** Sentences about fields that cannot be saved, by the id of their template. */
export const draftProblems = (
  templates: readonly Pick<AnnotationTemplate, 'id' | 'constraints'>[],
  draft: RatingDraft,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    templates.flatMap(({ id, constraints }) => {
      const problem = fieldProblem(constraints, fieldOf(draft, id));
      return problem === null ? [] : [[id, problem]];
    }),
  );

const fieldProblem = (
  constraints: AnnotationTemplate['constraints'],
  { rating, explanation }: FieldDraft,
): string | null => {
  if (explanation.length > explanationMax) return 'An explanation has at most 4,096 characters';
  if (rating === null) {
    return explanation.trim() === '' ? null : 'Rate it, too: an explanation belongs to a rating';
  }
  if (constraints.annotation_type === 'score') {
    const { min, max } = constraints;
    const value = Number(rating.value);
    const fits = Number.isInteger(value) && value >= min && value <= max;
    return fits ? null : `It takes a whole number from ${min} to ${max}`;
  }
  if (rating.annotation_type === 'text' && rating.value.length > textMax) {
    return 'A text has at most 4,096 characters';
  }
  const labels = rating.annotation_type === 'tags' ? rating.value : [rating.value];
  const isLong = labels.some((label) => typeof label === 'string' && label.length > labelMax);
  return rating.annotation_type !== 'text' && isLong ? 'A label has at most 255 characters' : null;
};

/** The operations in as many requests as they need: one for up to 20 templates. */
export const ratingBatches = (
  operations: readonly RatingOperation[],
): readonly (readonly RatingOperation[])[] =>
  Array.from({ length: Math.ceil(operations.length / operationsMax) }, (_batch, index) =>
    operations.slice(index * operationsMax, (index + 1) * operationsMax),
  );

/** An operation that was not done, and why. */
export type RefusedOperation = { readonly templateId: string; readonly message: string };

/** The operations that failed, by the answers to their batches in order. */
export const refusedOperations = (
  operations: readonly RatingOperation[],
  results: readonly RatingResult[],
): readonly RefusedOperation[] =>
  results
    .filter(({ success }) => !success)
    .flatMap(({ index, message }) => {
      const templateId = operations[index]?.annotation_template_id;
      return templateId === undefined ? [] : [{ templateId, message }];
    });
