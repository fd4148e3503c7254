import { expect } from 'chai';
import * as fc from 'fast-check';
import { countMembers } from '../../engines/koa/duplicate-members.js';
import { openComplexityCounter } from '../../engines/koa/json-complexity.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const weightOf = (text: string, pieceBytes = 1_000_000) => {
  const bytes = Buffer.from(text);
  const weigh = openComplexityCounter(bytes.length);
  let weight = weigh(Buffer.alloc(0));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    weight = weigh(bytes.subarray(at, at + pieceBytes));
  }
  return weight;
};

/** Commas, opening brackets and those not closed yet, as JSON.stringify writes them, and names. */
const naive = (drawn: unknown) => {
  const names = new Set<string>();
  const valuesIn = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const items = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
    return 1 + Math.max(0, items.length - 1) + items.reduce((sum, item) => sum + valuesIn(item), 0);
  };
  const levelsIn = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(levelsIn))
      : 0;
  const members = countMembers(drawn);
  return { values: valuesIn(drawn), members, names: names.size, levels: levelsIn(drawn) };
};

describe('JSON complexity', () => {
  it('counts members, items, objects and lists, and names once', () => {
    expect(weightOf('"a:b,c"')).to.deep.equal({ values: 0, members: 0, names: 0, levels: 0 });
    expect(weightOf('{"a":1,"b" : [1,2],"c":{"a":{}}}')).to.deep.equal({
      values: 7,
      members: 4,
      names: 3,
      levels: 3,
    });
  });
  it('ignores structure characters inside texts', () => {
    const text = String.raw`{"a":"\",\"b\":{[,","c\\":"x","c\":":1}`;
    expect(weightOf(text)).to.deep.equal({ values: 3, members: 3, names: 3, levels: 1 });
  });
  it('is the same in any pieces of the text', () => {
    const text = String.raw`[{"é\"":1,"long name":{"é\"":[]}},{"\u0061":"\\"}]`;
    for (let size = 1; size < 12; size += 1) {
      expect(weightOf(text, size), `${size}`).to.deep.equal(weightOf(text));
    }
  });
  it('equals that of the parsed value, in any pieces of the text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('"', '\\\\', ':', ',', '{', 'a'), maxLength: 80 }),
      fc.string({ minLength: 20, maxLength: 60 }),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 5 }),
      object: fc.dictionary(text, tie('any'), { maxKeys: 5 }),
    })).any;
    // Two names may be taken for one another, which is drawn anew in each process: seldom.
    let [named, taken] = [0, 0];
    const property = fc.property(value, fc.integer({ min: 1, max: 70 }), (drawn, size) => {
      for (const space of [0, 2]) {
        const found = weightOf(JSON.stringify(drawn, null, space), size);
        const { names, ...others } = naive(drawn);
        expect(found).to.deep.include(others);
        expect(found.names).to.be.within(names - 1, names);
        named += names;
        taken += names - found.names;
      }
    });
    fc.assert(property, { seed: drawSeed('weights of JSON'), numRuns: runs(500) });
    expect(taken, `of ${named} names`).to.be.at.most(4 + named / 500);
  });
  it('distinguishes 25,000 names but for a few, long ones and short ones', () => {
    for (const before of ['', 'n'.repeat(200)]) {
      const names = Array.from({ length: 25_000 }, (_, n) => [`${before}${n}`, n] as const);
      const { names: found } = weightOf(JSON.stringify(Object.fromEntries(names)));
      expect(found).to.be.within(24_300, 25_000);
    }
  });
});
