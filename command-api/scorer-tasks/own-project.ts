import type { Principal } from '../../contract/roles.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { Decision } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Ids } from '../../kernel/ports.js';
import { claim, reservation, type Standing } from '../../kernel/reservation.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { projects, projectStream } from '../facts/projects.js';
import { reservationStream } from '../facts/reservations.js';

type Needs = { readonly log: EventLog; readonly ids: Pick<Ids, 'derive'> };

/**
 * The caller's own live project of that name, made when missing; the same one for all their
 * requests at once, because its id follows from the name and from how often it was made before.
 * Throws Fault `already-exists` when the name is another one's.
 */
export const ensureOwnProject = async (
  { log, ids }: Needs,
  { userId, organizationId }: Principal,
  name: string,
  authorship: Authorship,
): Promise<ProjectId> => {
  const names = reservationStream('project', ids.derive('Reservation', organizationId, name));
  const held = await load(log, names, reservation);
  if (held.state.holder !== null) {
    const { state } = await load(log, projectStream(held.state.holder), projects);
    if (state?.live === true && state.name === name) return ownedBy(userId, state);
  }
  const standing = async (holder: string): Promise<Standing> => {
    const { state } = await load(log, projectStream(holder), projects);
    if (state !== null && !state.live) return 'gone';
    return state?.name === name ? 'has it' : 'may come';
  };
  const id = ids.derive('ProjectId', organizationId, userId, name, String(held.revision));
  const isMine = await claim(log, names, id, standing, authorship);
  const holder = isMine ? id : (await load(log, names, reservation)).state.holder;
  if (holder === null) throw new Fault('conflict', 'Try again');
  const { state } = await transact(
    log,
    projectStream(holder),
    projects,
    (project): Decision<ProjectEvent> =>
      project !== null || holder !== id
        ? []
        : [
            {
              type: 'ProjectCreated',
              data: {
                project_id: id,
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
  if (state === null) throw new Fault('conflict', 'Try again');
  return ownedBy(userId, state);
};

const ownedBy = (
  user: Principal['userId'],
  project: { readonly id: ProjectId; readonly createdBy: Principal['userId'] },
): ProjectId => {
  if (project.createdBy === user) return project.id;
  throw new Fault('already-exists', 'Somebody else has a project of the name for validations');
};
