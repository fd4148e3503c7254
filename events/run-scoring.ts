// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, readonlyRecord } from '../kernel/schema-types.js';
import type { DataOf, EventOf } from './schemas.js';

/** By scorer id, since the job's event before: once for each record. */
const outcomes = readonlyRecord(
  Type.Object({
    scored: Type.Integer(),
    /** Deleted while they were scored. */
    skipped: Type.Integer(),
    /** By reason. */
    failed: readonlyRecord(Type.Integer()),
  }),
);

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
    /** The same by scorer id; absent from events from before outcomes were counted. */
    waiting: Type.Optional(readonlyRecord(Type.Integer())),
    /** The worker that began the job goes on with it; absent: another one, or the first. */
    goes_on: Type.Optional(Type.Literal(true)),
    started_at: instant,
  }),
  /** A turn is over, and more of the run waits. */
  RunScoringAdvanced: Type.Object({
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    outcomes,
    /** Of those that were known, by scorer id. */
    waiting: readonlyRecord(Type.Integer()),
    advanced_at: instant,
  }),
  /** All of them were looked at; a record that could not be scored has an error of its own. */
  RunScoringEnded: Type.Object({
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    /** Why nothing could be scored; null: it could. */
    error_message: nullable(Type.String()),
    /** Absent, as is `through`, from events from before outcomes were counted. */
    outcomes: Type.Optional(outcomes),
    /**
     * Position in the log: whatever the run had logged up to there was looked at.
     */
    through: Type.Optional(Type.String()),
    ended_at: instant,
  }),
};

export type RunScoringEvent = EventOf<typeof runScoringEvents>;

export type RunScoringAdvanced = DataOf<RunScoringEvent, 'RunScoringAdvanced'>;
export type RunScoringStarted = DataOf<RunScoringEvent, 'RunScoringStarted'>;
