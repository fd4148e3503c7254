import { Type, type Static } from 'typebox';
import {
  id,
  instant,
  namedSchema,
  nullable,
  oneOf,
  type Instant,
  type JsonObject,
  type ProjectId,
  type RunId,
} from '../kernel/schema-types.js';
import { operation } from './operation.js';
import { sumScoringCounts, scoringCounts, type ScoringOutcomes } from './scoring-counts.js';
import type { ScorerTaskFacts, TaskProgress } from './scorer-validation.js';

/** Name of the job, run and metric of a validation (contract 4.11, 4.12). */
export const validationName = 'registered_scorer_validation';

const percent = Type.Number({ minimum: 0, maximum: 100 });
export const job = namedSchema(
  'Job',
  Type.Object({
    id: id('JobId'),
    job_name: oneOf([validationName, 'log_stream_scorer', 'score_records']),
    /** Null, like `run_id`, for the validation of a single sample. */
    project_id: nullable(id('ProjectId')),
    run_id: nullable(id('RunId')),
    status: oneOf(['unstarted', 'in_progress', 'completed', 'failed', 'cancelled']),
    progress_percent: percent,
    progress_message: nullable(Type.String()),
    steps_completed: Type.Integer(),
    steps_total: Type.Integer(),
    retries: Type.Integer(),
    request_data: Type.Unsafe<JsonObject>(Type.Object({}, { additionalProperties: true })),
    error_message: nullable(Type.String()),
    /** Counts of records, once for each scorer; null for a validation, whose result has them. */
    counts: nullable(scoringCounts),
    created_at: instant,
    updated_at: instant,
    processing_started: nullable(instant),
    completed_at: nullable(instant),
    failed_at: nullable(instant),
  }),
);
export type Job = Static<typeof job>;

const shared = {
  section: '5.13',
  method: 'GET',
} as const;

export const getJob = operation({
  ...shared,
  operationId: 'getJob',
  summary: 'Work in the background',
  description: "The id of a validation's job is that of its task.",
  path: '/v2/jobs/{job_id}',
  requires: 'scorer-job',
  response: job,
});

export const runJobsMax = 100;
export const listRunJobs = operation({
  ...shared,
  operationId: 'listRunJobs',
  summary: 'Work in the background for a run, newest first',
  description: 'At most 100.',
  path: '/v2/projects/{project_id}/runs/{run_id}/jobs',
  requires: 'viewer',
  response: Type.Array(job, { maxItems: runJobsMax }),
});

export const jobOperations = [getJob, listRunJobs];

/** Job view of a validation: its id is the task's. */
export const validationJob = (facts: ScorerTaskFacts, progress: TaskProgress | null): Job => {
  const isEnded = facts.status === 'completed' || facts.status === 'failed';
  const steps = isEnded ? facts.steps_total : (progress?.steps ?? 0);
  return {
    id: facts.id as string as Job['id'],
    job_name: validationName,
    project_id: facts.project_id,
    run_id: facts.run_id,
    status: facts.status,
    progress_percent: isEnded ? 100 : (progress?.percent ?? 0),
    progress_message:
      facts.status === 'in_progress' ? `${steps} of ${facts.steps_total} rows` : null,
    steps_completed: facts.status === 'failed' ? 0 : steps,
    steps_total: facts.steps_total,
    retries: Math.max(0, facts.attempts - 1),
    request_data: facts.request_data,
    error_message: facts.error_message,
    counts: null,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    processing_started: facts.processing_started,
    completed_at: facts.status === 'completed' ? facts.ended_at : null,
    failed_at: facts.status === 'failed' ? facts.ended_at : null,
  };
};

/** Scoring of a run as folded from the log; steps are records, counted once for each scorer. */
export type RunScoringFacts = {
  readonly project_id: ProjectId;
  readonly run_id: RunId;
  readonly scorers: readonly string[];
  /** Outcomes by scorer id, for events that have them. */
  readonly outcomes: Readonly<Record<string, ScoringOutcomes>>;
  readonly done: number;
  /** Steps of the running job; null: none runs. */
  readonly open: number | null;
  readonly retries: number;
  readonly error_message: string | null;
  /** True while the run has code scorers. */
  readonly wanted: boolean;
  /** Log position of its last change, if after the scored position. */
  readonly unseen: { readonly position: string; readonly since: Instant } | null;
  /** Null, like the others, before the worker's first pass. */
  readonly created_at: Instant | null;
  readonly started_at: Instant | null;
  readonly updated_at: Instant | null;
  readonly ended_at: Instant | null;
};

/**
 * True while records of the run wait for scoring: known ones, or changes after the scored position.
 */
const isAtWork = ({ open, unseen }: RunScoringFacts): boolean => open !== null || unseen !== null;

const statusOf = (facts: RunScoringFacts): Job['status'] => {
  if (isAtWork(facts)) return facts.started_at === null ? 'unstarted' : 'in_progress';
  return facts.error_message === null ? 'completed' : 'failed';
};

/**
 * Job view of a run's scoring, one job with the run's id. It is in progress while anything that the
 * run logged is not scored yet, and reopens when traces come or change. Null if nothing was logged
 * since the run has scorers.
 */
export const scoringJob = (facts: RunScoringFacts): Job | null => {
  const { done, open, unseen, error_message: error, ended_at: ended } = facts;
  const created = facts.created_at ?? unseen?.since ?? null;
  if (created === null) return null;
  const total = done + (open ?? 0);
  const status = statusOf(facts);
  const isOver = status === 'completed' || status === 'failed';
  const percent = Math.floor((100 * done) / Math.max(1, total));
  return {
    id: facts.run_id as string as Job['id'],
    job_name: 'log_stream_scorer',
    project_id: facts.project_id,
    run_id: facts.run_id,
    status,
    progress_percent: isOver ? 100 : Math.min(99, percent),
    progress_message: isOver ? null : `${done} of ${total} records`,
    steps_completed: done,
    steps_total: total,
    retries: facts.retries,
    request_data: { scorers: [...facts.scorers] },
    error_message: error,
    counts: sumScoringCounts(...Object.values(facts.outcomes)),
    created_at: created,
    updated_at: facts.updated_at ?? created,
    processing_started: facts.started_at,
    completed_at: status === 'completed' ? ended : null,
    failed_at: status === 'failed' ? ended : null,
  };
};
