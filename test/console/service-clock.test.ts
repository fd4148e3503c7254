import { expect } from 'chai';
import { withServiceClock } from '../../console/client/service-clock.js';
import { browserClock } from '../../console/engines/clock.js';

describe('the clock of the service, as a page follows it', () => {
  /** The page's clock after an answer that took so long; the service wrote its `Date` at first. */
  const nowAfter = async (serviceMs: number, tookMs: number): Promise<number> => {
    let pageMs = Date.parse('2026-03-01T10:00:00Z');
    const begin = pageMs;
    const clock = { ...browserClock, now: () => pageMs };
    const date = new Date(begin + serviceMs).toUTCString();
    const followed = withServiceClock(async () => {
      pageMs += tookMs;
      return new Response('', { headers: { Date: date } });
    }, clock);
    await followed.fetch('/');
    return followed.now() - pageMs;
  };

  it('agrees within two seconds', async () => {
    for (const aheadMs of [0, -1_000]) expect(await nowAfter(aheadMs, 20)).to.equal(0);
  });

  it('is ahead or behind as the answer says', async () => {
    expect(await nowAfter(60_000, 20)).to.be.within(60_000, 61_000);
    expect(await nowAfter(-60_000, 20)).to.be.within(-60_000, -59_000);
  });

  it('takes an answer that was slow for slow, and not for an old one', async () => {
    expect(await nowAfter(0, 8_000)).to.equal(0);
  });
});
