// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/schema-types.js';
import { event, type DataOf, type EventOf } from './schemas.js';

export const ratingEvents = {
  /** Stream `trace-<project>-<trace>`: sets the user's rating of the trace by the template. */
  RatingGiven: event('entity create', {
    project_id: id('ProjectId'),
    trace_id: id('TraceId'),
    template_id: id('TemplateId'),
    /** User who rates; for a key its creator. */
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
  }),
  RatingWithdrawn: event('entity delete', {
    project_id: id('ProjectId'),
    trace_id: id('TraceId'),
    template_id: id('TemplateId'),
    user_id: id('UserId'),
  }),
};

/** Rating events belong to the trace's stream, so every fold of it handles them. */
export type RatingEvent = EventOf<typeof ratingEvents>;

export type RatingGiven = DataOf<RatingEvent, 'RatingGiven'>;
export type RatingWithdrawn = DataOf<RatingEvent, 'RatingWithdrawn'>;
