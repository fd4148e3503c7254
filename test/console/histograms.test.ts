import { expect } from 'chai';
import { evaluationErrors } from '../../console/language/filter-tree.js';
import { binTree, histogramIn } from '../../console/overview/histograms.js';
import { histogramSentence } from '../../console/parts/histogram-scale.js';

const histogram = { edges: [0, 0.5, 1], counts: [2, 5] };

describe('the distributions of the overview', () => {
  it('say their values, their range and their fullest bin', () =>
    expect(histogramSentence(histogram, String)).to.equal(
      '7 values from 0 to 1, most of them, 5, from 0.5 to 1',
    ));

  it('open a bin by its edges, the last one with its upper edge', () => {
    const bounds = (bin: number) => {
      const written = JSON.stringify(binTree('metrics/reward', histogram, bin));
      return written.match(/"(gte|lte?)","value":[\d.]+/g);
    };
    expect(bounds(0)).to.deep.equal(['"gte","value":0', '"lt","value":0.5']);
    expect(bounds(1)).to.deep.equal(['"gte","value":0.5', '"lte","value":1']);
  });

  it('have no histogram of a metric without values', () => {
    expect(histogramIn({ a: histogram, b: null, c: 5 }, 'a')).to.equal(histogram);
    expect(histogramIn({ a: histogram, b: null }, 'b')).to.equal(null);
    expect(histogramIn({ c: 5 }, 'c')).to.equal(null);
  });

  it('filter records with an evaluation error, of traces on their spans too', () => {
    const leaf = { filter: { type: 'error', name: 'metrics/a', operator: 'any' } };
    expect(evaluationErrors(['metrics/a'], 'traces', null)).to.deep.equal({
      or: [leaf, { any_span: leaf }],
    });
    expect(evaluationErrors(['metrics/a', 'metrics/b'], 'spans', 1_003)).to.deep.equal({
      or: ['metrics/a', 'metrics/b'].map((name) => ({
        filter: { type: 'error', name, operator: 'one_of', value: [1_003] },
      })),
    });
  });
});
