import { expect } from 'chai';
import type { Leases } from '../../kernel/ports.js';

/** Suite of the port Leases, with or without other holders. */
export const leasesSuite = (
  name: string,
  open: () => Promise<{ readonly leases: Leases; readonly close: () => Promise<void> }>,
): void => {
  describe(`leases on ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it('are renewed by their holder under the same fence', async () => {
      const { leases } = opened;
      const fence = await leases.acquire('projections', 'one', 60_000);
      expect(fence).to.be.a('number').greaterThan(0);
      expect(await leases.acquire('projections', 'one', 60_000)).to.equal(fence);
    });

    it('give the next holder a greater fence after a release', async () => {
      const { leases } = opened;
      const fence = (await leases.acquire('projections', 'one', 60_000)) ?? Infinity;
      await leases.release('projections', 'one');
      const next = (await leases.acquire('projections', 'two', 60_000)) ?? 0;
      expect(next).to.be.greaterThan(fence);
      await leases.release('projections', 'two');
      expect(await leases.acquire('projections', 'one', 60_000)).to.be.greaterThan(next);
    });

    it('are independent under awkward names', async () => {
      const { leases } = opened;
      for (const lease of ['', '$set', 'a.b', '__proto__', '\u0000']) {
        expect(await leases.acquire(lease, '$holder', 60_000), lease).to.equal(1);
      }
    });
  });
};
