// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, nullable } from '../kernel/shapes.js';

/** Stream `trace-<project>-<trace>`: the user's rating of the trace by the template from now on. */
export const ratingGiven = Type.Object({
  project_id: id('ProjectId'),
  trace_id: id('TraceId'),
  template_id: id('TemplateId'),
  /** Whose rating it is: of a key its creator's. */
  user_id: id('UserId'),
  annotation_type: Type.Union([
    Type.Literal('like_dislike'),
    Type.Literal('star'),
    Type.Literal('score'),
    Type.Literal('tags'),
    Type.Literal('text'),
    Type.Literal('choice'),
  ]),
  value: Type.Union([Type.Boolean(), Type.Number(), Type.String(), Type.Array(Type.String())]),
  explanation: nullable(Type.String()),
  given_at: instant,
});
export const ratingWithdrawn = Type.Object({
  project_id: id('ProjectId'),
  trace_id: id('TraceId'),
  template_id: id('TemplateId'),
  user_id: id('UserId'),
});

export type RatingGiven = Static<typeof ratingGiven>;
export type RatingWithdrawn = Static<typeof ratingWithdrawn>;

/** They are of the trace's stream, so every fold of it knows them. */
export type RatingEvent =
  | { readonly type: 'RatingGiven'; readonly data: RatingGiven }
  | { readonly type: 'RatingWithdrawn'; readonly data: RatingWithdrawn };
