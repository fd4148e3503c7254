import type { OrgJobStatus } from '../../contract/org-jobs.js';
import type { Principal, ProjectRole, Sight } from '../../contract/roles.js';
import type { OrgJobEvent, OrgJobRequested } from '../../events/org-jobs.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import { type EventReader, stream, type StreamName } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { load } from '../../kernel/transact.js';

export const orgJobStream = (id: string): StreamName => stream('org-job', id);

/** A job as the log has it; null before it was requested. */
export type OrgJob = { readonly asked: OrgJobRequested; readonly status: OrgJobStatus };

export const orgJobs: Fold<OrgJob | null, OrgJobEvent> = {
  initial: null,
  evolve: (job, { type, data }) => {
    switch (type) {
      case 'OrgJobRequested':
        return { asked: data, status: 'pending' };
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
 * Contract 2.6: a job is for everybody of its organisation, for a bound key only as owner of its
 * project. `roleIn` says what the caller may do in a project.
 */
export const orgJobSight =
  (
    log: EventReader,
    roleIn: (principal: Principal, project: ProjectId) => Promise<ProjectRole | null>,
  ) =>
  async (principal: Principal, id: string): Promise<Sight> => {
    const { state: job } = await load(log, orgJobStream(id), orgJobs);
    if (job?.asked.organization_id !== principal.organizationId) return 'unseen';
    const bound = principal.key?.projectId ?? null;
    return bound === null || (await roleIn(principal, bound)) === 'owner' ? 'allowed' : 'forbidden';
  };
