import type { UserBlock } from '../../contract/people.js';
import type { EventReader } from '../../kernel/ports.js';
import { load } from '../../kernel/transact.js';
import { users } from './folds.js';
import { userStream } from './streams.js';

/** `created_by_user` of a write's answer, from the log (contract 3.10). */
export const userBlockOf = async (log: EventReader, id: string): Promise<UserBlock> => {
  const { state: user } = await load(log, userStream(id), users);
  return (
    user && {
      id: user.id,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
    }
  );
};
