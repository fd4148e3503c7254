import { expect } from 'chai';
import { userEmails, userStream } from '../../command-api/facts/users.js';
import type { RequestAuthorizer } from '../../contract/request-ports.js';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { randomIds } from '../../engines/node/ids.js';
import { Fault } from '../../kernel/fault.js';
import { testAuthorizer, testSecrets } from '../support/test-authorizer.js';
import { testClock, testLog, type TestLog } from '../support/test-log.js';
import { userId, userCreated } from '../support/access-events.js';

const email = 'user-1@example.org';
const right = 'the password of ada';

describe('a login with a password', () => {
  let world: TestLog;
  let clock: ReturnType<typeof testClock>;
  let authorizer: RequestAuthorizer;
  beforeEach(async () => {
    world = await testLog();
    clock = testClock();
    authorizer = testAuthorizer({ log: world.log, clock });
    const passwords = openPasswords({ pepper: testSecrets.passwordPepper, clock });
    const password_hash = await passwords.hash(right);
    const data = { user_id: userId(1), password_hash, kept_family_id: null };
    const holder = { holder: userId(1) };
    await world.append(userStream(userId(1)), userCreated(1, 'user'), {
      type: 'PasswordChanged',
      data,
    });
    const claimed = { type: 'NameClaimed', data: holder };
    await world.append(userEmails.stream({ ids: randomIds }, email), claimed);
  });
  afterEach(() => world.close());

  const enter = async (password: string, address = '10.0.0.1'): Promise<string> => {
    try {
      await authorizer.authenticate({ scheme: 'P', email, password }, address);
      return 'in';
    } catch (error) {
      return error instanceof Fault ? error.code : String(error);
    }
  };
  const wrong = Array.from({ length: 8 }, (_, index) => `a wrong password ${index}`);

  it('is refused after a burst of guesses, even when one of them is right', async () => {
    const said = await Promise.all(
      [...wrong, right].map((guess, at) => enter(guess, `10.0.0.${at}`)),
    );
    expect(said).to.deep.equal([
      ...Array.from({ length: 5 }, () => 'invalid-credentials'),
      ...Array.from({ length: 4 }, () => 'too-many'),
    ]);
    clock.move(60);
    expect(await enter(right)).to.equal('in');
  });

  it('is not throttled by failures of others within a minute after a success', async () => {
    expect(await enter(right)).to.equal('in');
    for (const guess of wrong) await enter(guess, '10.6.6.6');
    expect(await enter(right)).to.equal('in');
    expect(await enter('one more guess')).to.equal('too-many');
  });

  it('is counted first from every other address, even with the right password', async () => {
    expect(await enter(right, '2001:db8:1:2::1')).to.equal('in');
    for (const guess of wrong) await enter(guess, '10.6.6.6');
    expect(await enter(right, '10.6.6.6')).to.equal('too-many');
    expect(await enter(right, '2001:db8:1:3::1')).to.equal('too-many');
    expect(await enter(right, '2001:db8:1:2::2')).to.equal('in');
  });

  it('fails once the user is removed, even if it succeeded a moment ago', async () => {
    expect(await enter(right)).to.equal('in');
    await world.append(userStream(userId(1)), {
      type: 'UserRemoved',
      data: { user_id: userId(1), organization_id: userId(1) },
    });
    expect(await enter(right)).to.equal('invalid-credentials');
  });
});
