import type { CurrentUser } from '../../clients/typescript/src/generated/logins-types.js';
import type { Permission, Project } from '../../clients/typescript/src/generated/projects-types.js';
import type {
  ReadRequirements,
  WriteRequirements,
} from '../../clients/typescript/src/generated/requirements.js';

type RequirementIn<T> = { [N in keyof T]: T[N][keyof T[N]] }[keyof T];

/** Requirement of an operation, as the contract names it (2.6). */
export type Requirement = RequirementIn<ReadRequirements> | RequirementIn<WriteRequirements>;

/** Whether the caller meets a requirement, which the type names, and the reason if not. */
export type Permit<R extends Requirement = Requirement> = {
  readonly requires: R;
  readonly isAllowed: boolean;
  /** Null where it is allowed, and while it is not known yet. */
  readonly reason: string | null;
};

/** The permit by a reason against it; null: allowed. */
export const permitUnless = <R extends Requirement>(
  requires: R,
  reason: string | null,
): Permit<R> => ({ requires, isAllowed: reason === null, reason });

/** The permit while the facts that decide are on their way. */
export const unknownPermit = <R extends Requirement>(requires: R): Permit<R> => ({
  requires,
  isAllowed: false,
  reason: null,
});

/** The permit by an action among the `permissions` of an answer (contract 3.10). */
export const shownPermit = <R extends Requirement>(
  requires: R,
  permissions: readonly Permission[],
  action: string,
): Permit<R> => {
  const found = permissions.find((permission) => permission.action === action);
  const isAllowed = found?.allowed ?? false;
  return { requires, isAllowed, reason: found?.message ?? null };
};

/** Roles in a project, the weakest first; each includes those before it (contract 2.6). */
export const projectRoles = ['viewer', 'annotator', 'editor', 'owner'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** Whether the caller has that role in the project, or a greater one. */
export const projectPermit = <R extends ProjectRole>(
  project: Pick<Project, 'role'> | undefined,
  needed: R,
): Permit<R> => {
  if (project === undefined) return unknownPermit(needed);
  const { role } = project;
  const isEnough = projectRoles.indexOf(role) >= projectRoles.indexOf(needed);
  return permitUnless(needed, isEnough ? null : `Needs the role ${needed}; yours is ${role}`);
};

/** Whether the caller may lend an integration to the project: as an editor, by no bound key. */
export const lenderPermit = (
  caller: Caller | undefined,
  project: Pick<Project, 'role'> | undefined,
): Permit<'lender'> => {
  if (caller === undefined || project === undefined) return unknownPermit('lender');
  const { reason } = projectPermit(project, 'editor');
  return permitUnless('lender', reason ?? personPermit(caller, 'person').reason);
};

/** Whether the caller may change a dataset, its rows and its name. */
export const datasetPermit = (dataset: WithPermissions): Permit<'dataset-write'> =>
  shownPermit('dataset-write', dataset.permissions, 'update');

type WithPermissions = { readonly permissions: readonly Permission[] };

/** Caller, with the credential of this tab. */
export type Caller = Pick<CurrentUser, 'role' | 'credential'>;

/**
 * Why a write outside of projects is refused to this credential, if it is: to keys that are bound,
 * or limited to less than editor (contract 2.4, rule 6).
 */
const credentialReason = ({ project_id, project_role }: CurrentUser['credential']) => {
  if (project_id !== null) return boundReason;
  const isLimited = project_role === 'viewer' || project_role === 'annotator';
  return isLimited ? keyLimitReason(project_role) : null;
};

const boundReason = 'You are signed in by a key that is bound to one project';

/** Why a key of less than editor may not do what others with its creator's role may. */
export const keyLimitReason = (limit: 'viewer' | 'annotator'): string =>
  `You are signed in by a key that is limited to ${limit}`;

/** Whether the credential of this tab may read what is for people: a bound key may not. */
export const personPermit = <R extends 'self' | 'person'>(
  caller: Caller | undefined,
  requires: R,
): Permit<R> =>
  caller === undefined
    ? unknownPermit(requires)
    : permitUnless(requires, caller.credential.project_id === null ? null : boundReason);

/** Whether the caller may read the history of the organisation (contract 2.6). */
export const auditPermit = (caller: Caller | undefined): Permit<'audit-org'> => {
  if (caller === undefined) return unknownPermit('audit-org');
  const { role, credential } = caller;
  const isAuditor = role === 'auditor' || role === 'admin';
  const isWhole = credential.project_id === null && credential.project_role === null;
  const reason = !isAuditor ? `Needs the role auditor or admin; yours is ${role}` : keyReason;
  return permitUnless('audit-org', isAuditor && isWhole ? null : reason);
};
const keyReason = 'You are signed in by a key with less rights than yours';

/** Whether the caller may read the history of the project. */
export const projectAuditPermit = (
  caller: Caller | undefined,
  project: Pick<Project, 'role'> | undefined,
): Permit<'audit-project'> => {
  if (caller === undefined || project === undefined) return unknownPermit('audit-project');
  const isAllowed = project.role === 'owner' || auditPermit(caller).isAllowed;
  const reason = `Needs the role owner, or auditor of the organisation; yours is ${project.role}`;
  return permitUnless('audit-project', isAllowed ? null : reason);
};

/** Whether the credential of this tab may change what is the caller's own, outside of projects. */
export const ownPermit = <R extends 'self' | 'person' | 'api-key'>(
  caller: Caller | undefined,
  requires: R,
): Permit<R> =>
  caller === undefined
    ? unknownPermit(requires)
    : permitUnless(requires, credentialReason(caller.credential));

/** Roles of the organisation, the weakest first (contract 2.6). */
export const organizationRoles = ['read_only', 'auditor', 'user', 'manager', 'admin'] as const;

/** Whether the caller may do what this role of the organisation may. */
export const organizationPermit = <R extends 'creator' | 'user' | 'manager'>(
  caller: Caller | undefined,
  requires: R,
): Permit<R> => {
  if (caller === undefined) return unknownPermit(requires);
  const { role, credential } = caller;
  const needed: (typeof organizationRoles)[number] = requires === 'creator' ? 'user' : requires;
  const isEnough = organizationRoles.indexOf(role) >= organizationRoles.indexOf(needed);
  if (!isEnough) return permitUnless(requires, `Needs the role ${needed}; yours is ${role}`);
  // A key with a role has the rights of a user at most (contract 2.4, rule 4).
  const isAtMostUser = needed === 'manager' && credential.project_role !== null;
  return permitUnless(requires, isAtMostUser ? keyReason : credentialReason(credential));
};

/** For what needs no login. */
export const publicPermit = permitUnless('public', null);
/** For reads, which each caller may try: the service decides what they see. */
export const readPermit = permitUnless('viewer', null);
