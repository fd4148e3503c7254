import type { Operation } from '../../contract/operation.js';
import type { OrganizationRole, ProjectRole, Requirement } from '../../contract/roles.js';

/**
 * A caller, before the objects of `knownObjects`, which `owner` made. `role` is the user's role in
 * the project, `bound` the role of a key that is bound to it, or to another project.
 */
export type Caller = {
  readonly name: string;
  readonly organizationRole: OrganizationRole;
  readonly role: ProjectRole | null;
  readonly bound: ProjectRole | 'elsewhere' | null;
  /** The role that a key is limited to wherever its creator has one. */
  readonly limited: ProjectRole | null;
  readonly isCreator: boolean;
  /** Member of another organisation. */
  readonly isForeign: boolean;
};
export type Verdict = 'pass' | 403 | 404;

const rank = ['viewer', 'annotator', 'editor', 'owner'] as const;
const verdictAtRole = (role: ProjectRole | null, needed: ProjectRole): Verdict => {
  if (role === null) return 404;
  return rank.indexOf(role) >= rank.indexOf(needed) ? 'pass' : 403;
};

/** Contract 2.6, rule 1, and 2.4, rule 4, for the project of `knownObjects`. */
const roleOf = (caller: Caller): ProjectRole | null => {
  const role = unlimitedRoleOf(caller);
  const { limited } = caller;
  if (role === null || limited === null) return role;
  return rank[Math.min(rank.indexOf(role), rank.indexOf(limited))] ?? null;
};
const unlimitedRoleOf = (caller: Caller): ProjectRole | null => {
  if (caller.isForeign || caller.bound === 'elsewhere') return null;
  if (caller.bound !== null) return caller.bound;
  if (caller.organizationRole === 'admin') return 'owner';
  if (caller.organizationRole === 'auditor') return caller.role ?? 'viewer';
  return caller.organizationRole === 'read_only' && caller.role !== null ? 'viewer' : caller.role;
};

const organizationRank = ['read_only', 'auditor', 'user', 'manager', 'admin'] as const;
const isAtLeast = (caller: Caller, needed: OrganizationRole): Verdict =>
  caller.bound === null &&
  organizationRank.indexOf(caller.organizationRole) >= organizationRank.indexOf(needed)
    ? 'pass'
    : 403;
const person = ({ bound }: Caller): Verdict => (bound === null ? 'pass' : 403);

const auditor = ({ organizationRole, bound, limited }: Caller): Verdict =>
  (organizationRole === 'auditor' || organizationRole === 'admin') && (bound ?? limited) === null
    ? 'pass'
    : 403;

/**
 * Independent copy of the table of contract 2.6, against which the service is checked. Null: not
 * testable with these callers.
 */
const rows: Readonly<Record<Requirement, ((caller: Caller) => Verdict) | null>> = {
  public: null,
  cookie: null,
  'signed-in': () => 'pass',
  person,
  viewer: (caller) => verdictAtRole(roleOf(caller), 'viewer'),
  annotator: (caller) => verdictAtRole(roleOf(caller), 'annotator'),
  editor: (caller) => verdictAtRole(roleOf(caller), 'editor'),
  owner: (caller) => verdictAtRole(roleOf(caller), 'owner'),
  lender: (caller) => (caller.bound === null ? verdictAtRole(roleOf(caller), 'editor') : 403),
  'view-write': (caller) => {
    const role = roleOf(caller);
    const isAuditor = caller.organizationRole === 'auditor' && role === 'viewer';
    const key = caller.limited ?? caller.bound;
    const isLesserKey = key === 'viewer' || key === 'annotator';
    return isAuditor || isLesserKey ? 403 : verdictAtRole(role, 'viewer');
  },
  'dataset-read': (caller) =>
    caller.isCreator && caller.bound === null ? 'pass' : verdictAtRole(roleOf(caller), 'viewer'),
  'dataset-write': (caller) =>
    caller.isCreator && caller.bound === null ? 'pass' : verdictAtRole(roleOf(caller), 'editor'),
  'prompt-read': (caller) =>
    caller.isCreator && caller.bound === null ? 'pass' : verdictAtRole(roleOf(caller), 'viewer'),
  'prompt-write': (caller) => {
    const isLesserKey = caller.limited === 'viewer' || caller.limited === 'annotator';
    const isOwn = caller.isCreator && caller.bound === null && !isLesserKey;
    return isOwn ? 'pass' : verdictAtRole(roleOf(caller), 'editor');
  },
  'group-sight': (caller) => (caller.isForeign ? 404 : person(caller)),
  maintainer: (caller) => {
    if (caller.isForeign) return 404;
    const maintains = caller.isCreator && caller.bound === null;
    return maintains ? 'pass' : isAtLeast(caller, 'manager');
  },
  'scorer-owner': (caller) => {
    if (caller.isForeign) return 404;
    const isOwner = caller.isCreator && caller.bound === null;
    return isOwner ? 'pass' : isAtLeast(caller, 'admin');
  },
  'org-job': (caller) => {
    if (caller.isForeign) return 404;
    return caller.bound === null || caller.bound === 'owner' ? 'pass' : 403;
  },
  'scorer-task': null,
  'scorer-job': null,
  'api-key': () => 'pass',
  creator: (caller) => isAtLeast(caller, 'user'),
  user: (caller) => isAtLeast(caller, 'user'),
  manager: (caller) => isAtLeast(caller, 'manager'),
  admin: (caller) => isAtLeast(caller, 'admin'),
  'audit-project': (caller) => (roleOf(caller) === 'owner' ? 'pass' : auditor(caller)),
  'audit-org': (caller) => auditor(caller),
  // Depends on the query: test/http/history-roles.test.ts.
  'audit-resource': null,
  self: (caller) => {
    if (caller.isForeign) return 404;
    return caller.isCreator ? person(caller) : isAtLeast(caller, 'manager');
  },
};

/**
 * Contract 2.4, rule 6: operations outside projects that a key of less than an editor may not call.
 */
const isKeptOut = ({ kind, path }: Operation, { bound, limited }: Caller): boolean => {
  const role = limited ?? (bound === 'elsewhere' ? 'editor' : bound);
  const isLess = role === 'viewer' || role === 'annotator';
  return kind === 'w' && isLess && !path.includes('{project_id}');
};

/**
 * Expected verdict on a request of this caller that names the known objects; null where the table
 * does not cover them.
 */
export const verdictOn = (operation: Operation, caller: Caller): Verdict | null => {
  const verdict = verdictOfRow(operation, caller);
  const isKnown = rows[operation.requires] !== null;
  return isKnown && isKeptOut(operation, caller) && verdict !== 404 ? 403 : verdict;
};

const verdictOfRow = (
  { requires, path, orSelf, operationId }: Operation,
  caller: Caller,
): Verdict | null => {
  const row = rows[requires];
  if (row === null) return null;
  const ofProject = path.includes('{project_id}');
  if (ofProject && roleOf(caller) === null) return 404;
  if (orSelf && caller.isCreator && caller.bound === null) return 'pass';
  if (operationId === 'createDataset' && caller.bound !== null) {
    return caller.bound === 'elsewhere' ? null : verdictAtRole(caller.bound, 'editor');
  }
  // The path names a key instead of a user: the noun defines `self` there.
  if (requires === 'self' && !path.includes('{user_id}')) {
    return caller.bound === null ? null : 403;
  }
  return row(caller);
};
