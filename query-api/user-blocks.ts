import type { UserBlock } from '../contract/people.js';
import type { UserFacts } from '../contract/users.js';
import type { Documents } from '../kernel/documents.js';
import { userList } from '../projections/user-list.js';

/**
 * The user blocks of a response by user id (contract 3.10), without users of other organisations
 * and removed users.
 */
export const readUserBlocks = async (
  documents: Documents,
  organization: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UserBlock>> => {
  const found = await documents.load(userList.collection, [...new Set(ids)]);
  return new Map(
    [...found]
      .filter(([, { scope }]) => scope === organization)
      .map(([id, { body }]) => [id, blockOf(body as UserFacts)]),
  );
};

const blockOf = ({ id, email, first_name, last_name }: UserFacts): NonNullable<UserBlock> => ({
  id,
  email,
  first_name,
  last_name,
});
