import { expect } from 'chai';
import { boundedMap } from '../../kernel/bounded-map.js';

describe('a bounded map', () => {
  it('evicts the least recently set entry, and only when it is full', () => {
    const map = boundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect(map.set('a', 3)).to.equal(null);
    expect([map.get('a'), map.get('b'), map.size()]).to.deep.equal([3, 2, 2]);
    expect(map.set('c', 4)).to.deep.equal(['b', 2]);
    expect([map.get('a'), map.get('b'), map.get('c')]).to.deep.equal([3, undefined, 4]);
  });

  it('has room again after delete and clear', () => {
    const map = boundedMap<string, number>(1);
    map.set('a', 1);
    expect([map.delete('a'), map.delete('a')]).to.deep.equal([true, false]);
    map.set('b', 2);
    expect(map.get('b')).to.equal(2);
    map.clear();
    expect(map.size()).to.equal(0);
  });
});
