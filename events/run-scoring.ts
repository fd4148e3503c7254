// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable } from '../kernel/shapes.js';
import type { DataOf, EventOf } from './schemas.js';

export const runScoringEvents = {
  /**
   * Stream `run-scoring-<run>`: scorers of the run's settings began to look at that many new or
   * changed records. One that follows another without an end in between takes its place.
   */
  RunScoringStarted: Type.Object({
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    /** Names of the scorers. */
    scorers: Type.Array(Type.String()),
    /** Records, counted once for each scorer. */
    steps: Type.Integer(),
    started_at: instant,
  }),
  /** All of them were looked at; a record that could not be scored has an error of its own. */
  RunScoringEnded: Type.Object({
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    /** Why nothing could be scored; null: it could. */
    error_message: nullable(Type.String()),
    ended_at: instant,
  }),
};

export type RunScoringEvent = EventOf<typeof runScoringEvents>;

export type RunScoringStarted = DataOf<RunScoringEvent, 'RunScoringStarted'>;
