import { expect } from 'chai';
import * as fc from 'fast-check';
import { spanTree } from '../../../console/traces/tree.js';
import {
  axisStep,
  waterfallBar,
  wholeView,
  zoomedView,
  type WaterfallView,
} from '../../../console/traces/waterfall.js';
import { runs } from '../../support/runs.js';
import { drawSeed } from '../../support/test-environment.js';

const begin = '2026-11-22T18:06:00.000000Z';
const span = {
  id: 'span',
  type: 'llm',
  created_at: '2026-11-22T18:06:02.500000Z',
  metrics: { duration_ns: 5e9, time_to_first_token_ns: 1e9 },
};
const rowOf = (of: object, lengthNs = 1e10) => {
  const trace = { id: 'trace', created_at: begin, metrics: { duration_ns: lengthNs } };
  const tree = spanTree(trace, [{ ...span, ...of }]);
  const [row] = tree.rows;
  if (row === undefined) throw new Error('a row is missing');
  return { row, tree };
};

describe('the waterfall of a trace', () => {
  it('places a bar on the axis of the trace, with a notch at the first token', () => {
    const { row, tree } = rowOf({});
    expect(tree.lengthNs).to.equal(1e10);
    expect(waterfallBar(row, wholeView(tree.lengthNs, 1_000))).to.deep.equal({
      left: 250,
      width: 500,
      notch: 350,
      length: 'own',
    });
    // A span that goes on behind the end of its trace makes the axis longer.
    expect(rowOf({ metrics: { duration_ns: 1e10 } }).tree.lengthNs).to.equal(1.25e10);
    expect(rowOf({ created_at: '2026-11-22T18:05:59.000000Z' }).tree.lengthNs).to.equal(1.1e10);
  });

  it('marks a length that the spans below give, and one that is not known', () => {
    const view = wholeView(1e10, 1_000);
    expect(waterfallBar(rowOf({ metrics: {} }).row, view)).to.deep.equal({
      left: 250,
      width: 3,
      notch: null,
      length: 'none',
    });
    const child = { ...span, id: 'child', parent_id: 'span' };
    const { rows } = spanTree({ id: 'trace', created_at: begin }, [
      { ...span, type: 'agent', metrics: {} },
      child,
    ]);
    expect(rows[0] && waterfallBar(rows[0], view)?.length).to.equal('elapsed');
  });

  it('keeps each bar in sight, 3 pixels wide at least, in each zoom', () => {
    const view: fc.Arbitrary<WaterfallView> = fc
      .tuple(fc.nat({ max: 2e10 }), fc.nat({ max: 2e10 }), fc.integer({ min: 10, max: 2_000 }))
      .map(([from, length, pixels]) => ({ fromNs: from, toNs: from + length, pixels }));
    const durations = fc.option(fc.integer({ min: -5, max: 2e10 }), { nil: null });
    fc.assert(
      fc.property(view, durations, fc.nat({ max: 2e10 }), (shown, duration, token) => {
        const metrics = { duration_ns: duration, time_to_first_token_ns: token };
        const bar = waterfallBar(rowOf({ metrics }).row, shown);
        const [from, to] = [2.5e9, 2.5e9 + Math.max(0, duration ?? 0)];
        expect(bar === null).to.equal(to < shown.fromNs || from > shown.toNs);
        if (bar === null) return;
        expect(bar.width).to.be.at.least(3);
        expect(bar.left).to.be.at.least(0);
        expect(bar.left + bar.width).to.be.at.most(shown.pixels + 1e-6);
        if (bar.notch !== null) expect(bar.notch).to.be.within(0, shown.pixels);
      }),
      { seed: drawSeed('bars'), numRuns: runs(1_000) },
    );
  });

  it('zooms to what a drag selects, in either direction, and marks the axis in round steps', () => {
    const view = wholeView(1e10, 1_000);
    const zoomed = { fromNs: 2e9, toNs: 5e9, pixels: 1_000 };
    expect(zoomedView(view, 200, 500)).to.deep.equal(zoomed);
    expect(zoomedView(view, 500, 200)).to.deep.equal(zoomed);
    expect(zoomedView(view, 500, 500)).to.deep.equal(view);
    expect(zoomedView(view, -50, 2_000)).to.deep.equal(view);
    expect(axisStep(view)).to.equal(1e9);
    expect(axisStep(zoomed)).to.equal(5e8);
    expect(axisStep(wholeView(0, 1_000))).to.equal(1);
  });
});
