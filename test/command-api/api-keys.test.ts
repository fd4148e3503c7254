import { expect } from 'chai';
import { apiKeys } from '../../command-api/facts/api-keys.js';
import { create, revoke } from '../../command-api/api-keys/keys.js';
import { grantKey } from '../../command-api/api-keys/grant-rules.js';
import type { Principal, VisibleProject, ProjectRole } from '../../contract/roles.js';
import type { ApiKeyEvent } from '../../events/api-keys.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { keyId, apiKeyCreated, organization, projectId, userId } from '../support/access-events.js';

const given = deciderSpec(apiKeys);
const made = apiKeyCreated(1);
const revoked: ApiKeyEvent = { type: 'ApiKeyRevoked', data: { api_key_id: keyId(1) } };

describe('deciding on API keys', () => {
  it('creates one', () => {
    given().when(create(made.data)).then(made);
  });
  it('revokes once', () =>
    given(made)
      .when(revoke(keyId(1)))
      .then(revoked));
  it('refuses to revoke an unknown key', () =>
    given()
      .when(revoke(keyId(1)))
      .thenRejected('not-found'));
});

describe('a new key', () => {
  const person: Principal = {
    userId: userId(1),
    organizationId: organization,
    organizationRole: 'user',
    key: null,
  };
  const withKey = (more: Partial<NonNullable<Principal['key']>> = {}): Principal => ({
    ...person,
    key: {
      id: keyId(1),
      projectId: null,
      projectRole: null,
      expiresAt: null,
      lineage: [keyId(1), keyId(9)],
      ...more,
    },
  });
  const seenAs = (role: ProjectRole, number = 1): VisibleProject => ({
    id: projectId(number),
    name: 'p',
    role,
  });
  const nothing = { projectId: null, projectRole: null, expiresAt: null, pregenerated: false };
  const allowed = (...asked: Parameters<typeof grantKey>) => {
    const granted = grantKey(...asked);
    return 'rejected' in granted ? granted.rejected : granted;
  };
  const unbound = { projectId: null, projectRole: null, expiresAt: null };

  it('may be made by every person for themselves, with any role as a cap', () => {
    expect(allowed(person, nothing, null)).to.deep.include({ ...unbound, ancestors: [] });
    expect(allowed(person, { ...nothing, projectRole: 'owner' }, null)).to.include({
      projectRole: 'owner',
    });
  });

  it('may be bound to a project only by its owners', () => {
    expect(allowed(person, nothing, seenAs('editor'))).to.equal('forbidden');
    expect(allowed(person, nothing, seenAs('owner'))).to.include({ projectId: projectId(1) });
  });

  it('takes a value only from an owner of its project, or from an admin when unbound', () => {
    const asked = { ...nothing, pregenerated: true };
    expect(allowed(person, asked, null)).to.equal('forbidden');
    expect(allowed({ ...person, organizationRole: 'admin' }, asked, null)).to.include(unbound);
    expect(allowed(person, asked, seenAs('owner'))).to.include({ projectId: projectId(1) });
  });

  it('descends from the key that asks, and inherits what is left out', () => {
    const until = instantAfter(100);
    const parent = withKey({ projectRole: 'annotator', expiresAt: until });
    expect(allowed(parent, nothing, null)).to.deep.equal({
      projectId: null,
      projectRole: 'annotator',
      expiresAt: until,
      ancestors: [keyId(1), keyId(9)],
    });
  });

  it('is an editor where its parent is an owner, and never an owner', () => {
    const parent = withKey({ projectRole: 'owner' });
    expect(allowed(parent, nothing, null)).to.include({ projectRole: 'editor' });
    expect(allowed(parent, { ...nothing, projectRole: 'owner' }, null)).to.equal('forbidden');
    expect(allowed(withKey(), { ...nothing, projectRole: 'owner' }, null)).to.equal('forbidden');
  });

  it('is limited where its parent is its creator in all but name', () => {
    for (const principal of [withKey(), { ...withKey(), organizationRole: 'admin' as const }]) {
      expect(allowed(principal, nothing, null)).to.include({ projectRole: 'editor' });
      expect(allowed(principal, nothing, seenAs('owner'))).to.include({ projectRole: 'editor' });
    }
    const bound = withKey({ projectId: projectId(1) });
    expect(allowed(bound, nothing, seenAs('owner'))).to.include({ projectRole: 'editor' });
    expect(allowed(withKey(), { ...nothing, projectRole: 'viewer' }, null)).to.include({
      projectRole: 'viewer',
    });
  });

  it('never has more rights than its parent', () => {
    const parent = withKey({ projectRole: 'annotator' });
    expect(allowed(parent, { ...nothing, projectRole: 'editor' }, null)).to.equal('forbidden');
    expect(allowed(parent, { ...nothing, projectRole: 'viewer' }, null)).to.include({
      projectRole: 'viewer',
    });
  });

  it('ends no later than its parent', () => {
    const parent = withKey({ expiresAt: instantAfter(100) });
    const until = (seconds: number) => ({ ...nothing, expiresAt: instantAfter(seconds) });
    expect(allowed(parent, until(101), null)).to.equal('forbidden');
    expect(allowed(parent, until(100), null)).to.include({ expiresAt: instantAfter(100) });
    expect(allowed(withKey(), until(1_000), null)).to.include({ expiresAt: instantAfter(1_000) });
  });

  it('stays in the project of a bound parent', () => {
    const parent = withKey({ projectId: projectId(1) });
    expect(allowed(parent, nothing, seenAs('owner'))).to.include({ projectId: projectId(1) });
    expect(allowed(parent, nothing, seenAs('owner', 2))).to.equal('forbidden');
  });
});
