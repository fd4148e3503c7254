import { byCodePoint } from '../code-points.js';
import { unreachable } from '../decision.js';
import type { ColumnValue, RecordRow } from './record.js';
import type { Instant, JsonObject } from '../schema-types.js';

/** The six kinds of rating of contract 4.8. */
const annotationTypes = ['like_dislike', 'star', 'score', 'tags', 'text', 'choice'] as const;
export type AnnotationType = (typeof annotationTypes)[number];
export type RatingValue = boolean | number | string | readonly string[];

/**
 * Current rating of one user, as stored with its trace; all but the time is shown (contract 5.7).
 */
export type Annotation = {
  readonly annotation_type: AnnotationType;
  readonly value: RatingValue;
  readonly explanation: string | null;
  readonly given_at: Instant;
};
/** By template id, then by user id. */
export type Annotations = Readonly<Record<string, Readonly<Record<string, Annotation>>>>;

/** Live template, as far as aggregates need it. */
export type FeedbackTemplate = { readonly id: string; readonly type: AnnotationType };
export type NamedTemplate = FeedbackTemplate & { readonly name: string };

/** Column type of a template (contract 3.2). */
export const ratingTypes = {
  like_dislike: 'floating_point',
  star: 'floating_point',
  score: 'floating_point',
  tags: 'string_list',
  choice: 'string_list',
  text: 'text',
} as const satisfies Readonly<Record<AnnotationType, string>>;
export type RatingType = (typeof ratingTypes)[AnnotationType];
/** Null if none of the templates has this id. */
export const ratingTypeOf = (
  templates: readonly FeedbackTemplate[],
  template: string,
): RatingType | null => {
  const type = templates.find(({ id }) => id === template)?.type;
  return type === undefined ? null : ratingTypes[type];
};

/**
 * Column value of a template for a trace, over the current ratings of all users (contract 3.2): the
 * share of likes, the mean of stars and scores, the union of tags and choices, texts in the order
 * in which they were given, one a line. Null without a rating.
 */
export const ratingValue = (
  row: Pick<RecordRow, 'kind' | 'body'>,
  template: string,
): ColumnValue => {
  const byTemplate = row.kind === 'trace' ? annotationsOf(row) : {};
  const byUser = Object.hasOwn(byTemplate, template) ? (byTemplate[template] ?? {}) : {};
  const given = Object.values(byUser);
  const type = given[0]?.annotation_type;
  if (type === undefined) return null;
  switch (ratingTypes[type]) {
    case 'floating_point':
      return given.reduce((sum, { value }) => sum + Number(value), 0) / given.length;
    case 'string_list':
      return [...new Set(given.flatMap(({ value }) => value as string | readonly string[]))];
    case 'text':
      return Object.entries(byUser)
        .toSorted(
          ([one, { given_at: at }], [other, { given_at: otherAt }]) =>
            byCodePoint(at, otherAt) || byCodePoint(one, other),
        )
        .map(([, { value }]) => String(value))
        .join('\n');
    default:
      return unreachable(ratingTypes[type]);
  }
};

/**
 * `<template id>/<text>` for each template of the trace that is rated by texts; engines store these
 * beside `ratingKeys`, which have all other values.
 */
export const ratingTexts = (row: Pick<RecordRow, 'kind' | 'body'>): readonly string[] =>
  Object.keys(row.kind === 'trace' ? annotationsOf(row) : {}).flatMap((template) => {
    const value = ratingValue(row, template);
    return typeof value === 'string' ? [`${template}/${value}`] : [];
  });

/** Current ratings of one template on the traces of one run. */
export type RatingCounts = {
  readonly run: string;
  readonly template: string;
  /** Traces with at least one rating of the template. */
  readonly traces: number;
  readonly ratings: number;
  /**
   * Count by value as text: `true`, `4`, a tag, a choice. Each tag of a rating counts; texts are
   * not counted.
   */
  readonly values: Readonly<Record<string, number>>;
};

export const annotationsOf = ({ body }: Pick<RecordRow, 'body'>): Annotations =>
  (body['annotations'] ?? {}) as Annotations;

/** `annotations` of a trace as read (contract 5.7). */
export const annotationsView = (row: Pick<RecordRow, 'body'>): JsonObject =>
  Object.fromEntries(
    Object.entries(annotationsOf(row)).map(([template, byUser]) => [
      template,
      Object.fromEntries(
        Object.entries(byUser).map(([user, { annotation_type, value, explanation }]) => [
          user,
          { annotation_type, value, explanation },
        ]),
      ),
    ]),
  );

