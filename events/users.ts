// Stored for ever: names, members and versions below are the storage format.
import { Type, type Static } from 'typebox';
import { id, instant, oneOf } from '../kernel/shapes.js';

/** Stream `user-<user>`. */
export const userCreated = Type.Object({
  user_id: id('UserId'),
  organization_id: id('OrganizationId'),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  role: oneOf(['read_only', 'auditor', 'user', 'manager', 'admin']),
  auth_method: Type.String(),
  created_at: instant,
});

export type UserEvent = { readonly type: 'UserCreated'; readonly data: Static<typeof userCreated> };
