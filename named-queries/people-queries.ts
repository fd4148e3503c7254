import { liveUser } from '../command-api/facts/users.js';
import { organizationNameOf } from '../command-api/facts/organizations.js';
import type { Freshness } from '../contract/request-ports.js';
import type { UserFacts } from '../contract/users.js';
import type { EventReader } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { OrganizationId, UserId } from '../kernel/schema-types.js';
import { userList } from '../projections/user-list.js';

type Needs = {
  readonly log: EventReader;
  readonly documents: Documents;
  readonly freshness: Freshness;
};

/** More admins than any organisation has: one other than the last is enough. */
const adminsMax = 100;

/** Answers to the named questions about the people of an organisation. */
export const peopleQueries = ({ log, documents, freshness }: Needs) => ({
  organizationName: (id: OrganizationId): Promise<string> => organizationNameOf(log, id),
  isLive: async (id: UserId): Promise<boolean> => (await liveUser(log, id)) !== null,

  /** Candidates only: the log decides who is an admin. */
  adminsOf: async (organization: OrganizationId): Promise<readonly UserId[]> => {
    await freshness.waitUntilApplied([userList.collection.name], null);
    const found = await documents.find<UserFacts>(userList.collection, {
      scope: organization,
      filter: {
        kind: 'text',
        column: 'role',
        operator: 'eq',
        values: ['admin'],
        caseSensitive: true,
      },
      limit: adminsMax,
    });
    return found.documents.map(({ body }) => body.id);
  },
});
