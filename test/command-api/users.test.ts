import { admitMembers, groups } from '../../command-api/facts/groups.js';
import { users } from '../../command-api/facts/users.js';
import { issue } from '../../command-api/access/invitation.js';
import { accept, invite } from '../../command-api/invitations/invitations.js';
import { change, remove } from '../../command-api/users/users.js';
import { groupMembersMax } from '../../contract/groups.js';
import type { GroupEvent } from '../../events/groups.js';
import type { UserEvent } from '../../events/users.js';
import type { GroupId, GroupMemberId } from '../../kernel/schema-types.js';
import { reject } from '../../kernel/decision.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import {
  groupCreated,
  organization,
  userId,
  userInvited,
  userCreated,
} from '../support/access-events.js';

const given = deciderSpec(users);
const id = userId(1);
const made = (role: 'admin' | 'user') => userCreated(1, role);
const removed: UserEvent = {
  type: 'UserRemoved',
  data: { user_id: id, organization_id: organization },
};

describe('changing a user', () => {
  it('records what is new and leaves what is null as it is', () =>
    given(made('user'))
      .when(change(id, { first_name: 'Grace', last_name: null, role: 'manager' }, true))
      .then(
        {
          type: 'UserDetailsChanged',
          data: { user_id: id, first_name: 'Grace', last_name: '' },
        },
        { type: 'UserRoleChanged', data: { user_id: id, role: 'manager' } },
      ));

  it('stays quiet when nothing is new', () =>
    given(made('user'))
      .when(change(id, { first_name: 'Ada', role: 'user' }, true))
      .thenNothing());

  it('does not find a removed user', () => {
    given(made('user'), removed)
      .when(change(id, {}, true))
      .thenRejected('not-found');
    given()
      .when(change(id, {}, true))
      .thenRejected('not-found');
  });

  it('leaves the last admin an admin, but not one of two', () => {
    given(made('admin'))
      .when(change(id, { role: 'user' }, true))
      .thenRejected('conflict');
    given(made('admin'))
      .when(change(id, { role: 'user' }, false))
      .then({ type: 'UserRoleChanged', data: { user_id: id, role: 'user' } });
    given(made('admin'))
      .when(change(id, { role: 'admin' }, true))
      .thenNothing();
  });
});

describe('removing a user', () => {
  it('removes them once, and not the last admin', () => {
    given(made('user')).when(remove(id, true)).then(removed);
    given(made('admin')).when(remove(id, false)).then(removed);
    given(made('admin')).when(remove(id, true)).thenRejected('conflict');
    given().when(remove(id, true)).thenNothing();
  });
});

describe('inviting a user', () => {
  const invitation = userInvited(1, 'user');
  it('makes a new user', () => {
    if (invitation.type !== 'UserInvited') throw new Error('not an invitation');
    given().when(invite(invitation.data)).then(invitation);
    given(made('user')).when(invite(invitation.data)).thenNothing();
  });

  const acceptance = {
    tokenHash: 'hash-of-token-1',
    passwordHash: 'hash',
    firstName: null,
    lastName: 'H',
  };
  const early = instantAfter(1);

  it('lets them log in with the token, once and in time', () => {
    given(invitation)
      .when(accept(acceptance, early))
      .then(
        {
          type: 'InvitationAccepted',
          data: { user_id: id, auth_method: 'email', first_name: null, last_name: 'H' },
        },
        {
          type: 'PasswordChanged',
          data: { user_id: id, password_hash: 'hash', kept_family_id: null },
        },
      );
    const other = accept({ ...acceptance, tokenHash: 'other' }, early);
    given(invitation).when(other).thenRejected('invalid-credentials');
    given(invitation, removed).when(accept(acceptance, early)).thenRejected('invalid-credentials');
    given(made('user')).when(accept(acceptance, early)).thenRejected('invalid-credentials');
    given(invitation)
      .when(accept(acceptance, instantAfter(7 * 86_400)))
      .thenRejected('invalid-credentials');
  });
});

