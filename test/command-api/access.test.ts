import { expect } from 'chai';
import { reservationStream } from '../../command-api/facts/reservations.js';
import { projectStream } from '../../command-api/facts/projects.js';
import { apiKeyStream } from '../../command-api/facts/api-keys.js';
import { userStream } from '../../command-api/facts/users.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { roleInProject, type OrganizationRole, type ProjectRole } from '../../contract/roles.js';
import type { ApiKeyCreated } from '../../events/api-keys.js';
import { Fault } from '../../kernel/fault.js';
import { testAuthorizer } from '../support/test-authorizer.js';
import { instantAfter, testClock, testLog, type TestLog } from '../support/test-log.js';
import {
  keyId,
  apiKeyCreated,
  otherOrganization,
  projectId,
  projectCreated,
  userId,
  userCreated,
} from '../support/access-events.js';

const key = (more: { projectId?: number; projectRole?: ProjectRole } = {}) => ({
  id: keyId(1),
  projectId: more.projectId === undefined ? null : projectId(more.projectId),
  projectRole: more.projectRole ?? null,
  expiresAt: null,
  lineage: [],
});

describe('effective role in a project', () => {
  const project = projectId(1);
  const roles: readonly (readonly [OrganizationRole, ProjectRole | null, ProjectRole | null])[] = [
    ['read_only', 'owner', 'viewer'],
    ['read_only', null, null],
    ['auditor', 'editor', 'editor'],
    ['auditor', null, 'viewer'],
    ['user', 'annotator', 'annotator'],
    ['user', null, null],
    ['manager', 'owner', 'owner'],
    ['manager', null, null],
    ['admin', 'viewer', 'owner'],
    ['admin', null, 'owner'],
  ];
  for (const [role, granted, effective] of roles) {
    it(`gives ${role} ${effective ?? 'no role'} for a grant of ${granted ?? 'nothing'}`, () =>
      expect(roleInProject(role, null, project, granted)).to.equal(effective));
  }

  it('is the lesser of the key’s role and its creator’s for a key', () => {
    const as = (projectRole: ProjectRole) => key({ projectRole });
    expect(roleInProject('admin', as('annotator'), project, null)).to.equal('annotator');
    expect(roleInProject('auditor', as('editor'), project, null)).to.equal('viewer');
    expect(roleInProject('user', as('editor'), project, null)).to.equal(null);
    expect(roleInProject('user', as('editor'), project, 'annotator')).to.equal('annotator');
  });

  it('is absent in other projects for a bound key, even of an admin', () => {
    const as = key({ projectId: 2 });
    expect(roleInProject('admin', as, project, 'owner')).to.equal(null);
    expect(roleInProject('admin', as, projectId(2), null)).to.equal('owner');
  });
});

