import { expect } from 'chai';
import { openedAtFirst } from '../../console/parts/json-opening.js';

describe('the tree of a JSON value', () => {
  it('opens as many levels as wanted of a small value', () => {
    const inner = { c: {} };
    const value = { a: [inner], b: 1 };
    expect([...openedAtFirst(value, 2, 100)]).to.deep.equal([value, value.a]);
    expect([...openedAtFirst(value, 9, 100)]).to.deep.equal([value, value.a, inner, inner.c]);
    expect(openedAtFirst('text', 2, 100).size).to.equal(0);
    expect(openedAtFirst(value, 0, 100).size).to.equal(0);
  });

  it('draws a thousand values at first, however wide or deep the value is', () => {
    const wide = Array.from({ length: 300 }, () => Array.from({ length: 128 }, () => [{ k: [1] }]));
    const opened = [...openedAtFirst(wide, 12, 100)] as readonly unknown[][];
    const drawn = opened.reduce((sum, list) => sum + Math.min(100, list.length), 0);
    expect(drawn).to.be.within(900, 1_000);
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    expect(openedAtFirst(deep, 1e9, 100).size).to.equal(1_000);
  });
});
