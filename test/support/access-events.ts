import type { ApiKeyCreated, ApiKeyEvent } from '../../events/api-keys.js';
import type { GroupEvent } from '../../events/groups.js';
import type { ModelAccessEvent } from '../../events/model-access.js';
import type { Provider } from '../../contract/integration-providers.js';
import type { ProjectEvent } from '../../events/projects.js';
import type { UserEvent } from '../../events/users.js';
import type { ViewSaved } from '../../events/views.js';
import type { OrganizationRole } from '../../contract/roles.js';
import type {
  ApiKeyId,
  GroupId,
  IntegrationId,
  OrganizationId,
  ProjectId,
  TemplateId,
  UserId,
  ViewId,
} from '../../kernel/schema-types.js';
import { instantAfter } from './test-log.js';

const uuid = (digit: string, number: number): string =>
  `${digit.repeat(8)}-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const organization = uuid('a', 1) as OrganizationId;
export const otherOrganization = uuid('a', 2) as OrganizationId;
export const userId = (number: number): UserId => uuid('b', number) as UserId;
export const projectId = (number: number): ProjectId => uuid('c', number) as ProjectId;
export const keyId = (number: number): ApiKeyId => uuid('d', number) as ApiKeyId;
export const templateId = (number: number): TemplateId => uuid('e', number) as TemplateId;
export const integrationId = (number: number): IntegrationId => uuid('1', number) as IntegrationId;
export const viewId = (number: number): ViewId => uuid('f', number) as ViewId;

export const userCreated = (
  number: number,
  role: OrganizationRole,
  inOrganization = organization,
): Exclude<UserEvent, { readonly type: 'PasswordChanged' | 'InvitationIssued' }> => ({
  type: 'UserCreated',
  data: {
    user_id: userId(number),
    organization_id: inOrganization,
    email: `user-${number}@example.org`,
    first_name: 'Ada',
    last_name: '',
    role,
    auth_method: 'email',
    created_at: instantAfter(0),
  },
});

/** An integration that the user lends to project 1. */
export const integrationLent = (
  id: IntegrationId,
  provider: Provider,
  lent_by: UserId,
  limits: { readonly daily_budget: number | null; readonly calls_per_minute: number } = {
    daily_budget: null,
    calls_per_minute: 60,
  },
): Extract<ModelAccessEvent, { readonly type: 'IntegrationLent' }> => ({
  type: 'IntegrationLent',
  data: { project_id: projectId(1), integration_id: id, provider, lent_by, ...limits },
});

export const userInvited = (
  number: number,
  role: OrganizationRole,
  inOrganization = organization,
): Exclude<UserEvent, { readonly type: 'PasswordChanged' | 'InvitationIssued' }> => ({
  type: 'UserInvited',
  data: {
    user_id: userId(number),
    organization_id: inOrganization,
    email: `user-${number}@example.org`,
    role,
    auth_method: 'email',
    token_hash: `hash-of-token-${number}`,
    invited_by: userId(1),
    created_at: instantAfter(0),
    expires_at: instantAfter(7 * 86_400),
  },
});

export const projectCreated = (
  number: number,
  createdBy: UserId,
  inOrganization = organization,
): ProjectEvent => ({
  type: 'ProjectCreated',
  data: {
    project_id: projectId(number),
    organization_id: inOrganization,
    name: `project ${number}`,
    type: 'gen_ai',
    created_by: createdBy,
    created_at: instantAfter(0),
  },
});

export const viewSaved = (
  number: number,
  savedBy: UserId,
  more: Partial<ViewSaved> = {},
): { readonly type: 'ViewSaved'; readonly data: ViewSaved } => ({
  type: 'ViewSaved',
  data: {
    project_id: projectId(1),
    view_id: viewId(number),
    version: 1,
    name: `view ${number}`,
    page: 'traces',
    state: 't=7d',
    is_shared: false,
    created_by: savedBy,
    created_at: instantAfter(0),
    saved_at: instantAfter(0),
    ...more,
  },
});

export const apiKeyCreated = (
  number: number,
  more: Partial<ApiKeyCreated> = {},
): Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }> => ({
  type: 'ApiKeyCreated',
  data: {
    api_key_id: keyId(number),
    organization_id: organization,
    created_by: userId(1),
    value_hash: `hash-${number}`,
    truncated: 'asy_0000...0000',
    description: `key ${number}`,
    project_id: null,
    project_role: null,
    expires_at: null,
    ancestors: [],
    created_at: instantAfter(0),
    ...more,
  },
});

export const groupCreated = (group: GroupId, by: UserId): GroupEvent => ({
  type: 'GroupCreated',
  data: {
    group_id: group,
    organization_id: organization,
    name: 'reviewers',
    description: null,
    visibility: 'public',
    created_by: by,
    created_at: instantAfter(0),
  },
});