/** Length of a template's id, for splitting stored keys. */
const idLength = 36;

/**
 * `<template id>/<value>` for each value that counts, repeats included; engines store these for
 * counting. Empty for records other than traces.
 */
export const ratingKeys = (row: Pick<RecordRow, 'kind' | 'body'>): readonly string[] =>
  row.kind !== 'trace'
    ? []
    : Object.entries(annotationsOf(row)).flatMap(([template, byUser]) =>
        Object.values(byUser).flatMap((one) =>
          valuesOf(one).map((value) => `${template}/${value}`),
        ),
      );

/** Splits a key of `ratingKeys`, or a pair of `RecordRow.annotators`, into its two parts. */
export const splitRatingKey = (key: string): readonly [template: string, rest: string] => [
  key.slice(0, idLength),
  key.slice(idLength + 1),
];

const valuesOf = ({ annotation_type: type, value }: Annotation): readonly string[] => {
  if (type === 'text') return [];
  return Array.isArray(value) ? [...new Set(value as readonly string[])] : [String(value)];
};

/**
 * Reference implementation of `ratings`, which every engine must agree with: counts of these traces
 * by run, then by template.
 */
export const countRatings = (traces: readonly RecordRow[]): readonly RatingCounts[] => {
  const tallies = new Map<string, RatingCounts & { values: Record<string, number> }>();
  for (const row of traces) {
    const run = String(row.values['run_id']);
    for (const [template, byUser] of Object.entries(annotationsOf(row))) {
      const users = Object.values(byUser);
      if (users.length === 0) continue;
      const before = tallies.get(`${run}/${template}`);
      const counts = new Map(Object.entries(before?.values ?? {}));
      for (const value of users.flatMap(valuesOf)) counts.set(value, (counts.get(value) ?? 0) + 1);
      tallies.set(`${run}/${template}`, {
        run,
        template,
        traces: (before?.traces ?? 0) + 1,
        ratings: (before?.ratings ?? 0) + users.length,
        values: Object.fromEntries(counts),
      });
    }
  }
  return [...tallies.values()].sort(byRunAndTemplate);
};

export const byRunAndTemplate = (one: RatingCounts, other: RatingCounts): number =>
  byCodePoint(one.run, other.run) || byCodePoint(one.template, other.template);

/**
 * Feedback aggregate of that many traces (contract 4.6); without counts none of them is rated. Each
 * user's current rating counts once.
 */
export const feedbackAggregate = (
  { type }: Pick<FeedbackTemplate, 'type'>,
  tally: Pick<RatingCounts, 'traces' | 'ratings' | 'values'> | undefined,
  traces: number,
): JsonObject => {
  const values = new Map(Object.entries(tally?.values ?? {}));
  const counts = Object.fromEntries([...values].sort(([one], [other]) => byCodePoint(one, other)));
  const unrated = { unrated_count: Math.max(0, traces - (tally?.traces ?? 0)) };
  switch (type) {
    case 'like_dislike':
      return {
        feedback_type: type,
        like_count: values.get('true') ?? 0,
        dislike_count: values.get('false') ?? 0,
        ...unrated,
      };
    case 'star':
    case 'score':
      return { feedback_type: type, average: averageOf(values), counts, ...unrated };
    case 'tags':
    case 'choice':
      return { feedback_type: type, counts, ...unrated };
    case 'text':
      return { feedback_type: type, count: tally?.ratings ?? 0, ...unrated };
    default:
      return unreachable(type);
  }
};

const averageOf = (values: ReadonlyMap<string, number>): number | null => {
  let sum = 0;
  let ratings = 0;
  for (const [value, count] of values) {
    sum += Number(value) * count;
    ratings += count;
  }
  return ratings === 0 ? null : sum / ratings;
};

/**
 * Feedback aggregates of one trace's own ratings, for every live template of the project (contract
 * 5.7, 7).
 */
export const traceFeedback = (
  row: RecordRow,
  templates: readonly FeedbackTemplate[],
): JsonObject => {
  const tallies = new Map(countRatings([row]).map((tally) => [tally.template, tally]));
  return Object.fromEntries(
    templates.map((template) => [
      template.id,
      feedbackAggregate(template, tallies.get(template.id), 1),
    ]),
  );
};
