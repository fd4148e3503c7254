import { readRoute, type Route } from '../../contract/operation.js';
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
import type { OrganizationId } from '../../kernel/schema-types.js';
import { userList } from '../../projections/user-list.js';
import { pageParameters, readListingPage, planListing, type ListingColumns } from '../listings.js';

type UserReadNeeds = {
  readonly documents: Documents;
  readonly organizationName: (organization: OrganizationId) => Promise<string>;
};

/** Columns that users are filtered and sorted by (contract 5.2). */
const people: ListingColumns = {
  filters: { email: 'text', first_name: 'text', last_name: 'text', role: 'text' },
  sorts: sortedUserColumns,
  operators: { role: ['eq', 'ne', 'one_of'] },
};

/** Reads of users (contract 5.2), all within the caller's organisation. */
export const userReads = (needs: UserReadNeeds): readonly Route[] => [
  searching(needs),
  showing(needs),
  readRoute(listUserRoles, [], async () => ({ body: userRoleList })),
  readRoute(listGroupRoles, [], async () => ({ body: groupRoleList })),
  readRoute(listCollaboratorRoles, [], async () => ({ body: collaboratorRoleList })),
];

const { collection } = userList;

const searching = ({ documents, organizationName }: UserReadNeeds): Route =>
  readRoute(
    searchUsers,
    [collection],
    async ({ body, query, principal }) => {
      const { filters, sort } = planListing(body, people);
      const scope = principal.organizationId;
      const listing = { ...pageParameters(query, body), filters, sort };
      const { rows, measure } = await readListingPage<UserFacts>(
        documents,
        collection,
        scope,
        listing,
      );
      const name = await organizationName(scope);
      const shown = rows.map((row) => userAnswer(row.body, name, principal));
      return { body: { ...measure, users: shown } };
    },
    ({ body }) => planListing(body, people).complaints,
  );

const showing = ({ documents, organizationName }: UserReadNeeds): Route =>
  readRoute(getUser, [collection], async ({ params, principal }) => {
    const found = await documents.get<UserFacts>(collection, params.user_id);
    if (found?.scope !== principal.organizationId) throw new Fault('not-found', 'User not found');
    const name = await organizationName(principal.organizationId);
    return { body: userAnswer(found.body, name, principal) };
  });
