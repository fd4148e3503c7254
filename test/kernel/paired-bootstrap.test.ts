import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  openPairedBootstrap,
  resamplesMax,
  affordableResamples,
  type BootstrapOptions,
  type BootstrapInterval,
} from '../../kernel/paired-bootstrap.js';
import { mulberry32 } from '../../kernel/mulberry32.js';
import { drawSeed } from '../support/test-environment.js';

const choice: BootstrapOptions = { seed: 1, resamples: 500, level: 0.95 };
const intervalOf = (differences: readonly number[], changes: Partial<BootstrapOptions> = {}) => {
  const bootstrap = openPairedBootstrap(Float64Array.from(differences), { ...choice, ...changes });
  while (bootstrap.draw(97));
  return bootstrap.interval();
};
const turned = ({ lower, upper }: BootstrapInterval): BootstrapInterval => ({
  lower: -upper,
  upper: -lower,
});
const close = (one: number, other: number): boolean =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));

const some = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
  minLength: 2,
  maxLength: 40,
});
const seeds = fc.nat();
const holds = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void => {
  fc.assert(fc.property(arbitrary, property), { seed: drawSeed(), numRuns: 100 });
};

describe('the bootstrap of paired differences', () => {
  it('negates the interval when the two are exchanged', () =>
    holds(fc.tuple(some, seeds), ([differences, seed]) => {
      const back = turned(
        intervalOf(
          differences.map((one) => -one),
          { seed },
        ),
      );
      const interval = intervalOf(differences, { seed });
      expect([interval.lower + 0, interval.upper + 0]).to.deep.equal([
        back.lower + 0,
        back.upper + 0,
      ]);
    }));

  it('contains nothing but 0 for equal inputs, and the same for one shift of all', () =>
    holds(fc.tuple(fc.nat({ max: 40 }), fc.integer({ min: -99, max: 99 })), ([more, shift]) => {
      const equal = Array.from({ length: more + 2 }, () => 0);
      expect(intervalOf(equal)).to.deep.equal({ lower: 0, upper: 0 });
      const shifted = equal.map(() => shift);
      expect(intervalOf(shifted)).to.deep.equal({ lower: shift, upper: shift });
    }));

  it('is the same for the same seed in portions of any size, and another for another', () => {
    holds(fc.tuple(some, seeds, fc.integer({ min: 1, max: 5_000 })), ([list, seed, portion]) => {
      const bootstrap = openPairedBootstrap(Float64Array.from(list), { ...choice, seed });
      while (bootstrap.draw(portion));
      expect(bootstrap.interval()).to.deep.equal(intervalOf(list, { seed }));
    });
    const spread = Array.from({ length: 30 }, (_, at) => at ** 1.5);
    expect(intervalOf(spread, { seed: 1 })).not.to.deep.equal(intervalOf(spread, { seed: 2 }));
  });

  it('stays within the differences, and moves with a shift and a scale', () =>
    holds(fc.tuple(some, seeds), ([differences, seed]) => {
      const { lower, upper } = intervalOf(differences, { seed });
      expect(lower).to.be.at.most(upper);
      const within = (one: number): boolean =>
        (one >= Math.min(...differences) || close(one, Math.min(...differences))) &&
        (one <= Math.max(...differences) || close(one, Math.max(...differences)));
      expect([lower, upper].every(within)).to.equal(true);
      const moved = intervalOf(
        differences.map((one) => 2 * one + 5),
        { seed },
      );
      expect(close(moved.lower, 2 * lower + 5) && close(moved.upper, 2 * upper + 5)).to.equal(true);
    }));

  it('covers the mean about as often as its level', () => {
    const word = mulberry32(7);
    const coin = () => word() / 2 ** 32 < 0.3;
    let covered = 0;
    for (let run = 0; run < 300; run += 1) {
      const drawn = Array.from({ length: 100 }, () => Number(coin()) - Number(coin()));
      const { lower, upper } = intervalOf(drawn, { seed: run });
      covered += Number(lower <= 0 && upper >= 0);
    }
    expect(covered / 300).to.be.within(0.9, 0.985);
  });

  it('is resampled as often as the draws allow, and not at all when that is too seldom', () => {
    expect(affordableResamples(20_000_000, [100, 100])).to.equal(resamplesMax);
    expect(affordableResamples(20_000_000, [1_000, 9_000])).to.equal(2_000);
    expect(affordableResamples(20_000_000, [100_000])).to.equal(200);
    expect(affordableResamples(20_000_000, [100_001])).to.equal(0);
    expect(affordableResamples(20_000_000, [])).to.equal(resamplesMax);
  });
});
