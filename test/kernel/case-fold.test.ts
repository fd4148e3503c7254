import { expect } from 'chai';
import { foldCase, caseFoldings } from '../../kernel/case-fold.js';

const equal = (one: string, other: string): boolean => foldCase(one) === foldCase(other);

describe('folding case', () => {
  it('makes all members of a class equal', () => {
    const classes = [
      'Kk\u212a',
      'Ssſ',
      'Σσς',
      'µΜμ',
      'ßẞ',
      'Åå\u212b',
      'Ωω\u2126',
      'θΘϑϴ',
      'ιΙ\u0345\u1fbe',
    ];
    for (const members of classes) {
      expect(new Set(Array.from(members, foldCase)), members).to.have.lengthOf(1);
    }
  });

  it('folds scripts beyond the Latin one', () => {
    expect(equal('ᎠᏰ', 'ꭰᏸ')).to.equal(true); // Cherokee
    expect(equal('𐐀𐐧', '𐐨𐑏')).to.equal(true); // Deseret, above U+FFFF
    expect(equal('ა', 'Ა')).to.equal(true); // Georgian
    expect(equal('ПРИВЕТ', 'привет')).to.equal(true);
  });

  it('does not equate pairs of full folding or of single languages', () => {
    expect(equal('ß', 'ss')).to.equal(false);
    expect(equal('İ', 'i')).to.equal(false);
    expect(equal('ı', 'i')).to.equal(false);
    expect(equal('ı', 'I')).to.equal(false);
    expect(equal('ﬁ', 'fi')).to.equal(false);
    expect(equal('é', 'e\u0301')).to.equal(false);
  });

  it('ignores the context of a character: a final sigma folds like any other', () => {
    expect(foldCase('ΟΔΟΣ')).to.equal(foldCase('οδος'));
    expect(foldCase('ΟΔΟΣ').includes(foldCase('Σ'))).to.equal(true);
  });

  it('agrees with the runtime on every code point that has a case', () => {
    for (const [character, folded] of caseFoldings()) {
      expect(new RegExp(`^${character}$`, 'iu').test(folded), character).to.equal(true);
      expect(foldCase(folded), character).to.equal(folded);
    }
    expect(caseFoldings().size).to.be.greaterThan(1_300);
  });

  it('misses no pair that the runtime matches', () => {
    const everyCharacter = [];
    for (let code = 0x80; code < 0x1f000; code += 1) {
      if (code < 0xd800 || code > 0xdfff) everyCharacter.push(String.fromCodePoint(code));
    }
    const text = everyCharacter.join('');
    const representatives = new Set(caseFoldings().values());
    for (const one of representatives) {
      const matched = text.match(new RegExp(one, 'giu')) ?? [];
      expect(matched.filter((other) => foldCase(other) !== one)).to.deep.equal([]);
    }
  }).timeout(20_000);
});
