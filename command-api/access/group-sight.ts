import type { OrganizationRole, Principal, Sight } from '../../contract/roles.js';
import { atLeast, organizationRoles } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import { load } from '../../kernel/transact.js';
import { groups, type Group } from './groups.js';
import { groupStream } from './streams.js';

/** The group as the log has it now; null when there is none or it was deleted. */
export const groupOf = async (log: EventReader, id: string): Promise<Group | null> => {
  const { state } = await load(log, groupStream(id), groups);
  return state?.live === true ? state : null;
};

/** `manager` and `admin` see and change every group of their organisation (contract 2.6). */
export const overGroups = (role: OrganizationRole): boolean =>
  atLeast(organizationRoles, role, 'manager');

/**
 * Contract 2.6: a hidden group of others is out of sight; a bound key is refused after that, since
 * it has no rights in the organisation.
 */
export const groupSight =
  (log: EventReader) =>
  async (principal: Principal, id: string): Promise<Sight> => {
    const group = await groupOf(log, id);
    if (group === null || !isSeen(group, principal)) return 'unseen';
    return isBound(principal) ? 'forbidden' : 'allowed';
  };

export const maintainerSight =
  (log: EventReader) =>
  async (principal: Principal, id: string): Promise<Sight> => {
    const group = await groupOf(log, id);
    if (group === null || !isSeen(group, principal)) return 'unseen';
    return !isBound(principal) && maintains(group, principal) ? 'allowed' : 'forbidden';
  };

const isSeen = (group: Group, principal: Principal): boolean =>
  group.organizationId === principal.organizationId &&
  (group.visibility !== 'hidden' ||
    group.members.has(principal.userId) ||
    overGroups(principal.organizationRole));

export const maintains = (group: Group, principal: Principal): boolean =>
  overGroups(principal.organizationRole) ||
  group.members.get(principal.userId)?.role === 'maintainer';

const isBound = ({ key }: Principal): boolean => key !== null && key.projectId !== null;
