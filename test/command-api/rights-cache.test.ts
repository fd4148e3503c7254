import { expect } from 'chai';
import { openRightsCache } from '../../command-api/access/rights-cache.js';

describe('RightsCache', () => {
  it('clears at the first notification, and at a limited rate under a flood of them', async () => {
    let waits: (() => void)[] = [];
    const memory = openRightsCache({
      milliseconds: () => 0,
      wait: () => new Promise((resolve) => waits.push(resolve)),
    });
    let asked = 0;
    const remember = memory.cachedLoader<number>();
    const ask = (): Promise<number> => remember('one', async () => (asked += 1));
    await ask();
    expect(await ask()).to.equal(1);
    memory.invalidateThrottled();
    expect(await ask()).to.equal(2);
    for (let count = 0; count < 1_000; count += 1) memory.invalidateThrottled();
    expect(await ask()).to.equal(2);
    const [rested] = waits;
    waits = [];
    rested?.();
    await Promise.resolve();
    // The last of them may have been true.
    expect(await ask()).to.equal(3);
    expect(waits).to.have.length(1);
  });

  it('clears on every invalidation by this process', async () => {
    const memory = openRightsCache({
      milliseconds: () => 0,
      wait: () => new Promise(() => undefined),
    });
    let asked = 0;
    const remember = memory.cachedLoader<number>();
    for (let count = 1; count <= 3; count += 1) {
      expect(await remember('one', async () => (asked += 1))).to.equal(count);
      memory.invalidate();
    }
  });

  describe('under constant load', () => {
    type Asked = { readonly say: (answer: string | null) => void; readonly fail: () => void };
    const asking = () => {
      let now = 0;
      const asked: Asked[] = [];
      const clock = { milliseconds: () => now, wait: () => new Promise<void>(() => undefined) };
      const memory = openRightsCache(clock);
      const remember = memory.cachedLoader<string | null>();
      return {
        asked,
        forget: memory.invalidate,
        at: (time: number): Promise<string | null> => {
          now = time;
          return remember('one', () => {
            return new Promise((resolve, reject) => {
              asked.push({ say: resolve, fail: () => reject(new Error('no log')) });
            });
          });
        },
      };
    };

    it('refreshes in the background: no caller waits, no value is older than 0.5 s', async () => {
      const { asked, at } = asking();
      const first = at(0);
      asked[0]?.say('old');
      expect(await first).to.equal('old');
      expect(await at(349)).to.equal('old');
      expect(asked).to.have.length(1);
      expect(await at(350)).to.equal('old');
      expect(await at(499)).to.equal('old');
      expect(asked).to.have.length(2);
      // Too old by now: whoever asks waits for what was asked ahead.
      const waiting = at(500);
      asked[1]?.say('new');
      expect(await waiting).to.equal('new');
      expect(asked).to.have.length(2);
      // Of what was asked at 350.
      expect(await at(849)).to.equal('new');
      asked[2]?.say('newest');
      expect(await at(850)).to.equal('newest');
    });

    it('serves the refreshed value as soon as it is loaded', async () => {
      const { asked, at } = asking();
      void at(0);
      asked[0]?.say('old');
      await at(400);
      asked[1]?.say('new');
      await Promise.resolve();
      expect(await at(401)).to.equal('new');
    });

    it('drops a revoked key as soon as the background refresh sees it', async () => {
      const { asked, at } = asking();
      void at(0);
      asked[0]?.say('old');
      await at(400);
      asked[1]?.say(null);
      await Promise.resolve();
      void at(401);
      await Promise.resolve();
      void at(402);
      expect(asked).to.have.length(3);
    });

    it('discards a background refresh that began before an invalidation', async () => {
      const { asked, at, forget } = asking();
      void at(0);
      asked[0]?.say('old');
      await at(400);
      forget();
      asked[1]?.say('old still');
      await Promise.resolve();
      const waiting = at(401);
      asked[2]?.say('new');
      expect(await waiting).to.equal('new');
      expect(await at(402)).to.equal('new');
    });

    it('keeps the cached value until its TTL when the background refresh fails', async () => {
      const { asked, at } = asking();
      void at(0);
      asked[0]?.say('old');
      await at(400);
      asked[1]?.fail();
      await Promise.resolve();
      expect(await at(401)).to.equal('old');
      expect(asked).to.have.length(3);
      asked[2]?.fail();
      await Promise.resolve();
      const late = at(500);
      asked[3]?.say('new');
      expect(await late).to.equal('new');
    });
  });
});
