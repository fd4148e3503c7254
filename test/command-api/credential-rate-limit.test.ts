import { expect } from 'chai';
import {
  openCredentialRateLimit,
  type CredentialRateLimit,
} from '../../command-api/access/credential-rate-limit.js';
import { Fault } from '../../kernel/fault.js';
import { testClock } from '../support/test-log.js';

describe('failed credentials', () => {
  let clock: ReturnType<typeof testClock>;
  let rateLimit: CredentialRateLimit;
  beforeEach(() => {
    clock = testClock();
    rateLimit = openCredentialRateLimit(clock);
  });
  /** Seconds to wait; null = the failure was taken note of. */
  const fail = (subject: string | null, address: string): number | null => {
    try {
      rateLimit.recordFailure(subject, address);
      return null;
    } catch (error) {
      return error instanceof Fault && error.code === 'too-many' ? error.retryAfterSeconds : NaN;
    }
  };
  const times = (count: number, work: (index: number) => unknown): readonly unknown[] =>
    Array.from({ length: count }, (_, index) => work(index));

  it('are five a minute for one subject, wherever they come from, in either case', () => {
    expect(times(5, (at) => fail('Ada@example.org', `10.0.0.${at}`))).to.deep.equal(
      Array(5).fill(null),
    );
    expect(fail('ada@EXAMPLE.org', '10.0.0.9')).to.equal(60);
    expect(fail('eve@example.org', '10.0.0.9')).to.equal(null);
    clock.move(20);
    expect(fail('ada@example.org', '10.0.0.9')).to.equal(40);
    clock.move(40);
    expect(fail('ada@example.org', '10.0.0.9')).to.equal(null);
  });

  it('expire one by one, each when it is a minute old', () => {
    times(5, () => {
      fail('ada', '10.0.0.1');
      clock.move(10);
    });
    expect(fail('ada', '10.0.0.1')).to.equal(10);
    clock.move(10);
    expect(fail('ada', '10.0.0.1')).to.equal(null);
    expect(fail('ada', '10.0.0.1')).to.equal(10);
  });

  it('are thirty a minute for one address, whatever their subject', () => {
    expect(times(30, (at) => fail(`user-${at}`, '10.0.0.1'))).to.deep.equal(Array(30).fill(null));
    expect(fail('somebody', '10.0.0.1')).to.equal(60);
    expect(fail(null, '10.0.0.1')).to.equal(60);
    expect(fail(null, '10.0.0.2')).to.equal(null);
  });

  it('do not count for a request without a subject', () => {
    times(30, () => fail(null, '10.0.0.1'));
    expect(() => rateLimit.check('ada', '10.0.0.2')).not.to.throw();
  });

  it('do not grow while they are refused: a client that waits is admitted again', () => {
    times(5, () => fail('ada', '10.0.0.1'));
    times(100, () => fail('ada', '10.0.0.1'));
    clock.move(60);
    expect(() => rateLimit.check('ada', '10.0.0.1')).not.to.throw();
  });

  it('count together for one IPv6 network, however an address is written', () => {
    times(30, (at) => fail(null, `2001:db8:1:2::${at}`));
    expect(fail(null, '2001:db8:1:2:ffff:0:0:1')).to.equal(60);
    expect(fail(null, '2001:db8:1:3::1')).to.equal(null);
    times(30, () => fail(null, '::1'));
    expect(fail(null, '0:0:0:0::1')).to.equal(60);
  });
});
