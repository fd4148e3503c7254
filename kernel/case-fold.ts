import { codePointCount } from './code-points.js';

/**
 * Unicode simple case folding (contract 3.7, rule 1): two texts are equal without regard to case
 * exactly when their folded forms are equal, and folding goes code point by code point, so
 * substrings fold to substrings. Which member stands for a class is our choice: only equality
 * counts. Nothing else is normalised.
 */
export const foldCase = (text: string): string => {
  if (ascii.test(text)) return text.toLowerCase();
  const folds = caseFoldings();
  let folded = '';
  for (const character of text) folded += folds.get(character) ?? character;
  return folded;
};

// oxlint-disable-next-line no-control-regex -- All of ASCII is meant, controls included.
const ascii = /^[\u0000-\u007f]*$/;
const lastCased = 0x1ffff;
const pageLength = 0x1000;
let cachedFoldings: ReadonlyMap<string, string> | null = null;

/**
 * Simple case foldings: every code point that folds to another one, with that one. Taken from the
 * runtime's own `iu` matching, which is defined as simple folding, and not from `toLowerCase`,
 * which maps ſ, ς and K otherwise and İ to two code points.
 */
export const caseFoldings = (): ReadonlyMap<string, string> => {
  cachedFoldings ??= readFoldings();
  return cachedFoldings;
};

const readFoldings = (): ReadonlyMap<string, string> => {
  const classes = new Map<string, Set<string>>();
  const join = (one: string, other: string) => {
    const members = new Set([...(classes.get(one) ?? [one]), ...(classes.get(other) ?? [other])]);
    for (const member of members) classes.set(member, members);
  };
  for (let first = 0; first <= lastCased; first += pageLength) {
    for (const character of casedCharacters(first)) {
      for (const neighbour of caseVariants(character)) {
        if (equalIgnoringCase.test(character + neighbour)) join(character, neighbour);
      }
    }
  }
  for (const [one, other] of unlinkedPairs) {
    if (equalIgnoringCase.test(one + other)) join(one, other);
  }
  const folds = new Map<string, string>();
  for (const [character, members] of classes) {
    const representative = representativeOf([...members].sort());
    if (representative !== character) folds.set(character, representative);
  }
  return folds;
};

/** Matches two characters that are equal except for case. */
const equalIgnoringCase = /^([^])\1$/iu;
const casedCharacter = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/gu;

/**
 * Characters of one page of code points that have a case: one match per page, since this delays
 * every start.
 */
const casedCharacters = (first: number): readonly string[] => {
  const codes = Array.from({ length: pageLength }, (_, at) => first + at);
  return String.fromCodePoint(...codes).match(casedCharacter) ?? [];
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

/**
 * The lower-case form where the class has one, which is what engines' own `lower` mostly gives too.
 */
const representativeOf = (members: readonly string[]): string => {
  const first = members[0] ?? '';
  const lower = first.toUpperCase().toLowerCase();
  if (members.includes(lower)) return lower;
  return members.find((member) => member === member.toLowerCase()) ?? first;
};
