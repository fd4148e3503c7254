import type { RequestAuthorizer } from '../contract/request-ports.js';
import {
  roleInProject,
  strongestRole,
  type OrganizationRole,
  type Principal,
  type ProjectRole,
} from '../contract/roles.js';
import type { Filter } from '../kernel/filter.js';
import type { Documents } from '../kernel/documents.js';
import { groupList, type ListedGroup } from '../projections/group-list.js';
import { projectList, type ListedProject } from '../projections/project-list.js';

export type VisibilityNeeds = {
  readonly documents: Documents;
  /** The caller's role in the organisation, regardless of the key's restrictions. */
  readonly authorizer: Pick<RequestAuthorizer, 'visibleUser'>;
};

/** Visibility: the projects that a caller sees, according to the read models. */
export type ProjectVisibility = {
  /** Filters on `projectList`: all of them hold exactly for the visible projects. */
  readonly filters: readonly Filter[];
  /** The caller's role; null = not visible. */
  readonly roleIn: (project: ListedProject) => ProjectRole | null;
};

/** The collections that `projectVisibility` and its filters read. */
export const visibilityCollections = [projectList.collection, groupList.collection];

/** Visibility for lists: `roleInProject` as filters (contract 2.6, rule 1). */
export const projectVisibility = async (
  { documents, authorizer }: VisibilityNeeds,
  principal: Principal,
): Promise<ProjectVisibility> => {
  const { userId, key, organizationId } = principal;
  const user = await authorizer.visibleUser(principal, userId);
  const userRole: OrganizationRole = user?.role ?? principal.organizationRole;
  const seesAll = userRole === 'admin' || userRole === 'auditor';
  const mine = [userId, ...(await groupsOf(documents, organizationId, userId))];
  const isMine = new Set<string>(mine);
  return {
    filters: [
      ...(seesAll ? [] : [anyOf(mine.map((one) => contains('seen_by', one)))]),
      ...(key === null || key.projectId === null ? [] : [isId(key.projectId)]),
    ],
    roleIn: ({ facts, users, groups }) => {
      const roles = [...users, ...groups].filter(({ who }) => isMine.has(who));
      const granted = strongestRole(roles.map(({ role }) => role));
      return roleInProject(userRole, key, facts.id, granted);
    },
  };
};

/** Groups with the user as a member, without pending memberships. */
const groupsOf = async (
  documents: Documents,
  organization: string,
  user: string,
): Promise<readonly string[]> => {
  const found = await documents.find<ListedGroup>(groupList.collection, {
    scope: organization,
    filter: contains('members', user),
    limit: groupsPerUserMax,
  });
  return found.documents
    .filter(({ body }) =>
      body.members.some(({ user_id, role }) => user_id === user && role !== 'pending'),
    )
    .map(({ key }) => key);
};

/** Groups of a user that lists take into account; roles through further groups do not show. */
export const groupsPerUserMax = 1_000;

const contains = (column: string, value: string): Filter => ({
  kind: 'id',
  column,
  operator: 'contains',
  values: [value],
  caseSensitive: true,
});
const isId = (value: string): Filter => ({
  kind: 'id',
  column: 'id',
  operator: 'eq',
  values: [value],
  caseSensitive: true,
});

/** Branches of one OR: SQLite's parser limits the depth, so a flat OR of a thousand fails. */
const branchesMax = 50;
export const anyOf = (filters: readonly Filter[]): Filter =>
  filters.length <= branchesMax
    ? { any: filters }
    : anyOf(
        Array.from({ length: Math.ceil(filters.length / branchesMax) }, (_, index) => ({
          any: filters.slice(index * branchesMax, (index + 1) * branchesMax),
        })),
      );
