import { expect } from 'chai';
import * as fc from 'fast-check';
import { encodeMember, decodeMember } from '../../engines/mongodb/member-names.js';
import { byCodePoint } from '../../kernel/code-points.js';

const characters = ['\0', '\u0001', '\u0002', ...Array.from('!"#$%-./_a01'), '😀', '\uffff'];
const awkward = fc.string({ unit: fc.constantFrom(...characters), maxLength: 6 });

describe('MongoDB member names', () => {
  it('round-trip, sort as names, and are never a path, operator or prototype', () => {
    const property = fc.property(awkward, awkward, (one, other) => {
      expect(decodeMember(encodeMember(one))).to.equal(one);
      expect(encodeMember(one)).to.match(/^_[^\0$.]*$/u);
      const order = Math.sign(byCodePoint(encodeMember(one), encodeMember(other)));
      expect(order).to.equal(Math.sign(byCodePoint(one, other)));
    });
    fc.assert(property, { numRuns: 2_000 });
    expect(encodeMember('__proto__')).to.equal('___proto__');
  });
});
