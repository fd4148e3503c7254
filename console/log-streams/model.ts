import type { Job } from '../../clients/typescript/src/generated/jobs-types.js';
import type {
  PastScoringJob,
  PastScoringRequest,
  ScoringCounts,
} from '../../clients/typescript/src/generated/scorers-types.js';
import { printCount } from '../parts/numbers.js';

/** True while the job has work left. */
export const isUnfinished = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'unstarted' || status === 'in_progress';

/** Records that failed, whatever the reason. */
const failedCount = ({ failed }: ScoringCounts): number =>
  Object.values(failed).reduce((sum, count) => sum + count, 0);

/** Counts in words: `3,844 scored · 12 failed · 40 wait`; empty where nothing was counted. */
export const countsText = (counts: ScoringCounts | null): string => {
  if (counts === null) return '';
  const parts = [
    [counts.scored, 'scored'],
    [counts.skipped, 'skipped'],
    [failedCount(counts), 'failed'],
    [counts.waiting, 'waiting'],
  ] as const;
  return parts
    .filter(([count, word]) => count > 0 || word === 'scored')
    .map(([count, word]) => `${printCount(count)} ${word}`)
    .join(' · ');
};

/** Reasons of failures with their counts, the most frequent first: `exception 12, time 1`. */
export const reasonsText = ({ failed }: ScoringCounts): string =>
  Object.entries(failed)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${reason} ${printCount(count)}`)
    .join(', ');

const jobNames: Readonly<Record<Job['job_name'], string>> = {
  log_stream_scorer: 'scoring of new records',
  score_records: 'scoring of what was there',
  registered_scorer_validation: 'validation',
};

/** Name of a job, with the scorer of a past scoring. */
export const jobText = ({ job_name, request_data }: Job): string => {
  const { scorer, version } = request_data as {
    readonly scorer?: unknown;
    readonly version?: unknown;
  };
  const name = jobNames[job_name];
  return typeof scorer === 'string' ? `${name}: ${scorer} v${String(version)}` : name;
};

/** The choice of records of a past job, to go on with it (contract 5.10). */
export const choiceOf = ({ request_data }: PastScoringJob): PastScoringRequest => {
  const { filters, filter_tree, start_time, end_time, scoreable_node_types } =
    request_data as PastScoringRequest;
  return {
    ...(filters != null && { filters }),
    ...(filter_tree != null && { filter_tree }),
    ...(start_time != null && { start_time }),
    ...(end_time != null && { end_time }),
    ...(scoreable_node_types != null && { scoreable_node_types }),
  };
};

/** Progress in words: `31 % · 3,844 scored · 12 failed · 3,856 of 12,400 traces`. */
export const progressText = (job: PastScoringJob): string =>
  [
    `${job.progress_percent} %`,
    `${printCount(job.scored)} scored`,
    ...(job.skipped > 0 ? [`${printCount(job.skipped)} skipped`] : []),
    ...(job.failed > 0 ? [`${printCount(job.failed)} failed`] : []),
    `${printCount(job.steps_completed)} of ${printCount(job.steps_total)} traces`,
  ].join(' · ');

/** Place of a failure: `ValueError, line 2`. */
export const failureText = (failure: {
  readonly type: string;
  readonly line: number | null;
}): string => (failure.line === null ? failure.type : `${failure.type}, line ${failure.line}`);
