import type { OrgJobStatus } from '../../contract/org-jobs.js';
import type { Principal, ProjectRole, Visibility } from '../../contract/roles.js';
import type { OrgJobEvent, OrgJobRequested } from '../../events/org-jobs.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { type EventReader, streamNameOf, type StreamName } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';

export const orgJobStream = (id: string): StreamName => streamNameOf('org-job', id);

/** State of a job; null before it was requested. */
export type OrgJob = { readonly request: OrgJobRequested; readonly status: OrgJobStatus };

export const orgJobs: Fold<OrgJob | null, OrgJobEvent> = {
  initial: null,
  evolve: (job, { type, data }) => {
    switch (type) {
      case 'OrgJobRequested':
        return { request: data, status: 'pending' };
      case 'OrgJobStarted':
        return job && { ...job, status: 'processing' };
      case 'OrgJobCompleted':
        return job && { ...job, status: 'completed' };
      case 'OrgJobFailed':
        return job && { ...job, status: 'failed' };
      default:
        return unreachable(type);
    }
  },
};

/**
 * Visibility of a job: everyone of its organisation; a bound key only as owner of its project
 * (contract 2.6). `roleIn`: the caller's role in a project.
 */
export const orgJobVisibilityRule =
  (
    log: EventReader,
    roleIn: (principal: Principal, project: ProjectId) => Promise<ProjectRole | null>,
  ) =>
  async (principal: Principal, id: string): Promise<Visibility> => {
    const { state: job } = await loadStreamState(log, orgJobStream(id), orgJobs);
    if (job?.request.organization_id !== principal.organizationId) return 'unseen';
    const bound = principal.key?.projectId ?? null;
    return bound === null || (await roleIn(principal, bound)) === 'owner' ? 'allowed' : 'forbidden';
  };
