import { expect } from 'chai';
import * as fc from 'fast-check';
import { bitSetOf, bitsMax, hasBit, isHighBit, maskOf } from '../../engines/duckdb/bit-set.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

describe('bit set', () => {
  const seed = drawSeed('bit sets');

  it('has the bits that were put in, also as JSON', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: bitsMax - 1 })), (bits) => {
        let [low, high] = [0, 0];
        for (const bit of bits) {
          if (isHighBit(bit)) high |= maskOf(bit);
          else low |= maskOf(bit);
        }
        const set = JSON.parse(JSON.stringify(bitSetOf(low, high))) as number;
        const all = Array.from({ length: bitsMax }, (_, bit) => bit);
        expect(all.filter((bit) => hasBit(set, bit))).to.have.members(bits);
      }),
      { seed, numRuns: runs(500) },
    );
  });
});
