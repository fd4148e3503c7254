import { expect } from 'chai';
import * as fc from 'fast-check';
import { memberOf, nameOf } from '../../engines/mongodb/names.js';
import { byCodePoint } from '../../kernel/code-points.js';

const characters = ['\0', '\u0001', '\u0002', ...Array.from('!"#$%-./_a01'), '😀', '\uffff'];
const awkward = fc.string({ unit: fc.constantFrom(...characters), maxLength: 6 });

describe('names as members in MongoDB', () => {
  it('come back, sort as names, and are never a path, an operator or a prototype', () => {
    const property = fc.property(awkward, awkward, (one, other) => {
      expect(nameOf(memberOf(one))).to.equal(one);
      expect(memberOf(one)).to.match(/^_[^\0$.]*$/u);
      const order = Math.sign(byCodePoint(memberOf(one), memberOf(other)));
      expect(order).to.equal(Math.sign(byCodePoint(one, other)));
    });
    fc.assert(property, { numRuns: 2_000 });
    expect(memberOf('__proto__')).to.equal('___proto__');
  });
});
