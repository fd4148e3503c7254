import { getCurrentUser } from '../../contract/logins.js';
import { reading, type Route } from '../../contract/operation.js';
import { userAnswer, type UserFacts } from '../../contract/users.js';
import type { Documents } from '../../kernel/ports.js';
import type { OrganizationId } from '../../kernel/shapes.js';
import { userList } from '../../projections/user-list.js';
import { Fault } from '../../kernel/fault.js';

export type CurrentUserNeeds = {
  readonly documents: Documents;
  readonly organizationName: (organization: OrganizationId) => Promise<string>;
};

/** Who asks (contract 5.1). */
export const currentUserReads = (needs: CurrentUserNeeds): readonly Route[] => {
  const { collection } = userList;
  return [
    reading(getCurrentUser, [collection], async ({ principal }) => {
      const { userId, organizationId, organizationRole, key } = principal;
      const found = await needs.documents.get<UserFacts>(collection, userId);
      // The log let them in; only a read model that lags further than it may does not know them.
      if (found === null) throw new Fault('read-model-behind', 'The read model is behind the log');
      const isBound = key !== null && key.projectId !== null;
      const onlooker = {
        userId,
        organizationId,
        organizationRole: isBound ? null : organizationRole,
      };
      const name = await needs.organizationName(organizationId);
      return { body: userAnswer(found.body, name, onlooker) };
    }),
  ];
};
