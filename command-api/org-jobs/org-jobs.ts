import type { OrgJobResult } from '../../contract/org-jobs.js';
import type { OrgJobEvent, OrgJobRequested } from '../../events/org-jobs.js';
import type { Decide } from '../../kernel/decision.js';
import type { OrgJobId } from '../../kernel/shapes.js';
import type { OrgJob } from '../facts/org-jobs.js';

type Decides = Decide<OrgJob | null, OrgJobEvent>;

export const ask =
  (job: OrgJobRequested): Decides =>
  (known) =>
    known === null ? [{ type: 'OrgJobRequested', data: job }] : [];

export const begin =
  (job_id: OrgJobId): Decides =>
  (job) =>
    job?.status === 'pending' ? [{ type: 'OrgJobStarted', data: { job_id } }] : [];

export const complete =
  (job_id: OrgJobId, result: OrgJobResult): Decides =>
  (job) =>
    job?.status === 'processing' ? [{ type: 'OrgJobCompleted', data: { job_id, ...result } }] : [];

export const fail =
  (job_id: OrgJobId, reason: string): Decides =>
  (job) =>
    job?.status === 'pending' || job?.status === 'processing'
      ? [{ type: 'OrgJobFailed', data: { job_id, reason } }]
      : [];
