import type {
  PastScoringAdvanced,
  PastScoringEvent,
  PastScoringRequested,
} from '../../events/past-scoring.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { Instant, UserId } from '../../kernel/shapes.js';
import type { PastScoring } from '../facts/past-scoring.js';

type Decides = Decide<PastScoring | null, PastScoringEvent>;

/** Quiet when the same is at work; one job of a run and a scorer at a time. */
export const request =
  (asked: PastScoringRequested): Decides =>
  (job) => {
    if (job === null || job.over) return [{ type: 'PastScoringRequested', data: asked }];
    if (isSame(job.asked, asked)) return [];
    return reject('conflict', `Job ${job.asked.job_id} scores this run with this scorer already`);
  };

const isSame = (one: PastScoringRequested, other: PastScoringRequested): boolean =>
  one.version === other.version &&
  JSON.stringify([one.selection, one.scoreable_node_types]) ===
    JSON.stringify([other.selection, other.scoreable_node_types]);

/** What names a job in its events. */
type JobPlace = Pick<PastScoringRequested, 'job_id' | 'project_id' | 'run_id' | 'scorer_id'>;
export const placeOf = ({ job_id, project_id, run_id, scorer_id }: JobPlace): JobPlace => ({
  job_id,
  project_id,
  run_id,
  scorer_id,
});

/** Of the job that is named, while it is at work; quiet otherwise. */
const ofOpen =
  ({ job_id }: JobPlace, events: (job: PastScoring) => readonly PastScoringEvent[]): Decides =>
  (job) =>
    job === null || job.over || job.asked.job_id !== job_id ? [] : events(job);

/** Quiet when it has ended, or was cancelled before. */
export const cancel = (place: JobPlace, by: UserId, at: Instant): Decides =>
  ofOpen(place, () => [
    {
      type: 'PastScoringCancelled',
      data: { ...placeOf(place), cancelled_by: by, cancelled_at: at },
    },
  ]);

export const begin = (place: JobPlace, traces: number, at: Instant): Decides =>
  ofOpen(place, ({ started }) =>
    started
      ? []
      : [{ type: 'PastScoringStarted', data: { ...placeOf(place), traces, started_at: at } }],
  );

/** Quiet when another worker did this stretch. */
export const advance = (from: string | null, made: PastScoringAdvanced): Decides =>
  ofOpen(made, ({ place, through }) =>
    through || place !== from ? [] : [{ type: 'PastScoringAdvanced', data: made }],
  );

export const end = (place: JobPlace, reason: string | null, at: Instant): Decides =>
  ofOpen(place, () => [
    { type: 'PastScoringEnded', data: { ...placeOf(place), reason, ended_at: at } },
  ]);
