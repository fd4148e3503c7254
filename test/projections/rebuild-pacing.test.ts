import { expect } from 'chai';
import { openRebuildPacer } from '../../projections/rebuild-pacing.js';
import { systemClock } from '../../engines/node/clock.js';

/** A clock that moves when somebody waits, and how long all have waited. */
const waiting = () => {
  let now = 1_000;
  return {
    waited: () => now - 1_000,
    clock: {
      ...systemClock,
      milliseconds: () => now,
      wait: async (milliseconds: number) => void (now += milliseconds),
    },
  };
};
const { signal } = new AbortController();

describe('rebuild pacing', () => {
  it('keeps the rate of events a second', async () => {
    const { clock, waited } = waiting();
    let rate: number | null = 1_000;
    const pace = openRebuildPacer({ clock, rate: () => rate, lag: () => 0, signal });
    for (let page = 0; page < 4; page += 1) await pace(500);
    expect(waited()).to.equal(2_000);
    rate = null;
    for (let page = 0; page < 4; page += 1) await pace(500);
    expect(waited()).to.equal(2_000);
  });

  it('pauses while live read models lag, and continues in the end', async () => {
    const { clock, waited } = waiting();
    let lag = 2_500;
    const pace = openRebuildPacer({ clock, rate: () => null, lag: () => (lag -= 100), signal });
    await pace(500);
    expect(waited()).to.equal(400);
    lag = Infinity;
    for (let page = 0; page < 3; page += 1) await pace(500);
    expect(waited()).to.equal(3_400);
  });
});