describe('issuing an invitation to a user who exists', () => {
  const issued = (number: number): Extract<UserEvent, { type: 'InvitationIssued' }> => ({
    type: 'InvitationIssued',
    data: {
      user_id: id,
      token_hash: `hash-of-issued-${number}`,
      expires_at: instantAfter(7 * 86_400),
    },
  });
  const acceptanceOf = (tokenHash: string) => ({
    tokenHash,
    passwordHash: 'new',
    firstName: null,
    lastName: null,
  });
  const changed = (password_hash: string): UserEvent => ({
    type: 'PasswordChanged',
    data: { user_id: id, password_hash, kept_family_id: null },
  });
  const accepting = accept(acceptanceOf('hash-of-issued-1'), instantAfter(1));
  const acceptedEvents: readonly UserEvent[] = [
    {
      type: 'InvitationAccepted',
      data: { user_id: id, auth_method: 'email', first_name: null, last_name: null },
    },
    changed('new'),
  ];

  it('issues a token to live users only, and each once', () => {
    given(made('user'))
      .when(issue(issued(1).data))
      .then(issued(1));
    given(made('user'), issued(1))
      .when(issue(issued(1).data))
      .thenNothing();
    given(made('user'), issued(1))
      .when(issue(issued(2).data))
      .then(issued(2));
    given()
      .when(issue(issued(1).data))
      .thenRejected('not-found');
    given(made('user'), removed)
      .when(issue(issued(1).data))
      .thenRejected('not-found');
  });

  it('leaves the exceptions to its caller', () => {
    const refuse = issue(issued(1).data, ({ role }) =>
      role === 'admin' ? reject('forbidden', 'No') : null,
    );
    given(made('admin')).when(refuse).thenRejected('forbidden');
    given(made('user')).when(refuse).then(issued(1));
    given(made('user'))
      .when(issue(issued(1).data, () => []))
      .thenNothing();
  });

  it('sets a password with it, whether the user had one or never accepted', () => {
    given(made('user'), changed('old'), issued(1))
      .when(accepting)
      .then(...acceptedEvents);
    given(userInvited(1, 'user'), issued(1))
      .when(accepting)
      .then(...acceptedEvents);
  });

  it('ends with its use, its time, a newer one, another password and the user', () => {
    const ends: readonly (readonly UserEvent[])[] = [
      [changed('old')],
      [issued(2)],
      [removed],
      [...acceptedEvents.slice(0, 1), changed('used')],
    ];
    for (const end of ends) {
      given(made('user'), issued(1), ...end)
        .when(accepting)
        .thenRejected('invalid-credentials');
    }
    given(made('user'), issued(1))
      .when(accept(acceptanceOf('hash-of-issued-1'), instantAfter(7 * 86_400)))
      .thenRejected('invalid-credentials');
    given(userInvited(1, 'user'), issued(1))
      .when(accept(acceptanceOf('hash-of-token-1'), instantAfter(1)))
      .thenRejected('invalid-credentials');
  });
});

describe('admitting to a group', () => {
  const group = 'group' as GroupId;
  const created: GroupEvent = groupCreated(group, id);
  const member = (number: number) => `member-${number}` as GroupMemberId;
  const joined = (number: number): GroupEvent => ({
    type: 'GroupMemberAdded',
    data: {
      group_id: group,
      user_id: userId(number),
      member_id: member(number),
      role: 'member',
    },
  });
  const newcomer = (number: number) => ({
    userId: userId(number),
    role: 'member' as const,
    id: member(number),
  });
  const of = deciderSpec(groups);

  it('adds newcomers once and leaves members as they are', () => {
    of(created, joined(1))
      .when(admitMembers(group, [newcomer(1), newcomer(2), newcomer(2)]))
      .then(joined(2));
    of(created, joined(1))
      .when(admitMembers(group, [{ ...newcomer(1), role: 'maintainer' }]))
      .thenNothing();
  });

  it('is not possible in a deleted or full group', () => {
    const gone: GroupEvent = {
      type: 'GroupDeleted',
      data: { group_id: group, organization_id: organization },
    };
    of()
      .when(admitMembers(group, [newcomer(1)]))
      .thenRejected('not-found');
    of(created, gone)
      .when(admitMembers(group, [newcomer(1)]))
      .thenRejected('not-found');
    const many = Array.from({ length: groupMembersMax }, (_, at) => joined(at));
    of(created, ...many)
      .when(admitMembers(group, [newcomer(groupMembersMax)]))
      .thenRejected('conflict', /at most/);
  });
});
