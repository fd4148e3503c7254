import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  histogramBin,
  histogramBinsMax,
  histogramEdges,
  histogramOf,
} from '../../kernel/records/histogram.js';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const usual = fc.double({ min: -1_000, max: 1_000, noNaN: true }).map((value) => value + 0);

const edgesOf = (values: readonly number[], isInteger = false): readonly number[] =>
  histogramEdges(Math.min(...values), Math.max(...values), isInteger);

describe('histograms', () => {
  it('count each value in the one bin that a naive search finds', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(finite, usual), { minLength: 1, maxLength: 40 }), (values) => {
        const edges = edgesOf(values);
        const last = edges.length - 2;
        const naive = (value: number, bin: number): boolean => {
          const [low = NaN, high = NaN] = edges.slice(bin, bin + 2);
          return low <= value && (value < high || (bin === last && value === high));
        };
        expect(edges.length).to.be.within(2, histogramBinsMax + 1);
        for (const value of values) {
          expect(naive(value, histogramBin(edges, value)), `${value} in ${edges.join()}`).to.equal(
            true,
          );
        }
        const { counts } = histogramOf(edges, values) ?? { counts: [] };
        expect(counts).to.deep.equal(
          edges.slice(1).map((_, bin) => values.filter((value) => naive(value, bin)).length),
        );
        expect(counts.reduce((sum, count) => sum + count)).to.equal(values.length);
      }),
    ));

  it('have ascending edges of equal width, at least 19 bins for a usual range', () =>
    fc.assert(
      fc.property(usual, usual, (one, other) => {
        fc.pre(Math.abs(one - other) > 1e-6);
        const edges = edgesOf([one, other]);
        for (const [at, edge] of edges.slice(1).entries()) {
          expect(edge).to.be.greaterThan(edges[at] ?? Infinity);
        }
        expect(edges.length - 1).to.be.within(19, histogramBinsMax);
      }),
    ));

  it('have round edges, and one bin for each of few integers', () => {
    expect(edgesOf([0, 1])).to.deep.equal(Array.from({ length: 51 }, (_, at) => (at * 2) / 100));
    expect(edgesOf([0.31, 0.33]).at(0)).to.equal(0.31);
    expect(edgesOf([3, 7], true)).to.deep.equal([3, 4, 5, 6, 7, 8]);
    expect(edgesOf([4, 4], true)).to.deep.equal([4, 5]);
    expect(edgesOf([0, 100], true).slice(0, 3)).to.deep.equal([0, 5, 10]);
  });

  it('are one bin for one value, and for a range without round edges', () => {
    expect(histogramOf(edgesOf([0.3]), [0.3, 0.3])).to.deep.equal({
      edges: [0.3, 0.3],
      counts: [2],
    });
    const { MAX_VALUE: most } = Number;
    expect(edgesOf([-most, most])).to.deep.equal([-most, most]);
    expect(edgesOf([1e16, 1e16 + 2]).length).to.equal(2);
    expect(histogramOf(null, [])).to.equal(null);
    expect(histogramOf([0, 1], [])).to.equal(null);
  });
});
