import type { OrganizationRole, ProjectRole } from '../../contract/roles.js';
import type { ApiKeyEvent } from '../../events/api-keys.js';
import type { ExperimentEvent } from '../../events/experiments.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import type { MetricsTestingRunEvent } from '../../events/scorer-tasks.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { UserEvent } from '../../events/users.js';
import { unreachable, type Fold } from '../../kernel/decision.js';
import type {
  ApiKeyId,
  CollaboratorId,
  GroupId,
  FamilyId,
  Instant,
  OrganizationId,
  ProjectId,
  RunId,
  UserId,
} from '../../kernel/shapes.js';

/** What several slices need to know of a project; null before it was created. */
export type Project = {
  readonly id: ProjectId;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly labels: readonly string[];
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  /** Who was given a role, the creator first; each with at most one entry. */
  readonly users: ReadonlyMap<UserId, Collaboration>;
  readonly groups: ReadonlyMap<GroupId, Collaboration>;
  readonly live: boolean;
};
export type Collaboration = { readonly id: CollaboratorId; readonly role: ProjectRole };

export const projects: Fold<Project | null, ProjectEvent> = {
  initial: null,
  evolve: (project, { type, data }) => {
    switch (type) {
      case 'ProjectCreated':
        return {
          id: data.project_id,
          organizationId: data.organization_id,
          name: data.name,
          type: data.type,
          description: null,
          labels: [],
          createdBy: data.created_by,
          createdAt: data.created_at,
          users: new Map([
            [data.created_by, { id: data.project_id as string as CollaboratorId, role: 'owner' }],
          ]),
          groups: new Map(),
          live: true,
        };
      case 'ProjectRenamed':
        return project && { ...project, name: data.name };
      case 'ProjectDetailsChanged':
        return project && { ...project, description: data.description, labels: data.labels };
      case 'ProjectDeleted':
        return project && { ...project, live: false };
      case 'CollaboratorAdded':
        return project && { ...project, users: added(project.users, data.user_id, data) };
      case 'CollaboratorRoleChanged':
        return project && { ...project, users: changed(project.users, data.user_id, data.role) };
      case 'CollaboratorRemoved':
        return project && { ...project, users: without(project.users, data.user_id) };
      case 'GroupCollaboratorAdded':
        return project && { ...project, groups: added(project.groups, data.group_id, data) };
      case 'GroupCollaboratorRoleChanged':
        return project && { ...project, groups: changed(project.groups, data.group_id, data.role) };
      case 'GroupCollaboratorRemoved':
        return project && { ...project, groups: without(project.groups, data.group_id) };
      default:
        return unreachable(type);
    }
  },
};

type Collaborations<K> = ReadonlyMap<K, Collaboration>;
const added = <K>(
  known: Collaborations<K>,
  who: K,
  { collaborator_id: id, role }: { collaborator_id: CollaboratorId; role: ProjectRole },
): Collaborations<K> => new Map(known).set(who, { id, role });
const changed = <K>(known: Collaborations<K>, who: K, role: ProjectRole): Collaborations<K> => {
  const one = known.get(who);
  return one === undefined ? known : new Map(known).set(who, { ...one, role });
};
const without = <K, V>(known: ReadonlyMap<K, V>, who: K): ReadonlyMap<K, V> =>
  new Map([...known].filter(([other]) => other !== who));

export type RunKind = 'log_stream' | 'experiment' | 'metrics_testing';
/** A run as the log has it; null before it was created. */
export type Run = {
  readonly id: RunId;
  readonly projectId: ProjectId;
  readonly kind: RunKind;
  readonly name: string;
  readonly createdBy: UserId;
  readonly createdAt: Instant;
  readonly live: boolean;
};

type RunEvent = LogStreamEvent | ExperimentEvent | MetricsTestingRunEvent;

export const runs: Fold<Run | null, RunEvent> = {
  initial: null,
  evolve: (run, { type, data }) => {
    switch (type) {
      case 'LogStreamCreated':
      case 'ExperimentCreated':
        return {
          id: data.run_id,
          projectId: data.project_id,
          kind: type === 'LogStreamCreated' ? 'log_stream' : 'experiment',
          name: data.name,
          createdBy: data.created_by,
          createdAt: data.created_at,
          live: true,
        };
      case 'MetricsTestingRunCreated':
        return {
          id: data.run_id,
          projectId: data.project_id,
          kind: 'metrics_testing',
          name: '',
          createdBy: data.created_by,
          createdAt: data.created_at,
          live: true,
        };
      case 'LogStreamRenamed':
      case 'ExperimentRenamed':
        return run && { ...run, name: data.name };
      case 'LogStreamDeleted':
      case 'ExperimentDeleted':
        return run && { ...run, live: false };
      case 'ExperimentGroupAssigned':
      case 'ExperimentTagged':
      case 'ExperimentTagChanged':
      case 'ExperimentUntagged':
        return run;
      default:
        return unreachable(type);
    }
  },
};

