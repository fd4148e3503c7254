import { expect } from 'chai';
import { openFairSemaphore, type FairSemaphore } from '../../kernel/fair-semaphore.js';
import { Fault } from '../../kernel/fault.js';
import { drawSeed } from '../support/test-environment.js';

/** Work that ends when it is told to. */
type Work = { readonly owner: string; readonly end: () => void };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const seed = drawSeed();
const random = (() => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
})();

describe('a fair semaphore', () => {
  const open = (waitsMax = 4): FairSemaphore => openFairSemaphore(3, 2, waitsMax);
  let at: Work[];
  let begun: string[];
  beforeEach(() => {
    at = [];
    begun = [];
  });
  const asking = async (
    fair: FairSemaphore,
    owner: string,
    signal?: AbortSignal,
  ): Promise<string> => {
    const leave = await fair.acquire(owner, signal === undefined ? {} : { signal });
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push(owner);
    const work = { owner, end: resolve };
    at.push(work);
    await promise;
    at.splice(at.indexOf(work), 1);
    leave();
    return owner;
  };

  it('leaves permits for others however many calls one owner makes', async () => {
    const fair = open();
    const heavy = Array.from({ length: 6 }, () => asking(fair, 'heavy'));
    await settled();
    expect(at).to.have.length(2);
    const other = asking(fair, 'other');
    await settled();
    expect(begun).to.deep.equal(['heavy', 'heavy', 'other']);
    while (at.length > 0) {
      for (const { end } of at) end();
      await settled();
    }
    expect(await other).to.equal('other');
    await Promise.all(heavy);
  });

  it('refuses an owner with a full queue, and no other owner', async () => {
    const fair = open();
    const heavy = Array.from({ length: 6 }, () => asking(fair, 'heavy'));
    const refused = await asking(fair, 'heavy').catch((error: unknown) => error as Fault);
    expect(refused).to.be.instanceOf(Fault);
    expect((refused as Fault).code).to.equal('unavailable');
    expect((refused as Fault).retryAfterSeconds).to.be.greaterThan(0);
    const other = asking(fair, 'other');
    while (at.length > 0 || begun.length < 7) {
      await settled();
      for (const { end } of at) end();
    }
    await Promise.all([...heavy, other]);
  });

  it('drops a cancelled call before its work begins', async () => {
    const fair = open();
    const first = [asking(fair, 'a'), asking(fair, 'a')];
    await settled();
    const gone = new AbortController();
    const waiting = asking(fair, 'a', gone.signal).catch((error: unknown) => error as Fault);
    gone.abort();
    expect(((await waiting) as Fault).code).to.equal('unavailable');
    for (const { end } of at) end();
    await Promise.all(first);
    expect(begun).to.deep.equal(['a', 'a']);
    const last = asking(fair, 'a');
    await settled();
    for (const { end } of at) end();
    expect(await last).to.equal('a');
  });

  it(`keeps limits, order and fairness for random calls (ASSAY_TEST_SEED=${seed})`, async () => {
    for (let round = 0; round < 30; round += 1) {
      at = [];
      begun = [];
      const fair = open(1_000);
      const asked: Promise<unknown>[] = [];
      const left = new Map<string, number>();
      /** Times that others were served since this owner was queued with nothing running. */
      const passed = new Map<string, number>();
      for (let step = 0; step < 60; step += 1) {
        const before = begun.length;
        if (random(2) === 0) {
          const owner = String(random(4));
          left.set(owner, (left.get(owner) ?? 0) + 1);
          asked.push(asking(fair, owner));
        } else at[random(Math.max(1, at.length))]?.end();
        await settled();
        for (const owner of begun.slice(before)) {
          left.set(owner, (left.get(owner) ?? 0) - 1);
          passed.set(owner, 0);
          for (const [other, count] of left) {
            const idle = count > 0 && !at.some((one) => one.owner === other);
            if (other !== owner && idle) passed.set(other, (passed.get(other) ?? 0) + 1);
          }
        }
        const counts = [...left.keys()].map(
          (owner) => at.filter((one) => one.owner === owner).length,
        );
        expect(at.length).to.be.at.most(3);
        expect(Math.max(0, ...counts)).to.be.at.most(2);
        // No call waits while a permit is free for it.
        const hasRoom = [...left].some(
          ([owner, count]) => count > 0 && at.filter((one) => one.owner === owner).length < 2,
        );
        if (hasRoom) expect(at.length).to.equal(3);
        // Four owners: one with nothing running is served after each of the others once.
        expect(Math.max(0, ...passed.values())).to.be.at.most(3);
      }
      while (at.length > 0) {
        for (const { end } of at) end();
        await settled();
      }
      await Promise.all(asked);
    }
  });
});
