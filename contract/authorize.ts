import type { RequestAuthorizer } from './request-ports.js';
import type { Operation } from './operation.js';
import {
  isRoleAtLeast,
  mayAudit,
  mayAuditOrganization,
  maySaveViews,
  objectRequirements,
  organizationRoles,
  projectRoles,
  type ObjectRequirement,
  type OrganizationRole,
  type Principal,
  type VisibleProject,
  type ProjectRole,
  type Requirement,
} from './roles.js';
import { Fault } from '../kernel/fault.js';
import type { ProjectId, UserId } from '../kernel/schema-types.js';

/**
 * Authorises a request (contract 2.6), the only place that does: first visibility of the object
 * (404), then the role (403). Returns the project of the path, null where the path has none.
 * Default deny.
 */
export const authorize = async (
  operation: Operation,
  principal: Principal,
  params: Readonly<Record<string, unknown>>,
  gate: RequestAuthorizer,
): Promise<VisibleProject | null> => {
  const project = await projectOf(principal, params, gate);
  try {
    await requireAccess(operation, principal, { params, project }, gate);
  } catch (error) {
    throw await withVisibleProject(error, principal, gate);
  }
  if (project === null && writesOnlyInProjects(operation, principal)) {
    throw forbiddenFault(
      'A key that is limited to less than editor writes nothing outside projects',
    );
  }
  return project;
};

/**
 * True for a key limited to less than editor, or a token issued for one: it writes nothing outside
 * projects (contract 2.4, rule 6).
 */
const writesOnlyInProjects = ({ kind, requires }: Operation, { key }: Principal): boolean =>
  kind === 'w' &&
  requires !== 'public' &&
  requires !== 'cookie' &&
  key !== null &&
  key.projectRole !== null &&
  !isRoleAtLeast<ProjectRole>(projectRoles, key.projectRole, 'editor');

type AuthorizationTarget = {
  readonly params: Readonly<Record<string, unknown>>;
  readonly project: VisibleProject | null;
};

const requireAccess = async (
  operation: Operation,
  principal: Principal,
  { params, project }: AuthorizationTarget,
  gate: RequestAuthorizer,
): Promise<void> => {
  const { requires } = operation;
  if (operation.orSelf && params['user_id'] === principal.userId && !isBound(principal)) return;
  if (requires === 'self') await requireSelf(principal, params, gate);
  else if (isAboutObject(requires)) await requireObjectVisible(requires, principal, params, gate);
  else if (requires === 'creator' && isBound(principal)) {
    if (!(await isBoundCreator(operation, principal, gate)))
      throw forbiddenFor(requires, principal);
  } else if (!isAllowed(requires, principal, project)) {
    throw forbiddenFor(requires, principal, project);
  }
};

/**
 * True if a bound key of an editor creates a dataset, the only thing it may create (contract 2.6).
 */
const isBoundCreator = async (
  { path }: Operation,
  principal: Principal,
  gate: RequestAuthorizer,
): Promise<boolean> => {
  const bound = principal.key?.projectId ?? null;
  if (bound === null || path !== '/v2/datasets') return false;
  const project = await gate.visibleProject(principal, bound);
  return project !== null && isRoleAtLeast<ProjectRole>(projectRoles, project.role, 'editor');
};

const isAboutObject = (requires: Requirement): requires is ObjectRequirement =>
  Object.hasOwn(objectRequirements, requires);

const requireObjectVisible = async (
  requires: ObjectRequirement,
  principal: Principal,
  params: Readonly<Record<string, unknown>>,
  gate: RequestAuthorizer,
): Promise<void> => {
  const param = objectRequirements[requires];
  const visibility = await gate.visibility(requires, principal, String(params[param]));
  if (visibility === 'unseen') throw new Fault('not-found', `${objectNames[param]} not found`);
  if (visibility === 'forbidden') throw forbiddenFor(requires, principal);
};

const objectNames = {
  dataset_id: 'Dataset',
  prompt_template_id: 'Prompt template',
  group_id: 'Group',
  scorer_id: 'Scorer',
  job_id: 'Job',
  task_id: 'Task',
} as const;

const forbiddenFault = (detail: string): Fault => new Fault('forbidden', detail);

/** Fault 403 that names the missing requirement (contract 1.5) and the caller's role. */
const forbiddenFor = (
  requires: Requirement,
  principal: Principal,
  project: VisibleProject | null = null,
): Fault => {
  if (requires === 'view-write') {
    return forbiddenFault('Auditors and keys limited to less than editor cannot save views');
  }
  if (requires === 'lender') {
    return forbiddenFor(isBound(principal) ? 'person' : 'editor', principal, project);
  }
  if (project !== null && projectRequirements.has(requires)) {
    return forbiddenFault(
      `This needs the role ${requires} in the project; yours is ${project.role}`,
    );
  }
  if (isBound(principal)) {
    return forbiddenFault(
      `This needs ${requirementText(requires)}; a bound key has no rights there`,
    );
  }
  const { organizationRole: role } = principal;
  return forbiddenFault(
    `This needs ${requirementText(requires)}; your role in the organisation is ${role}`,
  );
};

/** Fault for history, when the caller sees the object but may not audit it. */
export const auditForbidden = (principal: Principal, scope: 'audit-project' | 'audit-org'): Fault =>
  forbiddenFor(scope, principal);

