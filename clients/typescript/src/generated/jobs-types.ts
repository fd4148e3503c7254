// Written by npm run generate from the contract: change that.
import type { ScoringCounts } from './scorers-types.js';

export type DeleteByMetadata = {
  /** Key of the `user_metadata` entry, 1 to 256 characters. */
  readonly metadata_key: string;
  /** Value of the `user_metadata` entry, at most 4,096 characters. */
  readonly metadata_value: string;
  /** Say what would be deleted, start no job. Default: false. */
  readonly dry_run?: boolean | null;
};

export type DeleteByMetadataResponse = {
  /** Job to poll; null: a dry run starts none. */
  readonly job_id: string | null;
  /** One sentence about what was done. */
  readonly message: string;
  /** Number of objects that match, by kind; null unless a dry run. */
  readonly matched?: OrgJobResult;
  /** Sessions and traces that match a dry run. */
  readonly matched_count?: number;
  /** Ids that match a dry run, the first 1,000, sessions before traces. */
  readonly ids?: readonly string[];
  /** True when more records match than were counted. */
  readonly more?: boolean;
};

export type Job = {
  /** Id of the job; of a validation the id of its task. */
  readonly id: string;
  /** Kind of the job. */
  readonly job_name: 'registered_scorer_validation' | 'log_stream_scorer' | 'score_records';
  /** Project that the job works in; null: none. */
  readonly project_id: string | null;
  /** Run that the job works on; null: none. */
  readonly run_id: string | null;
  /** State of the job; the last three are final. */
  readonly status: 'unstarted' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** Progress in per cent, 0 to 100; never falls. */
  readonly progress_percent: number;
  /** Step that the job is at; null: none to tell. */
  readonly progress_message: string | null;
  /** Number of steps that are done. */
  readonly steps_completed: number;
  /** Number of steps of the job. */
  readonly steps_total: number;
  /** Number of times that the job was started anew. */
  readonly retries: number;
  /** Request that started the job. */
  readonly request_data: Readonly<Record<string, unknown>>;
  /** Reason of the failure; null: no failure. */
  readonly error_message: string | null;
  /** Records by what became of them; null for a validation. */
  readonly counts: ScoringCounts | null;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Time at which work began; null: not yet. */
  readonly processing_started: string | null;
  /** Time at which the job completed; null: it did not. */
  readonly completed_at: string | null;
  /** Time at which the job failed; null: it did not. */
  readonly failed_at: string | null;
};

export type OrgJob = {
  /** Id of the job. */
  readonly id: string;
  /** Organisation in whose projects the job deletes. */
  readonly organization_id: string;
  /** Kind of the job: `delete_by_metadata`. */
  readonly job_name: string;
  /** State of the job; `completed` and `failed` are final. */
  readonly status: 'pending' | 'processing' | 'completed' | 'failed';
  /** Request that started the job. */
  readonly request_data: OrgJobRequest;
  /** Time of creation, in UTC to the microsecond. */
  readonly created_at: string;
  /** Time of the last change, in UTC to the microsecond. */
  readonly updated_at: string;
  /** Reason of the failure; null: no failure. */
  readonly error_message: string | null;
  /** Id of the user who started it; null: the user was removed. */
  readonly created_by: string | null;
  /** Number of objects deleted so far, by kind; null while pending. */
  readonly result: OrgJobResult | null;
};

export type OrgJobRequest = {
  /** Key of the `user_metadata` entry, 1 to 256 characters. */
  readonly metadata_key: string;
  /** Value of the entry; `[redacted]` except for `admin`. */
  readonly metadata_value: string;
  /** True: the job went before others. */
  readonly immediate: boolean;
};

export type OrgJobResult = {
  /** Number of projects with deleted records. */
  readonly projects: number;
  /** Number of sessions that were deleted so far. */
  readonly sessions: number;
  /** Number of traces that were deleted so far. */
  readonly traces: number;
  /** Number of spans that were deleted so far. */
  readonly spans: number;
};