describe('the request authorizer', () => {
  let world: TestLog;
  let clock: ReturnType<typeof testClock>;
  let authorizer: RequestAuthorizer;

  beforeEach(async () => {
    world = await testLog();
    clock = testClock();
    authorizer = testAuthorizer({
      log: world.log,
      clock,
      secrets: {
        hashKey: (value) => (value.startsWith('broken') ? null : `hash-${value}`),
        truncate: (value) => value,
      },
    });
    await world.append(userStream(userId(1)), userCreated(1, 'admin'));
    await world.append(userStream(userId(2)), userCreated(2, 'user'));
    await world.append(userStream(userId(3)), userCreated(3, 'user', otherOrganization));
    await world.append(projectStream(projectId(1)), projectCreated(1, userId(2)));
  });
  afterEach(() => world.close());

  const register = async (number: number, more: Partial<ApiKeyCreated> = {}) => {
    const names = reservationStream('api-key-value', `hash-${number}`);
    await world.append(names, { type: 'NameClaimed', data: { holder: keyId(number) } });
    await world.append(apiKeyStream(keyId(number)), apiKeyCreated(number, more));
  };
  const revoke = (number: number) =>
    world.append(apiKeyStream(keyId(number)), {
      type: 'ApiKeyRevoked',
      data: { api_key_id: keyId(number) },
    });
  const enter = (value: string) =>
    authorizer.authenticate({ scheme: 'K', key: value }, '127.0.0.1');
  const refusal = async (value: string): Promise<string | null> => {
    try {
      await enter(value);
      return null;
    } catch (error) {
      return error instanceof Fault ? error.code : String(error);
    }
  };

  it('admits a key as its creator, with the rights of the key', async () => {
    await register(1, { project_role: 'editor', ancestors: [keyId(9)] });
    await register(9);
    const principal = await enter('1');
    expect(principal).to.deep.include({ userId: userId(1), organizationRole: 'user' });
    expect(principal.key).to.deep.include({
      id: keyId(1),
      projectRole: 'editor',
      lineage: [keyId(1), keyId(9)],
    });
    expect((await enter('9')).organizationRole).to.equal('admin');
  });

  it('refuses unknown and broken values alike, and values whose key was never made', async () => {
    const names = reservationStream('api-key-value', 'hash-7');
    await world.append(names, { type: 'NameClaimed', data: { holder: keyId(7) } });
    for (const value of ['unknown', 'broken', '7']) {
      expect(await refusal(value)).to.equal('invalid-credentials');
    }
  });

  it('admits a key as soon as it is made, even when it was tried before', async () => {
    expect(await refusal('1')).to.equal('invalid-credentials');
    await register(1);
    expect(await refusal('1')).to.equal(null);
  });

  it('refuses a revoked key within half a second', async () => {
    await register(1);
    await register(2, { ancestors: [keyId(1)] });
    await enter('1');
    await enter('2');
    await revoke(1);
    clock.move(0.5);
    expect(await refusal('1')).to.equal('invalid-credentials');
    expect(await refusal('2')).to.equal('invalid-credentials');
  });

  it('does not admit a key past its expiry, to the microsecond', async () => {
    await register(1, { expires_at: instantAfter(10) });
    clock.move(9.999);
    expect(await refusal('1')).to.equal(null);
    clock.move(0.001);
    expect(await refusal('1')).to.equal('token-expired');
  });

  it('stamps the last use at most once a minute', async () => {
    await register(1);
    expect(authorizer.lastUsed(keyId(1))).to.equal(null);
    await enter('1');
    clock.move(59);
    await enter('1');
    expect(authorizer.lastUsed(keyId(1))).to.equal(instantAfter(0));
    clock.move(1);
    await enter('1');
    expect(authorizer.lastUsed(keyId(1))).to.equal(instantAfter(60));
  });

  it('shows a bound key of an admin its project, whatever its creator', async () => {
    await register(1, { project_id: projectId(1), project_role: 'editor' });
    const principal = await enter('1');
    expect(await authorizer.visibleProject(principal, projectId(1))).to.deep.equal({
      id: projectId(1),
      name: 'project 1',
      role: 'editor',
    });
  });

  it('hides deleted projects and those of other people or organisations', async () => {
    await world.append(
      projectStream(projectId(2)),
      projectCreated(2, userId(3), otherOrganization),
    );
    await register(1);
    await register(2, { created_by: userId(2) });
    const [admin, user] = [await enter('1'), await enter('2')];
    expect(await authorizer.visibleProject(user, projectId(1))).to.include({ role: 'owner' });
    expect(await authorizer.visibleProject(admin, projectId(2))).to.equal(null);
    expect(await authorizer.visibleProject(admin, projectId(3))).to.equal(null);
    const deleted = { type: 'ProjectDeleted', data: { project_id: projectId(1) } };
    await world.append(projectStream(projectId(1)), deleted);
    expect(await authorizer.visibleProject(user, projectId(1))).to.equal(null);
  });

  it('shows only users of the caller’s organisation', async () => {
    await register(1);
    const principal = await enter('1');
    expect(await authorizer.visibleUser(principal, userId(2))).to.deep.equal({
      id: userId(2),
      role: 'user',
    });
    expect(await authorizer.visibleUser(principal, userId(3))).to.equal(null);
    expect(await authorizer.visibleUser(principal, userId(8))).to.equal(null);
  });
});
