import { expect } from 'chai';
import { percentile, resultHash, summary, welch } from '../../bench/statistics.js';

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
  it('tell a difference of means from chance, as in the textbook', () => {
    const ones = [
      27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4,
    ];
    const others = [
      27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4,
    ];
    expect(welch(ones, others)).to.be.closeTo(-2.46, 0.005);
    expect(welch(others, ones)).to.be.closeTo(2.46, 0.005);
    expect(welch(ones, ones)).to.equal(0);
    expect([welch([1, 1], [1, 1]), welch([2, 2], [1, 1])]).to.deep.equal([0, Infinity]);
    expect([welch([], ones), welch([1], ones)]).to.deep.equal([0, 0]);
  });
  it('hash equal answers alike, whatever the order of members and the last digit', () => {
    expect(resultHash({ a: 1, b: 0.1 + 0.2 })).to.equal(resultHash({ b: 0.3, a: 1 }));
    expect(resultHash({ a: 1 })).not.to.equal(resultHash({ a: 2 }));
    expect(resultHash([1, 2])).not.to.equal(resultHash([2, 1]));
  });
});
