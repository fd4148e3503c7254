import type { UserInvited } from '../../events/invitations.js';
import type { UserEvent } from '../../events/users.js';
import type { Decide } from '../../kernel/decision.js';
import type { User } from '../access/folds.js';

export const invite =
  (invitation: UserInvited): Decide<User | null, UserEvent> =>
  (user) =>
    user === null ? [{ type: 'UserInvited', data: invitation }] : [];
