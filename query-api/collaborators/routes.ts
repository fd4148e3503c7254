import {
  groupCollaboratorAnswer,
  listCollaborators,
  listGroupCollaborators,
  userCollaboratorAnswer,
} from '../../contract/collaborators.js';
import { readRoute, type Route } from '../../contract/operation.js';
import {
  isRoleAtLeast,
  organizationRoles,
  type Principal,
  type ProjectRole,
} from '../../contract/roles.js';
import type { Documents } from '../../kernel/documents.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { groupList, type ListedGroup } from '../../projections/group-list.js';
import { projectList, type ListedProject } from '../../projections/project-list.js';
import { userList } from '../../projections/user-list.js';
import { pageOfRows } from '../listings.js';
import { readUserBlocks } from '../user-blocks.js';

type Needs = { readonly documents: Documents };

/** Reads of collaborators (contract 5.4); users by e-mail, groups by name. */
export const collaboratorReads = (needs: Needs): readonly Route[] => [
  listing(needs),
  listingGroups(needs),
];

const listing = ({ documents }: Needs): Route =>
  readRoute(
    listCollaborators,
    [projectList.collection, userList.collection],
    async ({ params, query, principal, project }) => {
      const { users } = await readCollaborators(documents, principal, params.project_id);
      const ids = users.map(({ who }) => who);
      const people = await readUserBlocks(documents, principal.organizationId, ids);
      const shown = users.flatMap((one) => {
        const user = people.get(one.who) ?? null;
        return user === null
          ? []
          : [userCollaboratorAnswer(one, user, viewerOf(principal, project?.role))];
      });
      const { rows, measure } = pageOfRows(shown, query, ({ email }) => email);
      return { body: { ...measure, collaborators: [...rows] } };
    },
  );

const listingGroups = ({ documents }: Needs): Route =>
  readRoute(
    listGroupCollaborators,
    [projectList.collection, groupList.collection],
    async ({ params, query, principal, project }) => {
      const { groups } = await readCollaborators(documents, principal, params.project_id);
      const found = await documents.load(
        groupList.collection,
        groups.map(({ who }) => who),
      );
      const shown = groups.flatMap((one) => {
        const group = found.get(one.who)?.body as ListedGroup | undefined;
        return group === undefined || !isVisible(group, principal, project?.role)
          ? []
          : [groupCollaboratorAnswer(one, group.facts, viewerOf(principal, project?.role))];
      });
      const { rows, measure } = pageOfRows(shown, query, ({ group_name }) => group_name);
      return { body: { ...measure, collaborators: [...rows] } };
    },
  );

const readCollaborators = async (
  documents: Documents,
  { organizationId }: Principal,
  id: ProjectId,
): Promise<Pick<ListedProject, 'users' | 'groups'>> => {
  const found = await documents.get<ListedProject>(projectList.collection, id);
  return found?.scope === organizationId ? found.body : { users: [], groups: [] };
};

const viewerOf = ({ userId }: Principal, role: ProjectRole = 'viewer') => ({ role, userId });

/**
 * True if the caller may see the group: project owners see all, others no hidden groups that they
 * are not in.
 */
const isVisible = (
  { facts, members }: ListedGroup,
  { userId, organizationRole }: Principal,
  role: ProjectRole = 'viewer',
): boolean =>
  facts.visibility !== 'hidden' ||
  role === 'owner' ||
  isRoleAtLeast(organizationRoles, organizationRole, 'manager') ||
  members.some(({ user_id }) => user_id === userId);
