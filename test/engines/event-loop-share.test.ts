import { expect } from 'chai';
import { openTimeSlices } from '../../engines/node/event-loop-share.js';

describe('event-loop time slices', () => {
  const busy = (milliseconds: number): void => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };

  it('leave ticks to other work, however many long works run', async () => {
    const inSlices = openTimeSlices();
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const work = async () => {
      for (let slice = 0; slice < 5; slice += 1) await inSlices(() => busy(11));
    };
    await Promise.all([work(), work()]);
    done = true;
    expect(turns).to.be.at.least(8);
  });

  it('return the result of each slice, and throw its error', async () => {
    const inSlices = openTimeSlices();
    expect(await inSlices(() => 7)).to.equal(7);
    const failed = inSlices(() => {
      throw new RangeError('no');
    });
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal('no');
  });
});
