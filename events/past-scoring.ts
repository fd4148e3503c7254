// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { NodeType } from '../kernel/sandbox.js';
import { id, instant, nullable, readonlyRecord, type JsonObject } from '../kernel/schema-types.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

/** Stream `past-scoring-<run>-<scorer>`: scoring backfill, one job after the other. */
const backfillMembers = {
  job_id: id('JobId'),
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  scorer_id: id('ScorerId'),
};
/** Failures that share these three, and their first record. */
const failure = Type.Object({
  error_code: Type.Integer(),
  /** Type of the exception, if there was one. */
  type: Type.String(),
  line: nullable(Type.Integer()),
  count: Type.Integer(),
  trace_id: id('TraceId'),
  record_id: Type.String(),
});

export const pastScoringEvents = {
  PastScoringRequested: event('entity create', {
    ...backfillMembers,
    organization_id: id('OrganizationId'),
    scorer_name: Type.String(),
    /** Newest version at that time; the job ends when a newer one comes. */
    version: Type.Integer(),
    /** Traces of the run to score: filters and window as they were sent. */
    selection: Type.Unsafe<JsonObject>(Type.Object({})),
    /** Null: those of the scorer. */
    scoreable_node_types: nullable(Type.Array(Type.Unsafe<NodeType>(Type.String()))),
    created_by: id('UserId'),
    created_at: instant,
  }),
  PastScoringStarted: event('entity update', {
    ...backfillMembers,
    /** Number of traces. */
    traces: Type.Integer(),
    started_at: instant,
  }),
  /** A batch of the traces is finished, with the outcomes of its records. */
  PastScoringAdvanced: event(
    'entity update',
    {
      ...backfillMembers,
      /** Cursor of the next batch, in the record engine's form; null: the last batch. */
      place: nullable(Type.String()),
      traces: Type.Integer(),
      scored: Type.Integer(),
      skipped: Type.Integer(),
      failed: Type.Integer(),
      failures: Type.Array(failure),
      /** Failures by reason; absent from older events. */
      failed_by: Type.Optional(readonlyRecord(Type.Integer())),
      advanced_at: instant,
    },
    { isTechnical: true },
  ),
  PastScoringEnded: event('entity update', {
    ...backfillMembers,
    /** Reason why it could not go on; null: it finished. */
    reason: nullable(Type.String()),
    ended_at: instant,
  }),
  PastScoringCancelled: event('entity update', {
    ...backfillMembers,
    cancelled_by: id('UserId'),
    cancelled_at: instant,
  }),
};

export const pastScoringNoun: Noun = {
  stream: { name: 'past-scoring-<run>-<scorer>', subject: 'run', erasedWith: 'run' },
  events: pastScoringEvents,
};

export type PastScoringEvent = EventOf<typeof pastScoringEvents>;
export type PastScoringRequested = DataOf<PastScoringEvent, 'PastScoringRequested'>;
export type PastScoringAdvanced = DataOf<PastScoringEvent, 'PastScoringAdvanced'>;
export type ScoringFailure = PastScoringAdvanced['failures'][number];
