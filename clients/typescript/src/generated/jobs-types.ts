// Written by npm run client:typescript from the contract: change that.
import type { ScoringCounts } from './scorers-types.js';

export type DeleteByMetadata = {
  readonly metadata_key: string;
  readonly metadata_value: string;

  /** Say what would be deleted, start no job. */
  readonly dry_run?: boolean | null;
};

export type DeleteByMetadataResponse = {
  readonly job_id: string | null;
  readonly message: string;
  readonly matched?: OrgJobResult;
  readonly matched_count?: number;
  readonly ids?: readonly string[];
  readonly more?: boolean;
};

export type Job = {
  readonly id: string;
  readonly job_name: 'registered_scorer_validation' | 'log_stream_scorer' | 'score_records';
  readonly project_id: string | null;
  readonly run_id: string | null;
  readonly status: 'unstarted' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
  readonly progress_percent: number;
  readonly progress_message: string | null;
  readonly steps_completed: number;
  readonly steps_total: number;
  readonly retries: number;
  readonly request_data: Readonly<Record<string, unknown>>;
  readonly error_message: string | null;
  readonly counts: ScoringCounts | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly processing_started: string | null;
  readonly completed_at: string | null;
  readonly failed_at: string | null;
};

export type OrgJob = {
  readonly id: string;
  readonly organization_id: string;
  readonly job_name: string;
  readonly status: 'pending' | 'processing' | 'completed' | 'failed';
  readonly request_data: OrgJobRequest;
  readonly created_at: string;
  readonly updated_at: string;
  readonly error_message: string | null;
  readonly created_by: string | null;
  readonly result: OrgJobResult | null;
};

export type OrgJobRequest = {
  readonly metadata_key: string;
  readonly metadata_value: string;
  readonly immediate: boolean;
};

export type OrgJobResult = {
  readonly projects: number;
  readonly sessions: number;
  readonly traces: number;
  readonly spans: number;
};
