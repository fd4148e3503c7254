import { expect } from 'chai';
import { openMemoryLeases } from '../../engines/memory/leases.js';
import { openMongoLeases } from '../../engines/mongodb/leases.js';
import { systemClock } from '../../engines/node/clock.js';
import type { Leases } from '../../kernel/ports.js';
import { leasesSuite } from '../suites/leases.js';
import { pollUntil } from '../support/poll-until.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

leasesSuite('one process', async () => {
  const leases = openMemoryLeases(systemClock);
  return { leases, close: () => leases.close() };
});

withMongo('leases of several processes', (server) => {
  leasesSuite('MongoDB', async () => {
    const url = server().url();
    const leases = await openMongoLeases({ url });
    const close = async () => {
      await leases.close();
      await dropDatabase(url);
    };
    return { leases, close };
  });

  describe('held lease', () => {
    let url: string;
    let all: readonly Leases[];
    beforeEach(async () => {
      url = server().url();
      all = await Promise.all([1, 2, 3].map(() => openMongoLeases({ url })));
    });
    afterEach(async () => {
      for (const leases of all) await leases.close();
      await dropDatabase(url);
    });
    const at = (place: number): Leases => all[place] ?? expect.fail();

    it('is refused to other holders, who cannot release it either', async () => {
      expect(await at(0).acquire('projections', 'one', 60_000)).to.equal(1);
      await at(1).release('projections', 'two');
      expect(await at(1).acquire('projections', 'two', 60_000)).to.equal(null);
      expect(await at(1).acquire('worker', 'two', 60_000)).to.equal(1);
    });

    it('is granted to one of many concurrent callers', async () => {
      for (let round = 0; round < 10; round += 1) {
        const askers = Array.from({ length: 12 }, (_, asker) => `asker ${asker}`);
        const fences = await Promise.all(
          askers.map((asker, place) => at(place % 3).acquire(`lease ${round}`, asker, 60_000)),
        );
        expect(fences.filter((fence) => fence !== null)).to.deep.equal([1]);
      }
    });

    it('passes to the next holder on expiry, under a greater fence', async () => {
      expect(await at(0).acquire('projections', 'one', 200)).to.equal(1);
      let fence: number | null = null;
      await pollUntil('the lease is free', 5_000, async () => {
        fence = await at(1).acquire('projections', 'two', 60_000);
        return fence !== null;
      });
      expect(fence).to.equal(2);
      expect(await at(0).acquire('projections', 'one', 60_000)).to.equal(null);
    });

    it('stays with a holder that renews late, without competition', async () => {
      expect(await at(0).acquire('projections', 'one', 1)).to.equal(1);
      await pollUntil('it is over', 5_000, async () => {
        const renewed = await at(0).acquire('projections', 'one', 1);
        return renewed === 1;
      });
    });
  });
});
