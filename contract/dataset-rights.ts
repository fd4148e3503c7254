import type { ProjectId, UserId } from '../kernel/schema-types.js';
import {
  isRoleAtLeast,
  organizationRoles,
  projectRoles,
  type Principal,
  type ProjectRole,
} from './roles.js';

type DatasetOwnership = { readonly createdBy: UserId; readonly home: ProjectId | null };

/**
 * True if the caller may change a dataset that is visible to them (contract 2.6, rule 4).
 * `homeRole`: the caller's in its home project, null for none. A creator who has lost the right to
 * create datasets, or whose key is limited to less than editor, can only read.
 */
export const mayWriteDataset = (
  { userId, organizationRole, key }: Principal,
  { createdBy, home }: DatasetOwnership,
  homeRole: ProjectRole | null,
): boolean => {
  const isEditor =
    homeRole !== null && isRoleAtLeast<ProjectRole>(projectRoles, homeRole, 'editor');
  if (key !== null && key.projectId !== null) return isEditor && key.projectId === home;
  if (isEditor || organizationRole === 'admin') return true;
  const isLimited =
    key !== null &&
    key.projectRole !== null &&
    !isRoleAtLeast<ProjectRole>(projectRoles, key.projectRole, 'editor');
  return (
    createdBy === userId && isRoleAtLeast(organizationRoles, organizationRole, 'user') && !isLimited
  );
};

/**
 * True if the caller sees every dataset of their organisation; others are visible as one's own, or
 * through a role in a linked project. A bound key sees only through its project.
 */
export const seesAllDatasets = ({ organizationRole, key }: Principal): boolean =>
  !(key !== null && key.projectId !== null) &&
  (organizationRole === 'admin' || organizationRole === 'auditor');
export const seesOwnDatasets = ({ key }: Principal): boolean =>
  key === null || key.projectId === null;
