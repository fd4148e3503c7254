import { groups } from '../../command-api/facts/groups.js';
import {
  change,
  changeMember,
  create,
  remove,
  removeMember,
} from '../../command-api/groups/groups.js';
import type { GroupRole } from '../../contract/roles.js';
import type { GroupEvent } from '../../events/groups.js';
import type { GroupId, GroupMemberId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { organization, userId } from '../support/access-events.js';

const given = deciderSpec(groups);
const id = 'group' as GroupId;
const creation = {
  group_id: id,
  organization_id: organization,
  name: 'reviewers',
  description: null,
  visibility: 'public' as const,
  created_by: userId(1),
  created_at: instantAfter(0),
};
const created: GroupEvent = { type: 'GroupCreated', data: creation };
const joined = (number: number, role: GroupRole): GroupEvent => ({
  type: 'GroupMemberAdded',
  data: {
    group_id: id,
    user_id: userId(number),
    member_id: `member-${number}` as GroupMemberId,
    role,
  },
});
const deleted: GroupEvent = {
  type: 'GroupDeleted',
  data: { group_id: id, organization_id: organization },
};
const roleChanged = (number: number, role: GroupRole): GroupEvent => ({
  type: 'GroupMemberRoleChanged',
  data: { group_id: id, user_id: userId(number), role },
});
const left = (number: number): GroupEvent => ({
  type: 'GroupMemberRemoved',
  data: { group_id: id, user_id: userId(number) },
});

describe('a group', () => {
  it('is created once, with its members', () =>
    given()
      .when(
        create(creation, [
          { userId: userId(1), role: 'maintainer', id: 'member-1' as GroupMemberId },
        ]),
      )
      .then(created, joined(1, 'maintainer')));

  it('changes what is new and leaves what is null as it is', () => {
    given(created)
      .when(change(id, { description: 'who reads', visibility: 'hidden', name: null }))
      .then({
        type: 'GroupDetailsChanged',
        data: {
          group_id: id,
          name: 'reviewers',
          description: 'who reads',
          visibility: 'hidden',
        },
      });
    given(created)
      .when(change(id, { name: 'reviewers' }))
      .thenNothing();
    given(created, deleted)
      .when(change(id, { name: 'x' }))
      .thenRejected('not-found');
  });

  it('is deleted once', () => {
    given(created).when(remove(id)).then(deleted);
    given().when(remove(id)).thenNothing();
  });

  it('changes the role of members only, including pending ones', () => {
    given(created, joined(1, 'maintainer'), joined(2, 'pending'))
      .when(changeMember(id, userId(2), 'member'))
      .then(roleChanged(2, 'member'));
    given(created)
      .when(changeMember(id, userId(2), 'member'))
      .thenRejected('not-found');
    given(created, joined(2, 'member'), deleted)
      .when(changeMember(id, userId(2), 'pending'))
      .thenRejected('not-found');
  });

  it('lets members go', () => {
    given(created, joined(1, 'maintainer'), joined(2, 'member'))
      .when(removeMember(id, userId(2)))
      .then(left(2));
    given(created)
      .when(removeMember(id, userId(2)))
      .thenNothing();
  });

  it('keeps its last maintainer, but not one of two', () => {
    const one = given(created, joined(1, 'maintainer'), joined(2, 'member'));
    one.when(removeMember(id, userId(1))).thenRejected('conflict');
    one.when(changeMember(id, userId(1), 'member')).thenRejected('conflict');
    one.when(changeMember(id, userId(1), 'maintainer')).thenNothing();
    const two = given(created, joined(1, 'maintainer'), joined(2, 'maintainer'));
    two.when(removeMember(id, userId(1))).then(left(1));
    two.when(changeMember(id, userId(1), 'member')).then(roleChanged(1, 'member'));
  });
});
