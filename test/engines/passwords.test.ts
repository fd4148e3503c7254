import { expect } from 'chai';
import { hashConcurrency, openPasswords } from '../../engines/argon2/passwords.js';
import { Fault } from '../../kernel/fault.js';
import { testClock } from '../support/test-log.js';
import { cpuTime } from '../support/cpu-time.js';

const pepper = Buffer.alloc(32, 3);
const here = '10.0.0.1';
const secret = 'correct horse battery';

describe('passwords', () => {
  it('are kept as argon2id at the cost of contract 2.5, under a pepper', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const hash = await passwords.hash(secret);
    expect(hash).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.hash(secret)).not.to.equal(hash);
    expect(await passwords.verify(hash, secret, here)).to.equal(true);
    expect(await passwords.verify(hash, `${secret} `, here)).to.equal(false);
    const elsewhere = openPasswords({ pepper: Buffer.alloc(32, 4), clock: testClock() });
    expect(await elsewhere.verify(hash, secret, here)).to.equal(false);
  });

  it('match what was hashed before, whatever hashes now', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const stored =
      '$argon2id$v=19$m=19456,t=2,p=1$v+eHzcm8Kl65XeDkoQ98Mw' +
      '$NupbHPIcRXbs+C1Phj7CcY2rWAEQ5Ye1aRzDbo+l11Y';
    expect(await passwords.verify(stored, secret, here)).to.equal(true);
    expect(await passwords.verify(stored, `${secret} `, here)).to.equal(false);
  });

  it('match nobody and are too long for anybody', async () => {
    const passwords = openPasswords({ pepper, clock: testClock() });
    const hash = await passwords.hash(secret);
    for (const tried of ['nobody', '', secret, 'x'.repeat(100_000)]) {
      expect(await passwords.verify(null, tried, here)).to.equal(false);
    }
    expect(await passwords.verify(hash, secret.padEnd(100_000), here)).to.equal(false);
  });

  it('of nobody take as long as wrong ones', async () => {
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

  it('that were right are known for a minute, by their hash and where they came from', async () => {
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

  it('that were right are not known after 20 wrong ones from the same place', async () => {
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

  it('wait for their turn, and not without end', async () => {
    const passwords = openPasswords({ pepper, clock: testClock(), atOnceMax: 2, waitingMax: 3 });
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

  it('are compared two at a time at most, and leave a processor to everything else', () =>
    expect([1, 2, 3, 4, 64].map(hashConcurrency)).to.deep.equal([1, 1, 2, 2, 2]));
});
