import { expect } from 'chai';
import { foldCase, caseFoldings } from '../../kernel/case-fold.js';
import { codePointCount } from '../../kernel/code-points.js';

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

  it('has a table of the classes that the runtime matches without regard to case', () => {
    const classes = new Map<string, Set<string>>();
    const join = (one: string, other: string): void => {
      const members = new Set([...(classes.get(one) ?? [one]), ...(classes.get(other) ?? [other])]);
      for (const member of members) classes.set(member, members);
    };
    for (const character of casedCharacters()) {
      for (const other of caseVariants(character)) {
        if (equalIgnoringCase.test(character + other)) join(character, other);
      }
    }
    for (const [one, other] of unlinkedPairs) join(one, other);
    const folded = new Map(
      [...classes].flatMap(([character, members]) => {
        const folds = new Set(Array.from(members, foldCase));
        expect(folds, character).to.have.lengthOf(1);
        const [fold = ''] = folds;
        expect(members, character).to.include(fold);
        return fold === character ? [] : [[character, fold] as const];
      }),
    );
    expect(folded).to.deep.equal(new Map(caseFoldings()));
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

/** Matches two characters that are equal except for case. */
const equalIgnoringCase = /^([^])\1$/iu;

const casedCharacters = (): readonly string[] => {
  const pages = Array.from({ length: 0x20 }, (_, page) =>
    String.fromCodePoint(...Array.from({ length: 0x1000 }, (__, at) => page * 0x1000 + at)),
  );
  return pages.flatMap(
    (page) => page.match(/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/gu) ?? [],
  );
};

/** Members of a class reach each other by these steps, except the pairs below. */
const caseVariants = (character: string): readonly string[] => {
  const upper = character.toUpperCase();
  return [upper, character.toLowerCase(), upper.toLowerCase()].filter(
    (other) => other !== character && codePointCount(other) === 1,
  );
};

// Equal by simple folding since Unicode 15.1, but linked only by mappings to several code points.
const unlinkedPairs: readonly (readonly [string, string])[] = [
  ['\u0390', '\u1fd3'],
  ['\u03b0', '\u1fe3'],
  ['\ufb05', '\ufb06'],
];
