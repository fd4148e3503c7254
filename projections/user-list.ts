import type { UserBlock } from '../contract/people.js';
import type { UserEvent } from '../events/users.js';
import type { Projection } from './projection.js';

/** Users by id, within their organisation: who `created_by_user` names (contract 3.10). */
export const userList: Projection<UserEvent, NonNullable<UserBlock>> = {
  collection: { name: 'user_list', version: 1, fields: { email: 'text', created_at: 'date' } },
  types: ['UserCreated'],
  keys: ({ data }) => [data.user_id],
  evolve: (_document, { data }) => ({
    key: data.user_id,
    scope: data.organization_id,
    fields: { email: data.email, created_at: data.created_at },
    body: {
      id: data.user_id,
      email: data.email,
      first_name: data.first_name,
      last_name: data.last_name,
    },
  }),
};
