import type { Descriptions } from './descriptions.js';

/** Logins, keys, users, groups and collaborators (contract 2, 4.2 to 4.4, 5.1 to 5.4). */
export const peopleDescriptions: Descriptions = {
  members: {
    access_token: 'Bearer token (JWT), valid for 24 hours at most.',
    token_type: 'Scheme of the token: `bearer`.',
    id_token: 'Token of the identity provider; required unless `access_token` is given.',
    username: 'E-mail address of the user.',
    password: 'Password of the user.',
    grant_type: 'Kind of OAuth 2.0 grant: `password`.',
    current_password: 'Present password; a wrong one counts as a failed login.',
    new_password: 'Next password, 12 to 128 characters.',
    api_key: 'API key, 53 characters that begin with `asy_` when the service made it.',
    api_keys: 'Keys on this page, without their secret values.',
    last_used: 'Time of the last use, to the minute; null: never used.',
    expires_at: 'Time at which the key stops working; null: never.',
    project_role: 'Highest project role that the key acts with; null: the role of its creator.',
    user_id: 'Id of the user.',
    email: 'E-mail address of the user.',
    first_name: 'First name of the user; empty when unknown.',
    last_name: 'Last name of the user; empty when unknown.',
    email_is_verified: 'True when the e-mail address is known to belong to the user.',
    organization_name: 'Name of the organisation of the user.',
    organization_id: 'Id of the organisation.',
    auth_method: 'Way in which the user logs in, for example `email` or `okta`.',
    permissions: 'Actions that the caller may and may not do with the object, in fixed order.',
    generic_permissions: 'Always empty.',
    action: 'Action that the element is about, for example `update`.',
    allowed: 'True when the caller may do it.',
    users: 'Users on this page.',
    emails: 'E-mail addresses to invite, 1 to 100; one in use is 409.',
    group_ids: 'Groups that the invited become members of, 100 at most; null: none.',
    invitations: 'Invitations in the order of `emails`.',
    invitation_token: 'One-time token; null for other login methods, empty on a replay.',
    group_id: 'Id of the group.',
    group_name: 'Name of the group.',
    group_role: 'Role of the user in the group.',
    groups: 'Groups on this page, by name.',
    members: 'Members of the group on this page, by e-mail address.',
    collaborators: 'Collaborators of the project on this page.',
    visibility: 'Visibility of the group; only members see a `hidden` one.',
    display_name: 'Display name of the role.',
  },
  of: [
    {
      components: 'Login',
      members: { password: 'Password of the user.' },
    },
    {
      components: 'AcceptInvitation',
      members: {
        token: 'One-time token of the invitation.',
        password: 'Password of the user from now on, 12 to 128 characters.',
        first_name: 'First name of the user; null: unchanged.',
        last_name: 'Last name of the user; null: unchanged.',
      },
    },
    {
      components: 'SocialLogin',
      members: {
        provider: 'Identity provider that issued the token.',
        access_token: 'Access token of the provider; proves nothing without `id_token`.',
      },
    },
    {
      components: 'ApiKey NewApiKey',
      members: {
        id: 'Id of the key.',
        description: 'Purpose of the key, as its creator wrote it.',
        truncated: 'First 8 and last 4 characters of the key: `asy_003a...sngO`.',
        project_id: 'Project that the key is bound to; null: not bound.',
        created_by: 'Id of the user on whose behalf the key acts.',
      },
    },
    {
      components: 'NewApiKey',
      members: { api_key: 'Value of the key, in this answer only; empty on a replay.' },
    },
    {
      components: 'CreateApiKey',
      members: {
        description: 'Purpose of the key, at most 1,000 characters.',
        expires_at: 'Time in the future at which the key stops working; null: never.',
        project_id: 'Project that the key is bound to; null: not bound.',
        api_key: 'Pre-generated value, 32 to 255 characters; null: the service makes one.',
      },
    },
    {
      components: 'User UserSummary CurrentUser',
      members: { id: 'Id of the user.' },
    },
    {
      components: 'User Invitation CurrentUser',
      members: { role: 'Organisation role of the user.' },
    },
    {
      components: 'Invitation',
      members: {
        user_id: 'Id of the user that the invitation makes.',
        email: 'E-mail address that was invited.',
        expires_at: 'Time until which the invitation can be accepted: 7 days after it.',
      },
    },
    {
      components: 'CurrentUser',
      members: {
        credential: 'Credential that the request was sent with.',
      },
    },
    {
      components: 'Credential',
      members: {
        type: 'Key or token made from one, token of a login, or password (HTTP Basic).',
        id: 'Id of the key, or of the login; null for a password.',
        project_id: 'Project that the key is bound to; null: none, or not a key.',
        project_role: 'Highest project role that the key acts with; null: no limit, or not a key.',
      },
    },
    {
      components: 'IssueInvitationResponse',
      members: {
        invitation_token: 'One-time token, in this answer only; empty on a replay.',
        expires_at: 'Time until which the token works: 7 days after this answer.',
      },
    },
    {
      components: 'ChangeUser',
      members: {
        first_name: 'First name of the user; null: unchanged.',
        last_name: 'Last name of the user; null: unchanged.',
        role: 'Organisation role, changed by `admin` only; null: unchanged.',
      },
    },
    {
      components: 'InviteUsers',
      members: {
        role: 'Organisation role of the invited; null: `user`.',
        auth_method: 'Way in which the invited log in; null: `email`.',
      },
    },
    {
      components: 'Role',
      members: {
        name: 'Role as requests and answers spell it.',
        description: 'Sentence about the rights of the role.',
      },
    },
    {
      components: 'Group OwnGroup',
      members: {
        id: 'Id of the group.',
        name: 'Name of the group, unique in the organisation, 1 to 128 characters.',
        description: 'Purpose of the group; null: none.',
        size: 'Number of members and maintainers; pending ones are not counted.',
        role: 'Role of the caller in the group; null: no member.',
      },
    },
    {
      components: 'ChangeGroupMember',
      members: { role: 'Role in the group; a `pending` member has no rights yet.' },
    },
    {
      components: 'GroupMemberInput',
      members: { role: 'Role in the group; null: `member`.' },
    },
    {
      components: 'CreateGroup',
      members: {
        name: 'Name of the group, unique in the organisation, 1 to 128 characters.',
        description: 'Purpose of the group; null: none.',
        visibility: 'Visibility of the group; null: `public`.',
        users: 'First members beside the creator, 100 at most; null: none.',
      },
    },
    {
      components: 'ChangeGroup',
      members: {
        name: 'Name of the group, unique in the organisation; null: unchanged.',
        description: 'Purpose of the group; null: unchanged.',
        visibility: 'Visibility of the group; null: unchanged.',
      },
    },
    {
      components: 'Collaborator GroupCollaborator GroupMember',
      members: { id: 'Id of the membership.' },
    },
    {
      components: 'Collaborator GroupCollaborator ChangeCollaborator ChangeGroupCollaborator',
      members: { role: 'Role in the project.' },
    },
    {
      components: 'GroupCollaborator',
      members: {
        warning: 'Risk of sharing with a group that everybody may join; null without such a risk.',
      },
    },
    {
      components: 'CollaboratorInput GroupCollaboratorInput',
      members: { role: 'Role in the project; null: `viewer`.' },
    },
    {
      components: 'Permission',
      members: { message: 'Reason why the action is not allowed; null when it is.' },
    },
  ],
};
