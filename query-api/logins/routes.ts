import { credentialAnswer, getCurrentUser } from '../../contract/logins.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { userAnswer, type UserFacts } from '../../contract/users.js';
import type { Documents } from '../../kernel/documents.js';
import type { OrganizationId, UserId } from '../../kernel/schema-types.js';
import { userList } from '../../projections/user-list.js';
import { Fault } from '../../kernel/fault.js';

type CurrentUserNeeds = {
  readonly documents: Documents;
  readonly organizationName: (organization: OrganizationId) => Promise<string>;
  /** True if the log has the user now. */
  readonly isLive: (user: UserId) => Promise<boolean>;
};

/** Read of the caller (contract 5.1). */
export const currentUserReads = (needs: CurrentUserNeeds): readonly Route[] => {
  const { collection } = userList;
  return [
    readRoute(getCurrentUser, [collection], async ({ principal }) => {
      const { userId, organizationId, organizationRole, key } = principal;
      const found = await needs.documents.get<UserFacts>(collection, userId);
      if (found === null) {
        // An authenticated caller may have been removed within the half second that this takes.
        throw (await needs.isLive(userId))
          ? new Fault('read-model-behind', 'The read model is behind the log')
          : new Fault('invalid-credentials', 'The credential is not valid');
      }
      const isBound = key !== null && key.projectId !== null;
      const onlooker = {
        userId,
        organizationId,
        organizationRole: isBound ? null : organizationRole,
      };
      const name = await needs.organizationName(organizationId);
      const credential = credentialAnswer(principal);
      return { body: { ...userAnswer(found.body, name, onlooker), credential } };
    }),
  ];
};
