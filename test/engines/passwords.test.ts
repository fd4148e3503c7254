import { expect } from 'chai';
import { openPasswords } from '../../engines/argon2/passwords.js';
import { Fault } from '../../kernel/fault.js';
import { passwordLimit } from '../../kernel/limits.js';
import { testClock } from '../support/test-log.js';
import { cpuTime } from '../support/cpu-time.js';

const pepper = Buffer.alloc(32, 3);
const here = '10.0.0.1';
const secret = 'correct horse battery';

describe('passwords', () => {
  it('hashes with argon2id at the cost of contract 2.5, under a pepper', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const hash = await passwords.hash(secret);
    expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.hash(secret)).not.to.equal(hash);
    expect(await passwords.verify(hash, secret, here)).to.equal(true);
    expect(await passwords.verify(hash, `${secret} `, here)).to.equal(false);
    const elsewhere = openPasswords({ pepper: Buffer.alloc(32, 4), clock: testClock() });
    expect(await elsewhere.verify(hash, secret, here)).to.equal(false);
  });

  it('verifies hashes of earlier versions', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const stored =
      '$argon2id$v=19$m=19456,t=2,p=1$v+eHzcm8Kl65XeDkoQ98Mw' +
      '$NupbHPIcRXbs+C1Phj7CcY2rWAEQ5Ye1aRzDbo+l11Y';
    expect(await passwords.verify(stored, secret, here)).to.equal(true);
    expect(await passwords.verify(stored, `${secret} `, here)).to.equal(false);
  });

  it('rejects unknown users and over-long passwords', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const hash = await passwords.hash(secret);
    for (const tried of ['nobody', '', secret, 'x'.repeat(100_000)]) {
      expect(await passwords.verify(null, tried, here)).to.equal(false);
    }
    expect(await passwords.verify(hash, secret.padEnd(100_000), here)).to.equal(false);
  });

  it('takes as long for unknown users as for wrong passwords', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const hash = await passwords.hash(secret);
    // Of the processor, all threads together: how long it takes depends on who else works here.
    const best = async (work: () => Promise<unknown>): Promise<number> => {
      let least = Infinity;
      for (let times = 0; times < 7; times += 1) {
        const taken = cpuTime();
        await work();
        least = Math.min(least, taken());
      }
      return least;
    };
    const wrong = await best(() => passwords.verify(hash, 'not this one', here));
    const nobody = await best(() => passwords.verify(null, 'not this one', here));
    expect(nobody / wrong).to.be.within(0.5, 2);
  });

  it('caches a verified password for a minute, per hash and network', async () => {
    const clock = testClock();
    const passwords = openPasswords({ pepper, clock });
    const hash = await passwords.hash(secret);
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(false);
    await passwords.verify(hash, 'not this one', here);
    expect(passwords.wasVerifiedRecently(hash, 'not this one', here)).to.equal(false);
    await passwords.verify(hash, secret, here);
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(true);
    expect(passwords.wasVerifiedRecently(await passwords.hash(secret), secret, here)).to.equal(
      false,
    );
    expect(passwords.wasVerifiedRecently(null, secret, here)).to.equal(false);
    expect(passwords.wasVerifiedRecently(hash, secret, '10.0.0.2')).to.equal(false);
    clock.move(60);
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(false);
  });

  it('disables the cache after 20 wrong passwords from the same network', async () => {
    const clock = testClock();
    const passwords = openPasswords({ pepper, clock });
    const hash = await passwords.hash(secret);
    await passwords.verify(hash, secret, here);
    const guess = (count: number, from: string): void => {
      for (let n = 0; n < count; n += 1) passwords.wasVerifiedRecently(hash, `guess ${n}`, from);
    };
    guess(19, here);
    guess(50, '10.0.0.2');
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(true);
    guess(1, here);
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(false);
    await passwords.verify(hash, secret, here);
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(false);
    clock.move(60);
    await passwords.verify(hash, secret, here);
    expect(passwords.wasVerifiedRecently(hash, secret, here)).to.equal(true);
  });

  it('queues checks up to a limit', async () => {
    const passwords = openPasswords({
      pepper,
      clock: testClock(),
      limit: { size: 2, shares: {}, waitersMax: 3 },
    });
    const hash = await passwords.hash(secret);
    const asked = await Promise.allSettled(
      Array.from({ length: 7 }, () => passwords.verify(hash, 'not this one', here)),
    );
    const refused = asked.flatMap((one) =>
      one.status === 'rejected' && one.reason instanceof Fault ? [one.reason.code] : [],
    );
    // Two work, three wait.
    expect(refused).to.deep.equal(['unavailable', 'unavailable']);
  });

  it('hashes at most two at a time and leaves one processor free', () =>
    expect([1, 2, 3, 4, 64].map((cores) => passwordLimit(cores).size)).to.deep.equal([
      1, 1, 2, 2, 2,
    ]));
});
