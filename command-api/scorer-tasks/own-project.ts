import type { Principal } from '../../contract/roles.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { Decision } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { transact, type Authorship } from '../../kernel/transact.js';
import { projectNames, projects, projectStream } from '../facts/projects.js';

type Needs = { readonly log: EventLog; readonly ids: Pick<Ids, 'derive'> };

/**
 * The caller's own live project of that name, created when missing. Concurrent requests get the
 * same one: its id is derived from the name and from how often it was created before. Throws Fault
 * `already-exists` when another user has the name.
 */
export const ensureOwnProject = async (
  { log, ids }: Needs,
  { userId, organizationId }: Principal,
  name: string,
  authorship: Authorship,
): Promise<ProjectId> => {
  const names = { scope: organizationId, name };
  const known = await projectNames.find({ log, ids }, names);
  if (known !== null) return ownedBy(userId, known);
  const idAfter = (revision: string) =>
    ids.derive('ProjectId', organizationId, userId, name, revision);
  const mine = await projectNames.settle({ log, ids }, names, idAfter, authorship);
  const { state } = await transact(
    log,
    projectStream(mine.holder),
    projects,
    (project): Decision<ProjectEvent> =>
      project !== null || !mine.isDerived
        ? []
        : [
            {
              type: 'ProjectCreated',
              data: {
                project_id: mine.holder as ProjectId,
                organization_id: organizationId,
                name,
                type: 'gen_ai',
                created_by: userId,
                created_at: authorship.at,
              },
            },
          ],
    authorship,
  );
  if (state === null)
    throw new Fault('conflict', 'Your project for validations was changed concurrently; try again');
  return ownedBy(userId, state);
};

const ownedBy = (
  user: Principal['userId'],
  project: { readonly id: ProjectId; readonly createdBy: Principal['userId'] },
): ProjectId => {
  if (project.createdBy === user) return project.id;
  throw new Fault(
    'already-exists',
    'Another user has a project with the name reserved for your validations',
  );
};
