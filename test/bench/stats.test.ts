import { expect } from 'chai';
import { percentile, resultHash, summary } from './stats.js';

describe('the statistics of the bench', () => {
  it('take percentiles by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
    expect(percentile(hundred, 0.5)).to.equal(50);
    expect(percentile(hundred, 0.95)).to.equal(95);
    expect(percentile([7], 0.99)).to.equal(7);
    expect(percentile([], 0.5)).to.equal(0);
  });
  it('sum up samples in any order', () => {
    const { median, min, max, spread, samples } = summary([4, 1, 3, 2]);
    expect({ median, min, max, spread, samples }).to.deep.equal({
      median: 2,
      min: 1,
      max: 4,
      spread: 1,
      samples: 4,
    });
    expect(summary([]).median).to.equal(0);
  });
  it('hash equal answers alike, whatever the order of members and the last digit', () => {
    expect(resultHash({ a: 1, b: 0.1 + 0.2 })).to.equal(resultHash({ b: 0.3, a: 1 }));
    expect(resultHash({ a: 1 })).not.to.equal(resultHash({ a: 2 }));
    expect(resultHash([1, 2])).not.to.equal(resultHash([2, 1]));
  });
});
