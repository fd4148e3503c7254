import { expect } from 'chai';
import * as fc from 'fast-check';
import { bleu } from '../../kernel/records/bleu.js';
import { computeOverlap, overlapTextMax } from '../../kernel/records/overlap-metrics.js';
import { lcsLength, rouge } from '../../kernel/records/rouge.js';
import { tokens13a } from '../../kernel/records/tokens-13a.js';

const ngrams = (tokens: readonly string[], n: number): readonly string[] =>
  tokens
    .slice(0, Math.max(0, tokens.length - n + 1))
    .map((_, at) => tokens.slice(at, at + n).join(' '));
const counts = (items: readonly string[]): Map<string, number> =>
  items.reduce((map, item) => map.set(item, (map.get(item) ?? 0) + 1), new Map<string, number>());

/** Contract 3.5 word by word. */
const naiveTokens = (text: string): readonly string[] => {
  const steps: readonly (readonly [RegExp, string])[] = [
    [/<skipped>/g, ''],
    [/-\n/g, ''],
    [/\n/g, ' '],
    [/&quot;/g, '"'],
    [/&amp;/g, '&'],
    [/&lt;/g, '<'],
    [/&gt;/g, '>'],
    [/^[^]*$/, ' $& '],
    [/[!-&(-+/:-@[-`{-~]/g, ' $& '],
    [/([^0-9])([.,])/g, '$1 $2 '],
    [/([.,])([^0-9])/g, ' $1 $2'],
    [/([0-9])(-)/g, '$1 $2 '],
  ];
  return steps
    .reduce((result, [pattern, by]) => result.replace(pattern, by), text)
    .split(/\s+/)
    .filter((token) => token !== '');
};

const naiveBleu = (output: string, reference: string): number | null => {
  const said = tokens13a(output);
  const expected = tokens13a(reference);
  if (expected.length === 0) return null;
  const precisions = [1, 2, 3, 4].map((n) => {
    const there = counts(ngrams(expected, n));
    const matched = [...counts(ngrams(said, n))].reduce(
      (sum, [gram, count]) => sum + Math.min(count, there.get(gram) ?? 0),
      0,
    );
    return { matched, total: Math.max(1, ngrams(said, n).length) };
  });
  if (said.length === 0 || precisions[0]?.matched === 0) return 0;
  const mean =
    precisions.reduce(
      (sum, { matched, total }) => sum + Math.log((matched === 0 ? 0.1 : matched) / total),
      0,
    ) / 4;
  const brevity = said.length > expected.length ? 1 : Math.exp(1 - expected.length / said.length);
  return brevity * Math.exp(mean);
};

const naiveCommon = (one: readonly string[], other: readonly string[]): number => {
  let previous = other.map(() => 0);
  for (const token of one) {
    const row: number[] = [];
    other.forEach((candidate, at) => {
      row.push(
        candidate === token
          ? (previous[at - 1] ?? 0) + 1
          : Math.max(previous[at] ?? 0, row[at - 1] ?? 0),
      );
    });
    previous = row;
  }
  return previous.at(-1) ?? 0;
};

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'the', 'cat', 'on', '1.5', 'x,y', '-'), {
  maxLength: 40,
});

describe('BLEU', () => {
  it('gives the known answers', () => {
    expect(bleu('the cat is on the mat', 'the cat sat on the mat')).to.be.closeTo(0.254066, 1e-6);
    expect(
      bleu(
        'the quick brown fox leaps over a lazy dog',
        'the quick brown fox jumps over the lazy dog',
      ),
    ).to.be.closeTo(0.368894, 1e-6);
    expect(bleu('a b c d e', 'a b c d e')).to.equal(1);
  });

  it('is 0 without a common token and not computed without a reference token', () => {
    expect(bleu('x y', 'a b')).to.equal(0);
    expect(bleu(' ', 'a b')).to.equal(0);
    expect(bleu('a', ' \n')).to.equal(null);
  });

  it('tokenises as 13a, step by step', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['a<skipped>b', 'ab'],
      ['well-\nknown', 'wellknown'],
      ['one\ntwo', 'one two'],
      ['&quot;&amp;&lt;&gt;', '" & < >'],
      ['&amp;lt;', '<'],
      ['(a)[b]{c}', '( a ) [ b ] { c }'],
      ['costs $5.', 'costs $ 5 .'],
      ['1,000.5', '1,000.5'],
      ['a,b', 'a , b'],
      ['.5', '. 5'],
      ['5.', '5 .'],
      ['..', '. .'],
      ['3-4', '3 - 4'],
      ['a-4', 'a-4'],
      ["it's", "it's"],
      ['Cat', 'Cat'],
    ];
    for (const [text, tokens] of cases) expect(tokens13a(text).join(' '), text).to.equal(tokens);
  });

  it('tokenises random texts as the regular expressions of the definition', () => {
    const parts = [
      'a',
      '1',
      '.',
      ',',
      '-',
      '\n',
      ' ',
      '\u00a0',
      '\u2003',
      '\ufeff',
      '\ud800',
      '😀',
    ];
    const entities = ['&quot;', '&amp;', 'lt;', '<skipped>', '!', "'", '/', '~', '\u007f', '{'];
    const text = fc
      .array(fc.constantFrom(...parts, ...entities), { maxLength: 30 })
      .map((some) => some.join(''));
    fc.assert(
      fc.property(text, (any) => {
        expect(tokens13a(any)).to.deep.equal(naiveTokens(any));
      }),
      { numRuns: 2_000 },
    );
  });

  it('equals the definition', () => {
    fc.assert(
      fc.property(words, words, (output, reference) => {
        const [one, other] = [output.join(' '), reference.join(' ')];
        const expected = naiveBleu(one, other);
        if (expected === null) return bleu(one, other) === null;
        return Math.abs((bleu(one, other) ?? Number.NaN) - expected) < 1e-12;
      }),
    );
  });
});

describe('ROUGE-L', () => {
  it('gives the known answers', () => {
    expect(rouge('the cat is on the mat', 'the cat sat on the mat')).to.be.closeTo(0.833333, 1e-6);
    expect(
      rouge(
        'the quick brown fox leaps over a lazy dog',
        'the quick brown fox jumps over the lazy dog',
      ),
    ).to.be.closeTo(0.777778, 1e-6);
  });

  it('compares letters and digits of all scripts, without case', () => {
    expect(rouge('Ärger, ΣΑΣ 7!', 'ärger σασ 7')).to.be.a('number');
    expect(rouge('EINS-zwei', 'eins Zwei')).to.equal(1);
    expect(rouge('a', 'b')).to.equal(0);
    expect(rouge('!', 'b')).to.equal(null);
    expect(rouge('b', '!')).to.equal(null);
  });

  it('finds the longest common subsequence', () => {
    const tokens = fc.array(fc.nat({ max: 7 }).map(String), { maxLength: 200 });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        (one, other) => lcsLength(one, other) === naiveCommon(one, other),
      ),
    );
  });

  it('finds it in long texts too', () => {
    let state = 1;
    const noise = (kinds: number) =>
      Array.from({ length: 700 }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return `${Math.floor((state / 2 ** 32) * kinds)}`;
      });
    for (const kinds of [2, 8, 60, 500]) {
      const [one, other] = [noise(kinds), noise(kinds)];
      expect(lcsLength(one, other), `${kinds}`).to.equal(naiveCommon(one, other));
    }
  });
});

describe('overlap metrics', () => {
  it('are computed of texts of 32 KiB, and not when one of them has a byte more', () => {
    const [text, more] = ['a '.repeat(overlapTextMax / 2), 'é'.repeat(overlapTextMax / 2)];
    for (const name of ['bleu', 'rouge'] as const) {
      expect(computeOverlap(name, text, text)).to.be.closeTo(1, 1e-12);
      expect(computeOverlap(name, `${text}a`, 'a')).to.equal(null);
      expect(computeOverlap(name, 'a', `${text}a`)).to.equal(null);
      expect(computeOverlap(name, more, 'a'), 'bytes, not characters').to.equal(0);
      expect(computeOverlap(name, `${more}é`, 'a')).to.equal(null);
    }
  });
});
