import type { OrgJobResult } from '../../contract/org-jobs.js';
import type { OrgJobEvent, OrgJobRequested } from '../../events/org-jobs.js';
import type { Decide } from '../../kernel/decision.js';
import type { OrgJobId } from '../../kernel/schema-types.js';
import type { OrgJob } from '../facts/org-jobs.js';

type DecideOrgJob = Decide<OrgJob | null, OrgJobEvent>;

export const requestOrgJob =
  (job: OrgJobRequested): DecideOrgJob =>
  (known) =>
    known === null ? [{ type: 'OrgJobRequested', data: job }] : [];

export const beginOrgJob =
  (job_id: OrgJobId): DecideOrgJob =>
  (job) =>
    job?.status === 'pending' ? [{ type: 'OrgJobStarted', data: { job_id } }] : [];

export const completeOrgJob =
  (job_id: OrgJobId, result: OrgJobResult): DecideOrgJob =>
  (job) =>
    job?.status === 'processing' ? [{ type: 'OrgJobCompleted', data: { job_id, ...result } }] : [];

export const failOrgJob =
  (job_id: OrgJobId, reason: string): DecideOrgJob =>
  (job) =>
    job?.status === 'pending' || job?.status === 'processing'
      ? [{ type: 'OrgJobFailed', data: { job_id, reason } }]
      : [];
