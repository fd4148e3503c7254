import { expect } from 'chai';
import { memoizeByObject } from '../../kernel/memoize-by-object.js';

describe('memoizeByObject', () => {
  it('returns the same value for the same object, and another for an equal one', () => {
    let made = 0;
    const of = memoizeByObject((_key: object) => (made += 1));
    const [one, other] = [{}, {}];
    expect([of(one), of(one), of(other), of(one)]).to.deep.equal([1, 1, 2, 1]);
  });

  it('computes again after a failure', () => {
    let tries = 0;
    const of = memoizeByObject((_key: object) => {
      tries += 1;
      if (tries === 1) throw new Error('no');
      return tries;
    });
    const key = {};
    expect(() => of(key)).to.throw('no');
    expect([of(key), of(key)]).to.deep.equal([2, 2]);
  });
});
