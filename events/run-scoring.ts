// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import { id, instant, nullable, readonlyRecord } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

/** Outcomes by scorer id since the job's previous event: once for each record. */
const outcomes = readonlyRecord(
  Type.Object({
    scored: Type.Integer(),
    /** Records deleted during scoring. */
    skipped: Type.Integer(),
    /** Failures by reason. */
    failed: readonlyRecord(Type.Integer()),
  }),
);

export const runScoringEvents = {
  /**
   * Stream `run-scoring-<run>`: scorers of the run's settings began to score that many new or
   * changed records. One that follows another without an end in between replaces it.
   */
  RunScoringStarted: event('entity create', {
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    /** Names of the scorers. */
    scorers: Type.Array(Type.String()),
    /** Records, counted once for each scorer. */
    steps: Type.Integer(),
    /** `steps` by scorer id; absent from older events. */
    waiting: Type.Optional(readonlyRecord(Type.Integer())),
    /** True if the worker continues its own job; absent: another worker, or the first start. */
    goes_on: Type.Optional(Type.Literal(true)),
    started_at: instant,
  }),
  /** A batch is finished, and more of the run waits. */
  RunScoringAdvanced: event(
    'entity update',
    {
      project_id: id('ProjectId'),
      run_id: id('RunId'),
      outcomes,
      /** Known waiting records, by scorer id. */
      waiting: readonlyRecord(Type.Integer()),
      advanced_at: instant,
    },
    { isTechnical: true },
  ),
  /** All known records were scored; one that could not be has an error of its own. */
  RunScoringEnded: event('entity update', {
    project_id: id('ProjectId'),
    run_id: id('RunId'),
    /** Reason why nothing could be scored; null: none. */
    error_message: nullable(Type.String()),
    /** Absent, like `through`, from older events. */
    outcomes: Type.Optional(outcomes),
    /** Log position through which the run's records were scored. */
    through: Type.Optional(Type.String()),
    ended_at: instant,
  }),
};

export const runScoringNoun: Noun = {
  stream: { name: 'run-scoring-<run>', subject: 'run', erasedWith: 'run' },
  events: runScoringEvents,
};

export type RunScoringEvent = EventOf<typeof runScoringEvents>;

export type RunScoringAdvanced = DataOf<RunScoringEvent, 'RunScoringAdvanced'>;
export type RunScoringStarted = DataOf<RunScoringEvent, 'RunScoringStarted'>;
