import { groupAccess } from '../../contract/groups.js';
import { maintainsGroup, type GroupAccess } from '../../contract/permissions.js';
import type { Principal, Visibility } from '../../contract/roles.js';
import type { EventReader } from '../../kernel/ports.js';
import { loadStreamState } from '../../kernel/transact.js';
import { groups, type Group, groupStream } from '../facts/groups.js';

/** The group as the log has it now; null when missing or deleted. */
export const liveGroup = async (log: EventReader, id: string): Promise<Group | null> => {
  const { state } = await loadStreamState(log, groupStream(id), groups);
  return state?.live === true ? state : null;
};

/** The caller's access to the group (contract 5.3). */
export const groupAccessOf = (group: Group, principal: Principal): GroupAccess =>
  groupAccess(group.visibility, group.members.get(principal.userId)?.role ?? null, principal);

/**
 * A hidden group of others is not visible; a bound key is refused after that, since it has no
 * rights in the organisation (contract 2.6).
 */
export const groupVisibilityRule =
  (log: EventReader) =>
  async (principal: Principal, id: string): Promise<Visibility> => {
    const group = await liveGroup(log, id);
    if (group === null || !isVisibleGroup(group, principal)) return 'unseen';
    return isBound(principal) ? 'forbidden' : 'allowed';
  };

export const maintainerVisibilityRule =
  (log: EventReader) =>
  async (principal: Principal, id: string): Promise<Visibility> => {
    const group = await liveGroup(log, id);
    if (group === null || !isVisibleGroup(group, principal)) return 'unseen';
    return !isBound(principal) && maintainsGroup(groupAccessOf(group, principal))
      ? 'allowed'
      : 'forbidden';
  };

const isVisibleGroup = (group: Group, principal: Principal): boolean => {
  if (group.organizationId !== principal.organizationId) return false;
  const { visibility, role, overGroups } = groupAccessOf(group, principal);
  return visibility !== 'hidden' || role !== null || overGroups;
};

const isBound = ({ key }: Principal): boolean => key !== null && key.projectId !== null;
