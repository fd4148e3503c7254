import {
  getGroup,
  groupAnswer,
  groupMemberAnswer,
  listGroupMembers,
  listGroups,
  listOwnGroups,
  groupAccess,
} from '../../contract/groups.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { seesMembers, type GroupAccess } from '../../contract/permissions.js';
import { isRoleAtLeast, organizationRoles, type Principal } from '../../contract/roles.js';
import { byCodePoint } from '../../kernel/code-points.js';
import { Fault } from '../../kernel/fault.js';
import type { Filter } from '../../kernel/filter.js';
import type { Documents } from '../../kernel/documents.js';
import type { GroupId } from '../../kernel/schema-types.js';
import { groupList, type ListedGroup } from '../../projections/group-list.js';
import { userList } from '../../projections/user-list.js';
import { pageOfRows, readListingPage } from '../listings.js';
import { readUserBlocks } from '../user-blocks.js';
import { groupsPerUserMax } from '../project-visibility.js';

type Needs = { readonly documents: Documents };

/** Reads of groups (contract 5.3 and 4.15), all within the caller's organisation. */
export const groupReads = (needs: Needs): readonly Route[] => [
  listingOwn(needs),
  listing(needs),
  showing(needs),
  listingMembers(needs),
];

const { collection } = groupList;
const reads = [collection, userList.collection];

const listingOwn = ({ documents }: Needs): Route =>
  readRoute(listOwnGroups, reads, async ({ principal }) => {
    const { documents: found } = await documents.find<ListedGroup>(collection, {
      scope: principal.organizationId,
      filter: hasMember(principal.userId),
      limit: groupsPerUserMax,
    });
    const bodies = found.map(({ body }) => body);
    const own = (await answers(documents, bodies, principal)).flatMap(({ role, ...shown }) =>
      role === null ? [] : [{ ...shown, role }],
    );
    return {
      body: own.toSorted(
        (one, other) => byCodePoint(one.name, other.name) || byCodePoint(one.id, other.id),
      ),
    };
  });

const listing = ({ documents }: Needs): Route =>
  readRoute(listGroups, reads, async ({ query, principal }) => {
    const { rows, measure } = await readListingPage<ListedGroup>(
      documents,
      collection,
      principal.organizationId,
      { ...query, filters: visibleGroups(principal), sort: { column: 'name', ascending: true } },
    );
    const found = rows.map(({ body }) => body);
    return { body: { ...measure, groups: await answers(documents, found, principal) } };
  });

const showing = ({ documents }: Needs): Route =>
  readRoute(getGroup, reads, async ({ params, principal }) => {
    const group = await readGroup(documents, params.group_id, principal);
    const [body] = await answers(documents, [group], principal);
    if (body === undefined) throw new Fault('not-found', 'Group not found');
    return { body };
  });

const listingMembers = ({ documents }: Needs): Route =>
  readRoute(listGroupMembers, reads, async ({ params, query, principal }) => {
    const group = await readGroup(documents, params.group_id, principal);
    const access = accessTo(group, principal);
    if (!seesMembers(access))
      throw new Fault('forbidden', 'Only members of the group may list its members');
    const ids = group.members.map(({ user_id }) => user_id);
    const people = await readUserBlocks(documents, principal.organizationId, ids);
    const shown = group.members.flatMap((member) => {
      const user = people.get(member.user_id) ?? null;
      return user === null ? [] : [groupMemberAnswer(member, user, access, principal.userId)];
    });
    const { rows, measure } = pageOfRows(shown, query, ({ email }) => email);
    return { body: { ...measure, members: [...rows] } };
  });

const readGroup = async (
  documents: Documents,
  id: GroupId,
  principal: Principal,
): Promise<ListedGroup> => {
  const found = await documents.get<ListedGroup>(collection, id);
  if (found?.scope !== principal.organizationId) throw new Fault('not-found', 'Group not found');
  return found.body;
};
/** Responses with member counts, which leave out removed users as the list of members does. */
const answers = async (
  documents: Documents,
  groups: readonly ListedGroup[],
  principal: Principal,
) => {
  const ids = groups.flatMap(({ members }) => members.map(({ user_id }) => user_id));
  const people = await readUserBlocks(documents, principal.organizationId, ids);
  return groups.map((group) => answerOf(group, people, principal));
};

const accessTo = ({ facts, members }: ListedGroup, principal: Principal): GroupAccess => {
  const own = members.find(({ user_id }) => user_id === principal.userId);
  return groupAccess(facts.visibility, own?.role ?? null, principal);
};

const answerOf = (group: ListedGroup, people: ReadonlyMap<string, unknown>, principal: Principal) =>
  groupAnswer(
    group.facts,
    group.members.filter(({ role, user_id }) => role !== 'pending' && people.has(user_id)).length,
    accessTo(group, principal),
  );

const hasMember = (user: string): Filter => ({
  kind: 'id',
  column: 'members',
  operator: 'contains',
  values: [user],
  caseSensitive: true,
});

/** Visibility filter: hidden groups are visible to their members, `manager` and `admin`. */
const visibleGroups = ({ userId, organizationRole }: Principal): readonly Filter[] =>
  isRoleAtLeast(organizationRoles, organizationRole, 'manager')
    ? []
    : [
        {
          any: [
            {
              kind: 'text',
              column: 'visibility',
              operator: 'ne',
              values: ['hidden'],
              caseSensitive: true,
            },
            hasMember(userId),
          ],
        },
      ];
