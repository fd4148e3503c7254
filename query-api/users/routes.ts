import { reading, type Route } from '../../contract/operation.js';
import {
  collaboratorRoleList,
  getUser,
  groupRoleList,
  listCollaboratorRoles,
  listGroupRoles,
  listUserRoles,
  searchUsers,
  sortedUserColumns,
  userAnswer,
  userRoleList,
  type UserFacts,
} from '../../contract/users.js';
import { Fault } from '../../kernel/fault.js';
import type { Documents } from '../../kernel/documents.js';
import type { OrganizationId } from '../../kernel/shapes.js';
import { userList } from '../../projections/user-list.js';
import { pageAsked, pageOf, planListing, type Listing } from '../listings.js';

type UserReadNeeds = {
  readonly documents: Documents;
  readonly organizationName: (organization: OrganizationId) => Promise<string>;
};

/** Contract 5.2: what users are found and sorted by. */
const people: Listing = {
  filters: { email: 'text', first_name: 'text', last_name: 'text', role: 'text' },
  sorts: sortedUserColumns,
  operators: { role: ['eq', 'ne', 'one_of'] },
};

/** The reads of contract 5.2 about users, all within the caller's organisation. */
export const userReads = (needs: UserReadNeeds): readonly Route[] => [
  searching(needs),
  showing(needs),
  reading(listUserRoles, [], async () => ({ body: userRoleList })),
  reading(listGroupRoles, [], async () => ({ body: groupRoleList })),
  reading(listCollaboratorRoles, [], async () => ({ body: collaboratorRoleList })),
];

const { collection } = userList;

const searching = ({ documents, organizationName }: UserReadNeeds): Route =>
  reading(
    searchUsers,
    [collection],
    async ({ body, query, principal }) => {
      const { filters, sort } = planListing(body, people);
      const scope = principal.organizationId;
      const asked = { ...pageAsked(query, body), filters, sort };
      const { rows, measure } = await pageOf<UserFacts>(documents, collection, scope, asked);
      const name = await organizationName(scope);
      const shown = rows.map((row) => userAnswer(row.body, name, principal));
      return { body: { ...measure, users: shown } };
    },
    ({ body }) => planListing(body, people).complaints,
  );

const showing = ({ documents, organizationName }: UserReadNeeds): Route =>
  reading(getUser, [collection], async ({ params, principal }) => {
    const found = await documents.get<UserFacts>(collection, params.user_id);
    if (found?.scope !== principal.organizationId) throw new Fault('not-found', 'User not found');
    const name = await organizationName(principal.organizationId);
    return { body: userAnswer(found.body, name, principal) };
  });
