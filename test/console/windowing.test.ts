import { expect } from 'chai';
import * as fc from 'fast-check';
import { rowWindow, scaledScroll, scrollToRow } from '../../console/parts/windowing.js';
import { runs } from '../support/runs.js';
import { drawSeed } from '../support/test-environment.js';

const lists = fc.record({
  rows: fc.nat({ max: 10_000 }),
  rowHeight: fc.constantFrom(28, 36, 44),
  top: fc.oneof(
    fc.integer({ min: -100, max: 500_000 }),
    fc.double({ min: 0, max: 300_000, noNaN: true }),
  ),
  height: fc.integer({ min: 0, max: 2_000 }),
});
const options = () => ({ seed: drawSeed('windows'), numRuns: runs(2_000) });

describe('the window of a list', () => {
  it('has each row that is seen, once, and at most 12 others', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const { first, count, pixelsBefore, pixelsAfter } = rowWindow(list);
        const { rows, rowHeight, height } = list;
        const top = Math.min(Math.max(0, list.top), Math.max(0, rows * rowHeight - height));
        const isSeen = (row: number): boolean =>
          (row + 1) * rowHeight > top && row * rowHeight < top + height;
        const seen = Array.from({ length: rows }, (_, row) => row).filter(isSeen);
        expect(first >= 0 && count >= 0 && first + count <= rows).to.equal(true);
        for (const row of seen)
          expect(row >= first && row < first + count, `${row}`).to.equal(true);
        expect(count).to.be.at.most(seen.length + 12);
        // The page is as long as the whole list, so no row moves when the window does.
        expect(pixelsBefore + count * rowHeight + pixelsAfter).to.equal(rows * rowHeight);
        expect(pixelsBefore).to.equal(first * rowHeight);
      }),
      options(),
    );
  });

  it('shows each of 5,000 rows at some place, with at most 80 in the page (check 15)', () => {
    const found = new Set<number>();
    for (let top = 0; top <= 5_000 * 28; top += 700) {
      const { first, count } = rowWindow({ rows: 5_000, rowHeight: 28, top, height: 1_400 });
      expect(count).to.be.at.most(80);
      for (let row = first; row < first + count; row += 1) found.add(row);
    }
    expect(found.size).to.equal(5_000);
  });

  it('reaches each end of 30 million rows in a box that browsers lay out', () => {
    const list = { rows: 30_000_000, rowHeight: 18, height: 432 };
    const { boxHeight } = scaledScroll({ ...list, top: 0 });
    expect(boxHeight).to.be.at.most(17_000_000);
    const end = { ...list, top: boxHeight - list.height };
    expect(scaledScroll({ ...list, top: 0 }).listTop).to.equal(0);
    expect(scaledScroll(end).listTop).to.equal(30_000_000 * 18 - list.height);
    const few = { rows: 1_000, rowHeight: 18, height: 432, top: 700 };
    expect(scaledScroll(few)).to.deep.equal({ boxHeight: 18_000, listTop: 700 });
  });

  it('scrolls as little as shows a row whole', () => {
    fc.assert(
      fc.property(lists, fc.nat({ max: 9_999 }), (list, row) => {
        const { rowHeight, height } = list;
        const top = scrollToRow(row, list);
        const isWhole = (at: number): boolean =>
          at <= row * rowHeight && (row + 1) * rowHeight <= at + height;
        if (height >= rowHeight) expect(isWhole(top)).to.equal(true);
        if (isWhole(list.top)) expect(top).to.equal(list.top);
      }),
      options(),
    );
  });
});
