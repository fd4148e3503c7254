import type { Constraints, TemplateFacts } from '../../contract/annotation-templates.js';
import type { Rating } from '../../contract/ratings.js';
import type { RatingEvent, RatingGiven } from '../../events/ratings.js';
import type { TraceEvent } from '../../events/traces.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import type {
  Instant,
  ProjectId,
  RunId,
  TemplateId,
  TraceId,
  UserId,
} from '../../kernel/schema-types.js';

/** State of a trace for ratings; null before it was logged. */
export type RatedTrace = {
  readonly runId: RunId;
  readonly deleted: boolean;
  /** Current ratings by `<template>/<user>`. */
  readonly ratings: ReadonlyMap<string, RatingGiven>;
  /** Approximate characters of the ratings, for caches. */
  readonly weight: number;
};

/** Event types that affect ratings; others are not read. */
export const ratedTypes: readonly TraceEvent['type'][] = [
  'TraceLogged',
  'OtelSpansReceived',
  'RatingGiven',
  'RatingWithdrawn',
  'TraceDeleted',
];

export const ratedTraces: Fold<RatedTrace | null, TraceEvent> = {
  initial: null,
  evolve: (trace, { type, data }) => {
    switch (type) {
      case 'TraceLogged':
        return { runId: data.run_id, deleted: false, ratings: new Map(), weight: 0 };
      case 'OtelSpansReceived':
        return trace ?? { runId: data.run_id, deleted: false, ratings: new Map(), weight: 0 };
      case 'RatingGiven':
        return trace && withRating(trace, keyOf(data), data);
      case 'RatingWithdrawn':
        return trace && withRating(trace, keyOf(data), null);
      case 'TraceDeleted':
        return trace && { ...trace, deleted: true };
      case 'SpansLogged':
      case 'TraceUpdated':
      case 'SpanUpdated':
      case 'ScoresRecorded':
        return trace;
      default:
        return unreachable(type);
    }
  },
};

const keyOf = ({
  template_id: template,
  user_id: user,
}: Pick<RatingGiven, 'template_id' | 'user_id'>): string => `${template}/${user}`;

const withRating = (trace: RatedTrace, key: string, given: RatingGiven | null): RatedTrace => {
  const ratings = new Map(trace.ratings);
  const before = ratings.get(key);
  ratings.delete(key);
  if (given !== null) ratings.set(key, given);
  return { ...trace, ratings, weight: trace.weight + weightOf(given) - weightOf(before ?? null) };
};

/** Approximate weight: a rating without texts is some 300 characters of ids and times. */
const weightOf = (given: RatingGiven | null): number =>
  given === null ? 0 : 300 + (given.explanation?.length ?? 0) + JSON.stringify(given.value).length;

export const ratingBy = (
  trace: RatedTrace | null,
  template: TemplateId,
  user: UserId,
): RatingGiven | null =>
  trace?.ratings.get(keyOf({ template_id: template, user_id: user })) ?? null;

/** Action on a trace: give (or replace) the user's rating, or withdraw it. */
export type RatingAction =
  | {
      readonly kind: 'create';
      readonly template: TemplateId;
      readonly rating: Rating;
      readonly explanation: string | null;
    }
  | { readonly kind: 'delete'; readonly template: TemplateId };

/** Refusal messages of contract 4.8. */
export type RatingRefusal =
  | 'trace not found'
  | 'annotation template not found'
  | 'annotation type does not match the template'
  | 'score is outside the range of the template'
  | 'tag is not in the template'
  | 'choice is not in the template'
  | 'changed at the same time, try again';
type RatingSuccess =
  'rating recorded' | 'rating unchanged' | 'rating withdrawn' | 'no rating to withdraw';
export type RatingOutcome =
  | { readonly success: true; readonly message: RatingSuccess }
  /** `takes`: the values that the template accepts. */
  | { readonly success: false; readonly message: RatingRefusal; readonly takes?: string };

export type Rater = {
  readonly projectId: ProjectId;
  readonly userId: UserId;
  readonly at: Instant;
  /** Live templates of the project by id. */
  readonly templates: ReadonlyMap<string, TemplateFacts>;
};

/**
 * Applies one action to a trace; returns its outcome and its event, if any. Null: the trace does
 * not exist.
 */
