import type { UserEvent } from '../../events/users.js';
import { reject, type Decide } from '../../kernel/decision.js';
import type { FamilyId } from '../../kernel/schema-types.js';
import type { User } from '../facts/users.js';

/**
 * Changes the password and ends every login of the user except `kept`, the calling one (contract
 * 5.1).
 */
export const changePassword =
  (hash: string, kept: FamilyId | null): Decide<User | null, UserEvent> =>
  (user) => {
    if (user === null || !user.live) return reject('not-found', 'User not found');
    if (user.passwordHash === hash) return [];
    return [
      {
        type: 'PasswordChanged',
        data: { user_id: user.id, password_hash: hash, kept_family_id: kept },
      },
    ];
  };
