import type {
  PastScoringAdvanced,
  PastScoringEvent,
  PastScoringRequested,
} from '../../events/past-scoring.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Instant, UserId } from '../../kernel/schema-types.js';
import type { ScoringBackfill } from '../facts/scoring-backfill.js';

type Decides = Decide<ScoringBackfill | null, PastScoringEvent>;

/** Quiet when the same is at work; one job of a run and a scorer at a time. */
export const requestBackfill =
  (asked: PastScoringRequested): Decides =>
  (job) => {
    if (job === null || job.isEnded) return [{ type: 'PastScoringRequested', data: asked }];
    if (isSameRequest(job.request, asked)) return [];
    return reject('conflict', `Job ${job.request.job_id} scores this run with this scorer already`);
  };

const isSameRequest = (one: PastScoringRequested, other: PastScoringRequested): boolean =>
  one.version === other.version &&
  JSON.stringify([one.selection, one.scoreable_node_types]) ===
    JSON.stringify([other.selection, other.scoreable_node_types]);

/** What names a job in its events. */
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

/** Of the job that is named, while it is at work; quiet otherwise. */
const ifOpen =
  (
    { job_id }: BackfillJobKey,
    events: (job: ScoringBackfill) => readonly PastScoringEvent[],
  ): Decides =>
  (job) =>
    job === null || job.isEnded || job.request.job_id !== job_id ? [] : events(job);

/** Quiet when it has ended, or was cancelled before. */
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

/** Quiet when another worker did this stretch. */
export const advanceBackfill = (from: string | null, made: PastScoringAdvanced): Decides =>
  ifOpen(made, ({ cursor, isScanned }) =>
    isScanned || cursor !== from ? [] : [{ type: 'PastScoringAdvanced', data: made }],
  );

export const endBackfill = (place: BackfillJobKey, reason: string | null, at: Instant): Decides =>
  ifOpen(place, () => [
    { type: 'PastScoringEnded', data: { ...backfillJobKey(place), reason, ended_at: at } },
  ]);
