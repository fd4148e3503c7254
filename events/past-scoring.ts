// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { NodeType } from '../kernel/sandbox.js';
import { id, instant, nullable, readonlyRecord, type JsonObject } from '../kernel/schema-types.js';
import type { DataOf, EventOf } from './schemas.js';

/** Stream `past-scoring-<run>-<scorer>`: one job after the other. */
const backfillMembers = {
  job_id: id('JobId'),
  project_id: id('ProjectId'),
  run_id: id('RunId'),
  scorer_id: id('ScorerId'),
};
/** Failures that have these three in common, and the first record of them. */
const failure = Type.Object({
  error_code: Type.Integer(),
  /** Of the exception, where there was one. */
  type: Type.String(),
  line: nullable(Type.Integer()),
  count: Type.Integer(),
  trace_id: id('TraceId'),
  record_id: Type.String(),
});

export const pastScoringEvents = {
  PastScoringRequested: Type.Object({
    ...backfillMembers,
    organization_id: id('OrganizationId'),
    scorer_name: Type.String(),
    /** The newest one then; the job ends when a newer one comes. */
    version: Type.Integer(),
    /** Which traces of the run: filters and window as they were sent. */
    selection: Type.Unsafe<JsonObject>(Type.Object({})),
    /** Null: those of the scorer. */
    scoreable_node_types: nullable(Type.Array(Type.Unsafe<NodeType>(Type.String()))),
    created_by: id('UserId'),
    created_at: instant,
  }),
  PastScoringStarted: Type.Object({
    ...backfillMembers,
    /** How many there were. */
    traces: Type.Integer(),
    started_at: instant,
  }),
  /** A stretch of the traces is done with: what became of its records. */
  PastScoringAdvanced: Type.Object({
    ...backfillMembers,
    /** Where the next stretch begins, as the engine of the records names it; null: at no other. */
    place: nullable(Type.String()),
    traces: Type.Integer(),
    scored: Type.Integer(),
    skipped: Type.Integer(),
    failed: Type.Integer(),
    failures: Type.Array(failure),
    /** The failed ones by reason; absent from events from before reasons were counted. */
    failed_by: Type.Optional(readonlyRecord(Type.Integer())),
    advanced_at: instant,
  }),
  PastScoringEnded: Type.Object({
    ...backfillMembers,
    /** Why it could not go on; null: it came to its end. */
    reason: nullable(Type.String()),
    ended_at: instant,
  }),
  PastScoringCancelled: Type.Object({
    ...backfillMembers,
    cancelled_by: id('UserId'),
    cancelled_at: instant,
  }),
};

export type PastScoringEvent = EventOf<typeof pastScoringEvents>;
export type PastScoringRequested = DataOf<PastScoringEvent, 'PastScoringRequested'>;
export type PastScoringAdvanced = DataOf<PastScoringEvent, 'PastScoringAdvanced'>;
export type ScoringFailure = PastScoringAdvanced['failures'][number];