/** A user as the log has them; null before they were made or invited. */
export type User = {
  readonly id: UserId;
  readonly organizationId: OrganizationId;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: OrganizationRole;
  readonly authMethod: string;
  readonly emailIsVerified: boolean;
  readonly createdAt: Instant;
  /** Argon2id under a pepper; null: the user has no password. */
  readonly passwordHash: string | null;
  readonly passwordChanges: number;
  /** The one login that outlived the last change of the password. */
  readonly keptFamily: FamilyId | null;
  readonly identities: readonly { readonly issuer: string; readonly subject: string }[];
  /** Set while the user was invited and has not come in: nobody can log in as them yet. */
  readonly invitation: {
    readonly tokenHash: string | null;
    readonly authMethod: string;
    readonly expiresAt: Instant;
  } | null;
  /** False once removed: no credential of theirs is good and no role of theirs counts. */
  readonly live: boolean;
};

export const users: Fold<User | null, UserEvent> = {
  initial: null,
  evolve: (user, { type, data }) => {
    switch (type) {
      case 'UserCreated':
        return {
          ...userOf(data),
          firstName: data.first_name,
          lastName: data.last_name,
          invitation: null,
        };
      case 'UserInvited':
        return {
          ...userOf({ ...data, auth_method: 'invite' }),
          invitation: {
            tokenHash: data.token_hash,
            authMethod: data.auth_method,
            expiresAt: data.expires_at,
          },
        };
      case 'InvitationAccepted':
        return (
          user && {
            ...user,
            firstName: data.first_name ?? user.firstName,
            lastName: data.last_name ?? user.lastName,
            authMethod: data.auth_method,
            invitation: null,
          }
        );
      case 'UserDetailsChanged':
        return user && { ...user, firstName: data.first_name, lastName: data.last_name };
      case 'UserRoleChanged':
        return user && { ...user, role: data.role };
      case 'PasswordChanged':
        return (
          user && {
            ...user,
            passwordHash: data.password_hash,
            passwordChanges: user.passwordChanges + 1,
            keptFamily: data.kept_family_id,
          }
        );
      case 'IdentityLinked': {
        const { issuer, subject } = data;
        const identities = [...(user?.identities ?? []), { issuer, subject }];
        return user && { ...user, identities, emailIsVerified: true };
      }
      case 'UserRemoved':
        return user && { ...user, invitation: null, live: false };
      default:
        return unreachable(type);
    }
  },
};

const userOf = (data: {
  readonly user_id: UserId;
  readonly organization_id: OrganizationId;
  readonly email: string;
  readonly role: OrganizationRole;
  readonly auth_method: string;
  readonly created_at: Instant;
}): User => ({
  id: data.user_id,
  organizationId: data.organization_id,
  email: data.email,
  firstName: '',
  lastName: '',
  role: data.role,
  authMethod: data.auth_method,
  emailIsVerified: false,
  passwordHash: null,
  passwordChanges: 0,
  keptFamily: null,
  identities: [],
  createdAt: data.created_at,
  invitation: null,
  live: true,
});

export type ApiKey = {
  readonly id: ApiKeyId;
  readonly organizationId: OrganizationId;
  readonly createdBy: UserId;
  readonly valueHash: string;
  readonly truncated: string;
  readonly description: string;
  readonly projectId: ProjectId | null;
  readonly projectRole: ProjectRole | null;
  readonly expiresAt: Instant | null;
  /** Its parent first. */
  readonly ancestors: readonly ApiKeyId[];
  readonly createdAt: Instant;
  readonly revoked: boolean;
};

export const apiKeys: Fold<ApiKey | null, ApiKeyEvent> = {
  initial: null,
  evolve: (key, { type, data }) => {
    switch (type) {
      case 'ApiKeyCreated':
        return {
          id: data.api_key_id,
          organizationId: data.organization_id,
          createdBy: data.created_by,
          valueHash: data.value_hash,
          truncated: data.truncated,
          description: data.description,
          projectId: data.project_id,
          projectRole: data.project_role,
          expiresAt: data.expires_at,
          ancestors: data.ancestors,
          createdAt: data.created_at,
          revoked: false,
        };
      case 'ApiKeyRevoked':
        return key && { ...key, revoked: true };
      default:
        return unreachable(type);
    }
  },
};