/** Requirement in words, by the table of contract 2.6. */
const requirementText = (requires: Requirement): string =>
  requirementTexts[requires] ?? 'a greater role';

const requirementTexts: Readonly<Partial<Record<Requirement, string>>> = {
  creator: 'the role user in the organisation',
  user: 'the role user in the organisation',
  manager: 'the role manager in the organisation',
  admin: 'the role admin in the organisation',
  'audit-project': 'the role owner in the project, or auditor or admin in the organisation',
  'audit-org': 'the role auditor or admin in the organisation',
  'dataset-write': 'the creator of the dataset, an editor of its home project or an admin',
  'prompt-write': 'the creator of the template, an editor of its home project or an admin',
  'group-sight': 'a member of the group or a manager of the organisation',
  maintainer: 'a maintainer of the group or a manager of the organisation',
  'scorer-owner': 'the creator of the scorer or an admin',
  person: 'a person, or a key that is bound to no project',
};

const projectOf = async (
  principal: Principal,
  params: Readonly<Record<string, unknown>>,
  gate: RequestAuthorizer,
): Promise<VisibleProject | null> => {
  const id = params[projectParam];
  if (id === undefined) return null;
  const project = await gate.visibleProject(principal, id as ProjectId);
  if (project !== null) return project;
  throw await withVisibleProject(new Fault('not-found', 'Project not found'), principal, gate);
};

/**
 * Adds the one project that a bound key sees to every refusal of its right or of a project, so that
 * an unknown project and a foreign one read alike (contract 1.5).
 */
const withVisibleProject = async (
  error: unknown,
  principal: Principal,
  gate: RequestAuthorizer,
): Promise<unknown> => {
  const bound = principal.key?.projectId ?? null;
  if (bound === null || !(error instanceof Fault)) return error;
  const own = await gate.visibleProject(principal, bound);
  if (own === null) return error;
  return new Fault(error.code, `${error.message}. This key sees only the project ${own.name}`);
};
const projectParam = 'project_id';

const isAllowed = (
  requires: Exclude<Requirement, 'self' | ObjectRequirement>,
  principal: Principal,
  project: VisibleProject | null,
): boolean => {
  switch (requires) {
    case 'public':
    case 'signed-in':
    case 'api-key':
    // Applies to the bearer of a token only, where a token works as well as the cookie.
    case 'cookie':
    // The resource is found by its history, so the route calls `mayAudit`.
    case 'audit-resource':
      return true;
    case 'audit-project':
      return mayAudit(principal, project);
    case 'audit-org':
      return mayAuditOrganization(principal);
    case 'person':
      return !isBound(principal);
    case 'viewer':
    case 'annotator':
    case 'editor':
    case 'owner':
      return project !== null && isRoleAtLeast<ProjectRole>(projectRoles, project.role, requires);
    case 'lender':
      return !isBound(principal) && isAllowed('editor', principal, project);
    case 'view-write':
      return project !== null && maySaveViews(principal, project.role);
    case 'creator':
    case 'user':
    case 'manager':
    case 'admin':
      return (
        !isBound(principal) &&
        isRoleAtLeast<OrganizationRole>(
          organizationRoles,
          principal.organizationRole,
          requires === 'creator' ? 'user' : requires,
        )
      );
    default:
      return false;
  }
};

/** True for a bound key, which has no rights in the organisation (contract 2.4). */
const isBound = ({ key }: Principal): boolean => key !== null && key.projectId !== null;

/**
 * Requires that the user of the path is the caller or, for a manager, any user but an admin.
 * Without such a parameter the handler decides.
 */
const requireSelf = async (
  principal: Principal,
  params: Readonly<Record<string, unknown>>,
  gate: RequestAuthorizer,
): Promise<void> => {
  const id = params['user_id'] as UserId | undefined;
  if (id !== undefined && id !== principal.userId) {
    const user = await gate.visibleUser(principal, id);
    if (user === null) throw new Fault('not-found', 'User not found');
    const needed = user.role === 'admin' ? 'admin' : 'manager';
    if (!isAllowed(needed, principal, null)) throw forbiddenFor(needed, principal);
  }
  if (isBound(principal)) throw forbiddenFor('person', principal);
};

const projectRequirements: ReadonlySet<Requirement> = new Set<Requirement>([
  ...projectRoles,
  'view-write',
  'lender',
]);

/**
 * Reason why the guard cannot decide on this operation; null if it can. Checked at boot: default
 * deny.
 */
export const undecidableReason = ({ requires, path, schemes }: Operation): string | null => {
  if ((requires as string | undefined) === undefined) return 'has no requirement';
  if ((requires === 'cookie') !== schemes.includes('C')) {
    return 'declares the refresh cookie without requiring it, or requires it without declaring it';
  }
  if (projectRequirements.has(requires) && !path.includes(`{${projectParam}}`)) {
    return `requires ${requires}, but its path names no project`;
  }
  if (isAboutObject(requires) && !path.includes(`{${objectRequirements[requires]}}`)) {
    return `requires ${requires}, but its path has no ${objectRequirements[requires]}`;
  }
  if ((requires === 'public') !== (schemes.length === 0)) {
    return 'is public without being free of schemes, or the other way round';
  }
  return null;
};
