import { expect } from 'chai';
import { openTimeSlices } from '../../engines/node/event-loop-share.js';

describe('a long work in slices', () => {
  const busy = (milliseconds: number): void => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };

  it('leaves turns to others, however many such works there are', async () => {
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

  it('answers what each slice answered, and what it throws', async () => {
    const inSlices = openTimeSlices();
    expect(await inSlices(() => 7)).to.equal(7);
    const failed = inSlices(() => {
      throw new RangeError('no');
    });
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal('no');
  });
});
