import { expect } from 'chai';
import { openAuthentication } from '../../command-api/access/authenticate.js';
import {
  beginFamily,
  endFamily,
  refreshTokenFamilies,
  graceSeconds,
  idleSeconds,
  isAlive,
  rotateRefreshToken,
  rotationsMax,
  refreshFamilyStream,
} from '../../command-api/facts/refresh-families.js';
import { users, userStream } from '../../command-api/facts/users.js';
import { openAccessTokens } from '../../engines/jsonwebtoken/access-tokens.js';
import type { RefreshFamilyEvent, RefreshFamilyStarted } from '../../events/refresh-families.js';
import type { UserEvent } from '../../events/users.js';
import type { FamilyId } from '../../kernel/schema-types.js';
import { authorizerNeeds, testSecrets } from '../support/test-authorizer.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter, testClock, testLog } from '../support/test-log.js';
import { organization, userId, userCreated } from '../support/access-events.js';

const id = 'eeeeeeee-0000-4000-8000-000000000001' as FamilyId;
const day = 86_400;
const start: RefreshFamilyStarted = {
  family_id: id,
  user_id: userId(1),
  organization_id: organization,
  auth_method: 'email',
  password_changes: 0,
  token_hash: 'one',
  started_at: instantAfter(0),
  expires_at: instantAfter(30 * day),
};
const started: RefreshFamilyEvent = { type: 'RefreshFamilyStarted', data: start };
const rotated = (token_hash: string, seconds: number): RefreshFamilyEvent => ({
  type: 'RefreshTokenRotated',
  data: { family_id: id, token_hash, rotated_at: instantAfter(seconds) },
});
const revoked = (reason: 'reuse' | 'logout'): RefreshFamilyEvent => ({
  type: 'RefreshFamilyRevoked',
  data: { family_id: id, reason },
});
const present = (presented: string, successor: string, seconds: number) =>
  rotateRefreshToken({ presented, successor }, instantAfter(seconds));

const given = deciderSpec(refreshTokenFamilies);

describe('a family of refresh tokens', () => {
  it('begins once', () => {
    given().when(beginFamily(start)).then(started);
  });

  it('has one successor for its token', () => {
    given(started)
      .when(present('one', 'two', 60))
      .then(rotated('two', 60));
  });

  it('answers the last predecessor for ten seconds without a new event', () => {
    given(started, rotated('two', 60))
      .when(present('one', 'two', 60 + graceSeconds))
      .thenNothing();
  });

  it('is revoked by the last predecessor after ten seconds', () => {
    given(started, rotated('two', 60))
      .when(present('one', 'two', 60 + graceSeconds + 1))
      .then(revoked('reuse'));
  });

  it('is revoked by an older one at once', () => {
    given(started, rotated('two', 60), rotated('three', 61))
      .when(present('one', 'two', 61))
      .then(revoked('reuse'));
  });

  it('is left alone by a token that was never one of its own', () => {
    given(started, rotated('two', 60))
      .when(present('made up', 'x', 61))
      .thenNothing();
  });

  it('ends after seven idle days, and after thirty days in all', () => {
    given(started)
      .when(present('one', 'two', idleSeconds))
      .then(rotated('two', idleSeconds));
    given(started)
      .when(present('one', 'two', idleSeconds + 1))
      .thenNothing();
    const busy = [6, 12, 18, 24, 29].map((days, at) => rotated(`t${at}`, days * day));
    given(started, ...busy)
      .when(present('t4', 'last', 30 * day - 1))
      .then(rotated('last', 30 * day - 1));
    given(started, ...busy)
      .when(present('t4', 'last', 30 * day))
      .thenNothing();
  });

  it('does nothing once it is revoked', () => {
    given(started, revoked('logout'))
      .when(present('one', 'two', 1))
      .thenNothing();
    given(started, revoked('reuse')).when(endFamily).thenNothing();
    given().when(endFamily).thenNothing();
    given(started).when(endFamily).then(revoked('logout'));
  });

  it('bounds the length of its stream', () => {
    const busy = Array.from({ length: rotationsMax }, (_, at) => rotated(`t${at}`, at));
    given(started, ...busy)
      .when(present(`t${rotationsMax - 1}`, 'x', rotationsMax))
      .thenNothing();
  });

  describe('lifetime of a family', () => {
    const family = refreshTokenFamilies.evolve(null, started);
    const user = (...events: readonly UserEvent[]) =>
      [userCreated(1, 'user'), ...events].reduce(users.evolve, users.initial);
    const changed = (kept_family_id: FamilyId | null): UserEvent => ({
      type: 'PasswordChanged',
      data: { user_id: userId(1), password_hash: 'hash', kept_family_id },
    });
    const removed: UserEvent = {
      type: 'UserRemoved',
      data: { user_id: userId(1), organization_id: organization },
    };
    const alive = (whose: ReturnType<typeof user>, seconds = 1): boolean =>
      family !== null && isAlive(family, whose, instantAfter(seconds));

    it('lasts as long as its user, and thirty days at most', () => {
      expect(alive(user())).to.equal(true);
      expect(alive(user(), 30 * day)).to.equal(false);
      expect(alive(user(removed))).to.equal(false);
      expect(alive(null)).to.equal(false);
    });

    it('ends with a change of the password, except by this login', () => {
      expect(alive(user(changed(null)))).to.equal(false);
      expect(alive(user(changed(id)))).to.equal(true);
      expect(alive(user(changed(id), changed(null)))).to.equal(false);
      expect(alive(user(changed(null), changed(id)))).to.equal(true);
    });
  });
});

describe('a login in another process', () => {
  it('is dead within a second after its family was revoked or its user removed', async () => {
    const world = await testLog();
    const clock = testClock();
    const tokens = openAccessTokens(testSecrets.accessTokenSeed);
    // Two processes: nothing in common but the log and the secret key.
    const one = openAuthentication(authorizerNeeds({ log: world.log, clock }));
    const claims = { userId: userId(1), organizationId: organization };
    const token = await tokens.issue(
      { ...claims, session: { familyId: id, keyId: null } },
      clock.now(),
      null,
    );
    const enter = async (): Promise<string> => {
      try {
        await one.authenticate({ scheme: 'B', token }, '127.0.0.1');
        return 'in';
      } catch (error) {
        return String((error as { readonly code?: string }).code);
      }
    };
    expect(await enter()).to.equal('invalid-credentials');
    await world.append(userStream(userId(1)), userCreated(1, 'user'));
    await world.append(refreshFamilyStream(id), started);
    expect(await enter()).to.equal('in');
    await world.append(refreshFamilyStream(id), revoked('logout'));
    clock.move(0.5);
    expect(await enter()).to.equal('invalid-credentials');
    clock.move(86_400);
    expect(await enter()).to.equal('token-expired');
    await world.close();
  });
});
