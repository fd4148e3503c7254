import type {
  PastScoringAdvanced,
  PastScoringEvent,
  PastScoringRequested,
} from '../../events/past-scoring.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Instant, UserId } from '../../kernel/schema-types.js';
import type { ScoringBackfill } from '../facts/scoring-backfill.js';

type Decides = Decide<ScoringBackfill | null, PastScoringEvent>;

/**
 * Requests a backfill; idempotent while an equal one is open. One job per run and scorer at a time.
 */
export const requestBackfill =
  (request: PastScoringRequested): Decides =>
  (job) => {
    if (job === null || job.isEnded) return [{ type: 'PastScoringRequested', data: request }];
    if (isSameRequest(job.request, request)) return [];
    return reject('conflict', `Job ${job.request.job_id} scores this run with this scorer already`);
  };

const isSameRequest = (one: PastScoringRequested, other: PastScoringRequested): boolean =>
  one.version === other.version &&
  JSON.stringify([one.selection, one.scoreable_node_types]) ===
    JSON.stringify([other.selection, other.scoreable_node_types]);

/** Ids of a job in its events. */
type BackfillJobKey = Pick<PastScoringRequested, 'job_id' | 'project_id' | 'run_id' | 'scorer_id'>;
export const backfillJobKey = ({
  job_id,
  project_id,
  run_id,
  scorer_id,
}: BackfillJobKey): BackfillJobKey => ({
  job_id,
  project_id,
  run_id,
  scorer_id,
});

/** Events for the named job if it is open; none otherwise. */
const ifOpen =
  (
    { job_id }: BackfillJobKey,
    events: (job: ScoringBackfill) => readonly PastScoringEvent[],
  ): Decides =>
  (job) =>
    job === null || job.isEnded || job.request.job_id !== job_id ? [] : events(job);

/** Cancels a job; idempotent, also after its end. */
export const cancelBackfill = (place: BackfillJobKey, by: UserId, at: Instant): Decides =>
  ifOpen(place, () => [
    {
      type: 'PastScoringCancelled',
      data: { ...backfillJobKey(place), cancelled_by: by, cancelled_at: at },
    },
  ]);

export const beginBackfill = (place: BackfillJobKey, traces: number, at: Instant): Decides =>
  ifOpen(place, ({ isStarted }) =>
    isStarted
      ? []
      : [
          {
            type: 'PastScoringStarted',
            data: { ...backfillJobKey(place), traces, started_at: at },
          },
        ],
  );

/** Records a completed page; no effect when another worker did. */
export const advanceBackfill = (from: string | null, made: PastScoringAdvanced): Decides =>
  ifOpen(made, ({ cursor, isScanned }) =>
    isScanned || cursor !== from ? [] : [{ type: 'PastScoringAdvanced', data: made }],
  );

export const endBackfill = (place: BackfillJobKey, reason: string | null, at: Instant): Decides =>
  ifOpen(place, () => [
    { type: 'PastScoringEnded', data: { ...backfillJobKey(place), reason, ended_at: at } },
  ]);
