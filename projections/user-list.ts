import type { UserFacts } from '../contract/users.js';
import { userEvents } from '../events/users.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { Instant } from '../kernel/schema-types.js';
import { invitationEvents } from '../events/invitations.js';
import { omitEvents } from '../events/schemas.js';
import type { Projection } from './projection.js';

const events = {
  ...omitEvents(userEvents, 'PasswordChanged'),
  ...omitEvents(invitationEvents, 'InvitationIssued'),
};

/**
 * Users by id, within their organisation; invited ones too, but not removed ones (contract 3.10,
 * 5.2).
 */
export const userList: Projection<typeof events, UserFacts> = {
  collection: {
    name: 'user_list',
    version: 3,
    fields: {
      email: 'text',
      first_name: 'text',
      last_name: 'text',
      role: 'text',
      created_at: 'date',
      updated_at: 'date',
    },
  },
  events,
  keys: ({ data }) => [data.user_id],
  evolve: (document, { type, data, metadata }) => {
    switch (type) {
      case 'UserCreated': {
        const { user_id: id, ...rest } = data;
        return documentOf({ ...rest, id, email_is_verified: false, updated_at: data.created_at });
      }
      case 'UserInvited':
        return documentOf({
          id: data.user_id,
          organization_id: data.organization_id,
          email: data.email,
          first_name: '',
          last_name: '',
          role: data.role,
          auth_method: 'invite',
          email_is_verified: false,
          created_at: data.created_at,
          updated_at: data.created_at,
        });
      case 'InvitationAccepted':
        return withChange(document, metadata.at, {
          auth_method: data.auth_method,
          ...(data.first_name !== null && { first_name: data.first_name }),
          ...(data.last_name !== null && { last_name: data.last_name }),
        });
      case 'UserDetailsChanged': {
        const { first_name, last_name } = data;
        return withChange(document, metadata.at, { first_name, last_name });
      }
      case 'UserRoleChanged':
        return withChange(document, metadata.at, { role: data.role });
      case 'IdentityLinked':
        return withChange(document, metadata.at, { email_is_verified: true });
      case 'UserRemoved':
        return null;
      default:
        return unreachable(type);
    }
  },
};

const documentOf = (facts: UserFacts): Document<UserFacts> => ({
  key: facts.id,
  scope: facts.organization_id,
  fields: {
    email: facts.email,
    first_name: facts.first_name,
    last_name: facts.last_name,
    role: facts.role,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
  },
  body: facts,
});

const withChange = (
  document: Document<UserFacts> | null,
  at: Instant,
  change: Partial<UserFacts>,
): Document<UserFacts> | null =>
  document && documentOf({ ...document.body, ...change, updated_at: at });
