import type { GroupFacts, ListedMember } from '../contract/groups.js';
import { groupEvents } from '../events/groups.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { UserId } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

export type ListedGroup = {
  readonly facts: GroupFacts;
  /** Members in order of arrival, pending ones too. */
  readonly members: readonly ListedMember[];
};

/**
 * Groups by id, in the scope of their organisation. The field `members` holds the user ids of all
 * members, pending ones too, for `contains`.
 */
export const groupList: Projection<typeof groupEvents, ListedGroup> = {
  collection: {
    name: 'group_list',
    version: 1,
    fields: { id: 'id', name: 'text', visibility: 'text', created_at: 'date', members: 'id' },
  },
  events: groupEvents,
  keys: ({ data }) => [data.group_id],
  evolve: (document, { type, data, metadata: { at } }) => {
    switch (type) {
      case 'GroupCreated':
        return documentOf(data.organization_id, {
          facts: {
            id: data.group_id,
            name: data.name,
            description: data.description,
            visibility: data.visibility,
            created_at: data.created_at,
          },
          members: [],
        });
      case 'GroupDetailsChanged': {
        const { name, description, visibility } = data;
        const facts = { name, description, visibility };
        return withChange(document, (body) => ({ ...body, facts: { ...body.facts, ...facts } }));
      }
      case 'GroupDeleted':
        return null;
      case 'GroupMemberAdded': {
        const { member_id: id, user_id, role } = data;
        return withMembers(document, (list) => [
          ...withoutUser(list, user_id),
          { id, user_id, role, created_at: at },
        ]);
      }
      case 'GroupMemberRoleChanged':
        return withMembers(document, (list) =>
          list.map((one) => (one.user_id === data.user_id ? { ...one, role: data.role } : one)),
        );
      case 'GroupMemberRemoved':
        return withMembers(document, (list) => withoutUser(list, data.user_id));
      default:
        return unreachable(type);
    }
  },
};

type Listed = Document<ListedGroup>;
type ListedMembers = readonly ListedMember[];

const documentOf = (organization: string, body: ListedGroup): Listed => ({
  key: body.facts.id,
  scope: organization,
  fields: {
    id: body.facts.id,
    name: body.facts.name,
    visibility: body.facts.visibility,
    created_at: body.facts.created_at,
    members: body.members.map(({ user_id }) => user_id).join(' '),
  },
  body,
});

const withChange = (
  document: Listed | null,
  change: (body: ListedGroup) => ListedGroup,
): Listed | null => document && documentOf(document.scope, change(document.body));

const withMembers = (
  document: Listed | null,
  change: (list: ListedMembers) => ListedMembers,
): Listed | null => withChange(document, (body) => ({ ...body, members: change(body.members) }));

const withoutUser = (list: ListedMembers, user: UserId): ListedMembers =>
  list.filter((one) => one.user_id !== user);
