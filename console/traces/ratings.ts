import type {
  AnnotationTemplate,
  RatingValue,
} from '../../clients/typescript/src/generated/annotations-types.js';

/** A rating of a trace by one user. */
type GivenRating = {
  readonly userId: string;
  readonly value: RatingValue;
  readonly explanation: string | null;
};

export type TemplateRatings = {
  readonly template: AnnotationTemplate;
  readonly own: RatingValue | null;
  readonly others: readonly GivenRating[];
};

type Annotation = RatingValue & { readonly explanation: string | null };

/** Ratings of a trace by template, in the order of the templates; its own apart. */
export const templateRatings = (
  templates: readonly AnnotationTemplate[],
  annotations: Readonly<Record<string, unknown>>,
  ownId: string | null,
): readonly TemplateRatings[] =>
  templates.map((template) => {
    const byUser = (annotations[template.id] ?? {}) as Readonly<Record<string, Annotation>>;
    const given = Object.entries(byUser).map(([userId, { explanation, ...value }]) => ({
      userId,
      value: value as RatingValue,
      explanation,
    }));
    return {
      template,
      own: given.find(({ userId }) => userId === ownId)?.value ?? null,
      others: given.filter(({ userId }) => userId !== ownId),
    };
  });
