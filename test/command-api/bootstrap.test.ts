import { expect } from 'chai';
import { bootstrap } from '../../command-api/bootstrap/bootstrap.js';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { randomIds } from '../../engines/node/ids.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, type EventLog } from '../../kernel/ports.js';
import { testAuthorizer, testSecrets } from '../support/test-authorizer.js';
import { testClock, testLog, type TestLog } from '../support/test-log.js';

const secrets = testSecrets;
const wanted = { organization: 'org', email: 'ada@example.org', apiKey: null, password: null };
const given = 'a-key-that-the-operator-chose-0123456789';

describe('the first start', () => {
  let world: TestLog;
  const clock = testClock();
  const passwords = openPasswords({ pepper: secrets.passwordPepper, clock });
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  const begin = (more: { apiKey?: string; password?: string } = {}, log: EventLog = world.log) =>
    bootstrap({ log, ids: randomIds, clock, secrets, passwords }, { ...wanted, ...more });
  const whole = async (more: { apiKey?: string; password?: string } = {}) => {
    const begun = await begin(more);
    await begun.finish();
    return begun.minted;
  };
  const enter = async (key: string) => {
    const authorizer = testAuthorizer({ log: world.log, clock });
    return authorizer.authenticate({ scheme: 'K', key }, '127.0.0.1').catch(() => null);
  };
  const typesInLog = async () =>
    (await world.log.page(logStart, 100)).events.map(({ type }) => type);

  it('makes an organisation, its admin and a key of theirs, and shows the key', async () => {
    const minted = await whole();
    expect(minted).to.match(/^asy_/);
    expect(await enter(minted ?? '')).to.include({ organizationRole: 'admin' });
  });

  it('holds no key value in the log', async () => {
    const minted = await whole();
    const text = JSON.stringify((await world.log.page(logStart, 100)).events);
    expect(text).to.include('ada@example.org');
    expect(text).not.to.include(minted ?? '');
  });

  it('does nothing the second time', async () => {
    await whole();
    const before = await typesInLog();
    expect(await whole()).to.equal(null);
    expect(await typesInLog()).to.deep.equal(before);
  });

  it('mints again until a key has been shown, and that one works', async () => {
    const unseen = await begin();
    expect(await enter(unseen.minted ?? '')).to.equal(null);
    const shown = await whole();
    expect(shown).not.to.equal(unseen.minted);
    expect(await enter(shown ?? '')).to.include({ organizationRole: 'admin' });
  });

  for (const [appends, what] of ['organisation', 'claim', 'key', 'admin'].entries()) {
    it(`ends well after a kill before the ${what} was written`, async () => {
      let left = appends;
      const dying: EventLog = {
        ...world.log,
        append: async (batch) => {
          if (left === 0) throw new Error('killed');
          left -= 1;
          return world.log.append(batch);
        },
      };
      const killed = await begin({}, dying)
        .then((begun) => begun.finish())
        .catch((error: unknown) => String(error));
      expect(killed).to.equal('Error: killed');
      expect(await enter((await whole()) ?? '')).to.include({ organizationRole: 'admin' });
    });
  }

  it('takes a key from the environment, mints none, and takes another one later', async () => {
    expect(await whole({ apiKey: given })).to.equal(null);
    expect(await enter(given)).to.include({ organizationRole: 'admin' });
    await whole({ apiKey: `${given}-2` });
    expect(await enter(`${given}-2`)).to.include({ organizationRole: 'admin' });
    expect(await enter(given)).to.include({ organizationRole: 'admin' });
  });

  it('does not bring a revoked key back', async () => {
    await whole({ apiKey: given });
    const id = (await enter(given))?.key?.id ?? '';
    await world.append(`api-key-${id}` as never, {
      type: 'ApiKeyRevoked',
      data: { api_key_id: id },
    });
    await whole({ apiKey: given });
    expect(await enter(given)).to.equal(null);
  });

  it('gives the admin a password once, even at a later start, and never another one', async () => {
    const logIn = (password: string) =>
      testAuthorizer({ log: world.log, clock })
        .authenticate({ scheme: 'P', email: wanted.email, password }, '127.0.0.1')
        .catch(() => null);
    await whole();
    expect(await logIn('a password of ada')).to.equal(null);
    await whole({ password: 'a password of ada' });
    await whole({ password: 'another password' });
    expect(await logIn('a password of ada')).to.include({ organizationRole: 'admin' });
    expect(await logIn('another password')).to.equal(null);
    expect(JSON.stringify((await world.log.page(logStart, 100)).events)).not.to.include(
      'password of',
    );
  });

  describe('inviting the admin', () => {
    const inviteAfterStart = async (more: { apiKey?: string; password?: string } = {}) => {
      const begun = await begin(more);
      await begun.finish();
      return begun.inviteAdmin();
    };

    it('mints one invitation, not logged, while the admin has no login', async () => {
      const first = await inviteAfterStart({ apiKey: given });
      expect(first).to.include({ email: wanted.email });
      expect(first?.token).to.match(/^inv_[0-9A-Za-z_-]{64}$/);
      const again = await inviteAfterStart({ apiKey: given });
      expect(again).to.deep.equal({ ...first, token: null });
      expect((await typesInLog()).filter((type) => type === 'InvitationIssued')).to.have.length(1);
      const text = JSON.stringify((await world.log.page(logStart, 100)).events);
      expect(text).not.to.include(first?.token ?? '');
    });

    it('mints another one when the first has expired', async () => {
      const first = await inviteAfterStart();
      clock.move(7 * 86_400);
      const second = await inviteAfterStart();
      expect(second?.token).to.match(/^inv_/).and.not.equal(first?.token);
    });

    it('invites no admin who has a password, lost the role or was removed', async () => {
      expect(await inviteAfterStart({ password: 'a password of ada' })).to.equal(null);
      await world.close();
      for (const type of ['UserRoleChanged', 'UserRemoved'] as const) {
        world = await testLog();
        await whole();
        const user_id = randomIds.derive('UserId', 'bootstrap');
        const organization_id = randomIds.derive('OrganizationId', 'bootstrap');
        await world.append(`user-${user_id}` as never, {
          type,
          data: type === 'UserRemoved' ? { user_id, organization_id } : { user_id, role: 'user' },
        });
        expect(await inviteAfterStart(), type).to.equal(null);
        if (type === 'UserRoleChanged') await world.close();
      }
    });
  });

  it('refuses a malformed key', async () => {
    for (const apiKey of ['short', `asy_${'0'.repeat(49)}`, `${given} with spaces`]) {
      const refused = await begin({ apiKey }).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Fault);
    }
    expect(await typesInLog()).to.deep.equal(['OrganizationCreated']);
  });
});
