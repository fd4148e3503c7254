import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  extendedRange,
  selectedCount,
  toggledRow,
  toggledRows,
} from '../../console/parts/grid-selection.js';
import { drawSeed } from '../support/test-environment.js';

const rows = ['a', 'b', 'c', 'd', 'e'];
const none: ReadonlySet<string> = new Set();
const listed = (selection: ReadonlySet<string>): string => [...selection].join('');

describe('the selection of rows', () => {
  it('selects a row, or all rows from the last one in either direction', () => {
    const one = toggledRow(none, rows, 'd');
    expect(listed(one)).to.equal('d');
    expect(listed(toggledRow(one, rows, 'd'))).to.equal('');
    expect(listed(toggledRow(one, rows, 'b', 'd'))).to.equal('dbc');
    const many = toggledRow(toggledRow(none, rows, 'a'), rows, 'd', 'a');
    expect(listed(many)).to.equal('abcd');
    expect(listed(toggledRow(many, rows, 'b', 'd'))).to.equal('a');
    // A row that a new answer no longer has begins no range.
    expect(listed(toggledRow(none, rows, 'b', 'gone'))).to.equal('b');
  });

  it('selects all rows that are there, or none of them, and keeps the others', () => {
    const all = toggledRows(new Set(['x', 'c']), rows);
    expect(listed(all)).to.equal('xcabde');
    expect(selectedCount(all, rows)).to.equal(5);
    expect(listed(toggledRows(all, rows))).to.equal('x');
  });

  it('follows the cursor from the row where it began, back as well', () => {
    const index = fc.integer({ min: 0, max: rows.length - 1 });
    fc.assert(
      fc.property(index, fc.array(index, { minLength: 1 }), (anchor, steps) => {
        let selection: ReadonlySet<string> = new Set(['x']);
        let from = anchor;
        for (const to of steps) {
          selection = extendedRange(selection, rows, anchor, [from, to]);
          from = to;
        }
        const [first, last] = [Math.min(anchor, from), Math.max(anchor, from)];
        expect([...selection].toSorted()).to.deep.equal([...rows.slice(first, last + 1), 'x']);
      }),
      { seed: drawSeed('selection') },
    );
  });
});