export const applyRating = (
  trace: RatedTrace | null,
  id: TraceId,
  action: RatingAction,
  rater: Rater,
): { readonly outcome: RatingOutcome; readonly event: RatingEvent | null } => {
  if (trace === null || trace.deleted) return refusedOutcome('trace not found');
  const template = rater.templates.get(action.template);
  if (template === undefined) return refusedOutcome('annotation template not found');
  const before = ratingBy(trace, action.template, rater.userId);
  const place = {
    project_id: rater.projectId,
    trace_id: id,
    template_id: action.template,
    user_id: rater.userId,
  };
  if (action.kind === 'delete') {
    return before === null
      ? { outcome: { success: true, message: 'no rating to withdraw' }, event: null }
      : {
          outcome: { success: true, message: 'rating withdrawn' },
          event: { type: 'RatingWithdrawn', data: place },
        };
  }
  const against = complaintOf(action.rating, template.constraints);
  if (against !== null) return refusedOutcome(against, constraintSentence(template.constraints));
  const { annotation_type, value } = normalizeRating(action.rating);
  const { explanation } = action;
  const given: RatingGiven = {
    ...place,
    annotation_type,
    value,
    explanation,
    given_at: rater.at,
  };
  return before !== null && isSame(before, given)
    ? { outcome: { success: true, message: 'rating unchanged' }, event: null }
    : {
        outcome: { success: true, message: 'rating recorded' },
        event: { type: 'RatingGiven', data: given },
      };
};

const refusedOutcome = (message: RatingRefusal, takes?: string) => ({
  outcome: { success: false, message, ...(takes !== undefined && { takes }) } as const,
  event: null,
});

/** The outcome as a sentence for the client (contract 4.8). */
export const outcomeSentence = (outcome: RatingOutcome): string =>
  outcome.success || outcome.takes === undefined
    ? outcome.message
    : `${outcome.message}: it takes ${outcome.takes}`;

const constraintSentence = (constraints: Constraints): string => {
  switch (constraints.annotation_type) {
    case 'like_dislike':
      return 'like_dislike, true or false';
    case 'star':
      return 'star, 1 to 5';
    case 'text':
      return 'text';
    case 'score':
      return `score, ${constraints.min} to ${constraints.max}`;
    case 'tags':
      return `tags, ${labels(constraints.tags, constraints.allow_other)}`;
    case 'choice':
      return `choice, ${labels(constraints.choices, constraints.allow_other)}`;
    default:
      return unreachable(constraints);
  }
};
const labels = (known: readonly string[], isOpen: boolean): string => {
  const shown = known
    .slice(0, labelsShown)
    .map((label) => `'${label}'`)
    .join(', ');
  return `${shown}${known.length > labelsShown ? ' …' : ''}${isOpen ? ' or others' : ''}`;
};
const labelsShown = 20;

/** True if the rating is unchanged, so that there is no event (contract 4.8). */
const isSame = (one: RatingGiven, other: RatingGiven): boolean =>
  one.annotation_type === other.annotation_type &&
  one.explanation === other.explanation &&
  JSON.stringify(one.value) === JSON.stringify(other.value);

/** The rating with distinct tags in their order. */
const normalizeRating = (rating: Rating): Rating =>
  rating.annotation_type === 'tags' ? { ...rating, value: [...new Set(rating.value)] } : rating;

/** The reason why the template refuses this rating; null when it accepts it (contract 4.8). */
const complaintOf = (rating: Rating, constraints: Constraints): RatingRefusal | null => {
  switch (constraints.annotation_type) {
    case 'like_dislike':
    case 'star':
    case 'text':
      return rating.annotation_type === constraints.annotation_type ? null : typeMismatch;
    case 'score': {
      if (rating.annotation_type !== 'score') return typeMismatch;
      const { value } = rating;
      return constraints.min <= value && value <= constraints.max
        ? null
        : 'score is outside the range of the template';
    }
    case 'tags': {
      if (rating.annotation_type !== 'tags') return typeMismatch;
      const { allow_other: isOpen, tags } = constraints;
      return isOpen || rating.value.every((tag) => tags.includes(tag))
        ? null
        : 'tag is not in the template';
    }
    case 'choice': {
      if (rating.annotation_type !== 'choice') return typeMismatch;
      return constraints.allow_other || constraints.choices.includes(rating.value)
        ? null
        : 'choice is not in the template';
    }
    default:
      return unreachable(constraints);
  }
};

const typeMismatch = 'annotation type does not match the template';
