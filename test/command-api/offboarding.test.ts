import { expect } from 'chai';
import { integrationStream } from '../../command-api/facts/integrations.js';
import { modelAccessStream } from '../../command-api/facts/model-access.js';
import { projectStream } from '../../command-api/facts/projects.js';
import { groupStream } from '../../command-api/facts/groups.js';
import { userStream } from '../../command-api/facts/users.js';
import { viewsStream } from '../../command-api/facts/views.js';
import { offboardPage } from '../../command-api/offboarding/worker.js';
import { randomIds } from '../../engines/node/ids.js';
import { logStart } from '../../kernel/ports.js';
import type { CollaboratorId, GroupId, GroupMemberId } from '../../kernel/schema-types.js';
import { testClock, testLog, type TestLog } from '../support/test-log.js';
import {
  groupCreated,
  integrationId,
  integrationLent,
  organization,
  projectId,
  projectCreated,
  userId,
  userCreated,
  viewId,
  viewSaved,
} from '../support/access-events.js';

describe('offboarding', () => {
  const group = 'eeeeeeee-0000-4000-8000-00000000000a' as GroupId;
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
    await world.append(userStream(userId(1)), userCreated(1, 'user'));
    await world.append(userStream(userId(2)), userCreated(2, 'user'));
    await world.append(
      groupStream(group),
      groupCreated(group, userId(1)),
      ...[1, 2].map((number) => ({
        type: 'GroupMemberAdded',
        data: {
          group_id: group,
          user_id: userId(number),
          member_id: `member-${number}` as GroupMemberId,
          role: 'maintainer',
        },
      })),
    );
    await world.append(projectStream(projectId(1)), projectCreated(1, userId(1)), {
      type: 'GroupCollaboratorAdded',
      data: {
        project_id: projectId(1),
        group_id: group,
        collaborator_id: 'one' as CollaboratorId,
        role: 'viewer',
      },
    });
  });
  afterEach(() => world.close());

  const act = () => offboardPage({ log: world.log, clock: testClock(), ids: randomIds }, logStart);
  const ending = async (stream: ReturnType<typeof groupStream>, count: number) =>
    (await world.eventsOf(stream)).slice(-count);
  const remove = (number: number) =>
    world.append(userStream(userId(number)), {
      type: 'UserRemoved',
      data: { user_id: userId(number), organization_id: organization },
    });

  it('takes a removed user out of groups and projects once, even the last owner', async () => {
    await remove(1);
    await act();
    const before = await world.log.head();
    expect(await ending(groupStream(group), 1)).to.deep.equal([
      { type: 'GroupMemberRemoved', data: { group_id: group, user_id: userId(1) } },
    ]);
    expect(await ending(projectStream(projectId(1)), 1)).to.deep.equal([
      { type: 'CollaboratorRemoved', data: { project_id: projectId(1), user_id: userId(1) } },
    ]);
    await act();
    expect(await world.log.head()).to.equal(before);
  });

  it('deletes the private views of a removed user, and no other view', async () => {
    const views = viewsStream(projectId(1));
    await world.append(
      views,
      viewSaved(1, userId(1)),
      viewSaved(2, userId(1), { is_shared: true }),
      viewSaved(3, userId(2)),
    );
    await remove(1);
    await act();
    expect(await ending(views, 2)).to.deep.equal([
      viewSaved(3, userId(2)),
      { type: 'ViewDeleted', data: { project_id: projectId(1), view_id: viewId(1) } },
    ]);
  });

  it('removes a deleted group from its projects, and no other collaborator', async () => {
    await world.append(groupStream(group), {
      type: 'GroupDeleted',
      data: { group_id: group, organization_id: organization },
    });
    await act();
    expect(await ending(projectStream(projectId(1)), 1)).to.deep.equal([
      { type: 'GroupCollaboratorRemoved', data: { project_id: projectId(1), group_id: group } },
    ]);
    expect((await ending(groupStream(group), 1))[0]?.type).to.equal('GroupDeleted');
  });

  it('ends lendings of a removed user and of a deleted integration, and no others', async () => {
    const access = modelAccessStream(projectId(1));
    const ended = (number: number) => ({
      type: 'IntegrationLendingEnded',
      data: { project_id: projectId(1), integration_id: integrationId(number) },
    });
    const providers = ['openai', 'mistral', 'writer'] as const;
    await world.append(
      access,
      ...providers.map((provider, at) =>
        integrationLent(integrationId(at + 1), provider, userId(at === 0 ? 1 : 2)),
      ),
    );
    await remove(1);
    await world.append(integrationStream(userId(2), 'mistral'), {
      type: 'IntegrationDeleted',
      data: {
        integration_id: integrationId(2),
        organization_id: organization,
        user_id: userId(2),
        provider: 'mistral',
      },
    });
    await act();
    expect(await ending(access, 2)).to.deep.equal([ended(1), ended(2)]);
    const before = await world.log.head();
    await act();
    expect(await world.log.head()).to.equal(before);
  });

  it('changes nothing while no user is removed', async () => {
    const before = await world.log.head();
    await act();
    expect(await world.log.head()).to.equal(before);
  });
});
