import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  exactMicrosecondsOf,
  instantOf,
  microsecondsBetween,
  microsecondsOf,
  millisecondsOf,
} from '../../kernel/records/time-buckets.js';
import type { Instant } from '../../kernel/schema-types.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const first = microsecondsOf('0001-01-01T00:00:00.000000Z' as Instant);
const last = microsecondsOf('9999-12-31T23:59:59.999999Z' as Instant);
const instant = fc.bigInt(first, last).map(instantOf);
/** Some 140 years. */
const near = fc.bigInt(-(2n ** 52n), 2n ** 52n);

describe('an instant', () => {
  const seed = drawSeed('instants');
  const options = { seed, numRuns: runs(5_000) };

  it('has the milliseconds of Date.parse', () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(millisecondsOf(at)).to.equal(Date.parse(`${at.slice(0, 23)}Z`));
      }),
      options,
    );
  });

  it('converts to microseconds and back', () => {
    fc.assert(
      fc.property(instant, (at) => {
        expect(instantOf(microsecondsOf(at))).to.equal(at);
      }),
      options,
    );
  });

  it('has its microseconds as a number where that is exact', () => {
    fc.assert(
      fc.property(fc.oneof(instant, near.map(instantOf)), (at) => {
        const microseconds = exactMicrosecondsOf(at);
        const isExact = Number.isSafeInteger(Number(microsecondsOf(at)));
        expect(BigInt(microseconds)).to.equal(microsecondsOf(at));
        expect(typeof microseconds).to.equal(isExact ? 'number' : 'bigint');
      }),
      options,
    );
  });

  it('differs from another by their microseconds', () => {
    fc.assert(
      fc.property(instant, near, (from, far) => {
        const to = instantOf(microsecondsOf(from) + far);
        const between = Number(microsecondsOf(to) - microsecondsOf(from));
        expect(microsecondsBetween(from, to)).to.equal(between);
      }),
      options,
    );
  });
});
