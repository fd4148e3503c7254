import { expect } from 'chai';
import * as fc from 'fast-check';
import { countMembers } from '../../engines/koa/json-parser.js';
import { openJsonScan } from '../../engines/koa/json-scan.js';
import { parseJsonText } from '../../kernel/json-text.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

/** Scans in steps of that many bytes. */
const scanned = (text: string | Buffer, stepBytes = 1_000_000) => {
  const bytes = Buffer.from(text);
  const scan = openJsonScan(bytes, 'traces');
  let complexity = scan.upTo(0);
  for (let at = 0; at < bytes.length;) complexity = scan.upTo((at += stepBytes));
  return { complexity, itemBounds: [...scan.itemBounds] };
};
const complexityOf = (text: string, stepBytes?: number) => scanned(text, stepBytes).complexity;

/** The located items, parsed. */
const itemsIn = (text: string): readonly unknown[] => {
  const bytes = Buffer.from(text);
  const { itemBounds } = scanned(bytes);
  return Array.from({ length: itemBounds.length / 2 }, (_, index) =>
    parseJsonText(bytes.toString('utf8', itemBounds[index * 2], itemBounds[index * 2 + 1])),
  );
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

/** JSON texts as a hostile client writes them: any escapes and blanks, repeated names. */
const hostileJson = (): fc.Arbitrary<string> => {
  const blank = fc.constantFrom('', '', '', ' ', '\n\t', ' '.repeat(30));
  const plain = ['a', 'é', '🧳', '{', '}', '[', ']', ':', ',', '\u2028'];
  const escaped = ['"', '\\', '/', 'n', 'u0061', 'u0000', 'ud83e', 'ud83e\\uddf3'];
  const character = fc.constantFrom(...plain, ...escaped.map((one) => `\\${one}`));
  const text = fc
    .oneof(fc.array(character, { maxLength: 6 }), fc.array(character, { maxLength: 60 }))
    .map((characters) => `"${characters.join('')}"`);
  const number = fc.constantFrom('0', '-0', '1e999', '-1.50E-3', '12345678901234567890');
  const name = fc.oneof(
    text,
    fc.constantFrom('"traces"', '"__proto__"', String.raw`"tr\u0061ces"`, '"trace"', '"spans"'),
  );
  const joined = (ends: string, parts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(fc.array(parts, { maxLength: 4 }), blank)
      .map(([all, space]) => `${ends[0]}${space}${all.join(`${space},`)}${ends[1]}`);
  const { any, object, list } = fc.letrec<Record<'any' | 'member' | 'object' | 'list', string>>(
    (tie) => ({
      any: fc.oneof({ maxDepth: 4 }, text, number, fc.constant('null'), tie('list'), tie('object')),
      member: fc
        .tuple(name, blank, tie('any'))
        .map(([key, space, value]) => `${key}${space}:${value}`),
      object: joined('{}', tie('member')),
      list: joined('[]', tie('any')),
    }),
  );
  const traces = fc
    .tuple(name, fc.oneof(joined('[]', object), list, any))
    .map(([key, value]) => `${key}:${value}`);
  return joined('{}', traces);
};

describe('a scan of a JSON text', () => {
  it('counts members, items, objects and lists, and names once', () => {
    expect(complexityOf('"a:b,c"')).to.deep.equal({ values: 0, members: 0, names: 0, levels: 0 });
    expect(complexityOf('{"a":1,"b" : [1,2],"c":{"a":{}}}')).to.deep.equal({
      values: 7,
      members: 4,
      names: 3,
      levels: 3,
    });
  });
  it('ignores structure characters inside texts', () => {
    const text = String.raw`{"a":"\",\"b\":{[,","c\\":"x","c\":":1}`;
    expect(complexityOf(text)).to.deep.equal({ values: 3, members: 3, names: 3, levels: 1 });
  });
  it('is the same in any steps', () => {
    const text = String.raw`[{"é\"":1,"long name":{"é\"":[]}},{"\u0061":"\\"}]`;
    for (let size = 1; size < 12; size += 1) {
      expect(scanned(text, size), `${size}`).to.deep.equal(scanned(text));
    }
  });
  it('counts what the parsed value has, in any steps', () => {
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
        const found = complexityOf(JSON.stringify(drawn, null, space), size);
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
      const { names: found } = complexityOf(JSON.stringify(Object.fromEntries(names)));
      expect(found).to.be.within(24_300, 25_000);
    }
  });
  it('locates the items of the last list under the name, however it is spelt', () => {
    expect(itemsIn('{"traces":[{"a":1}, {"b":[{}]} ,[]],"other":[{}]}')).to.deep.equal([
      { a: 1 },
      { b: [{}] },
      [],
    ]);
    expect(itemsIn(String.raw`{"traces":[{"a":1}],"tr\u0061ces":[{"b":2}]}`)).to.deep.equal([
      { b: 2 },
    ]);
    for (const last of ['null', '{"a":[{}]}', '[]', '"[{}]"'])
      expect(itemsIn(`{"traces":[{"a":1}],"traces":${last}}`), last).to.deep.equal([]);
    expect(itemsIn('{"other":{"traces":[{}]},"tracer":[{}]}')).to.deep.equal([]);
    expect(itemsIn('[{"traces":[{}]}]')).to.deep.equal([]);
  });
  it('locates the items that the parsed list has, in hostile texts and any steps', () => {
    let located = 0;
    const property = fc.property(hostileJson(), fc.integer({ min: 1, max: 40 }), (text, size) => {
      expect(scanned(text, size)).to.deep.equal(scanned(text));
      const { traces } = parseJsonText(text) as { readonly traces?: unknown };
      const isWanted = (item: unknown): boolean => typeof item === 'object' && item !== null;
      const wanted = Array.isArray(traces) ? traces.filter(isWanted) : [];
      expect(itemsIn(text)).to.deep.equal(wanted);
      located += wanted.length;
    });
    fc.assert(property, { seed: drawSeed('items of hostile JSON'), numRuns: runs(500) });
    expect(located).to.be.above(20);
  });
  it('ends on bytes that are not JSON, the same in any steps', () => {
    const broken = fc
      .tuple(hostileJson(), fc.nat(), fc.nat(), fc.integer({ min: 0, max: 255 }))
      .map(([text, cut, at, byte]) => {
        const bytes = Buffer.from(text);
        const some = Buffer.from(bytes.subarray(0, cut % (bytes.length + 1)));
        if (some.length > 0) some[at % some.length] = byte;
        return some;
      });
    const property = fc.property(broken, fc.integer({ min: 1, max: 40 }), (bytes, size) => {
      expect(scanned(bytes, size)).to.deep.equal(scanned(bytes));
    });
    fc.assert(property, { seed: drawSeed('broken JSON'), numRuns: runs(500) });
  });
});
