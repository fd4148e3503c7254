import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseJson } from '../../engines/koa/json-parser.js';
import { openJsonScan } from '../../engines/koa/json-scan.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

/** JSON as it is written: members in order, names more than once. */
type Written =
  | { readonly text: string }
  | { readonly items: readonly Written[] }
  | { readonly members: readonly (readonly [string, Written])[] };

const textOf = (one: Written, space: string): string => {
  if ('text' in one) return one.text;
  if ('items' in one) return `[${space}${one.items.map((item) => textOf(item, space)).join()}]`;
  const members = one.members.map(
    ([name, value]) => `${JSON.stringify(name)}${space}:${textOf(value, space)}${space}`,
  );
  return `{${members.join(`,${space}`)}}`;
};

/** Paths of members whose name an earlier one has, those within replaced members with them. */
const repeatsIn = (one: Written, at: readonly string[] = []): readonly string[] => {
  if ('text' in one) return [];
  if ('items' in one) {
    return one.items.flatMap((item, index) => repeatsIn(item, [...at, String(index)]));
  }
  const seen = new Set<string>();
  return one.members.flatMap(([name, value]) => {
    const path = [...at, name];
    const own = seen.has(name) ? [path.join('/')] : [];
    seen.add(name);
    return [...own, ...repeatsIn(value, path)];
  });
};

const parsed = (text: string) => {
  const bytes = Buffer.from(text);
  const read = parseJson(bytes, openJsonScan(bytes).upTo(bytes.length), 64);
  if ('complaint' in read) throw new Error(text);
  return (read.repeated ?? []).map((path) => path.join('/'));
};

describe('duplicate members of a JSON text', () => {
  it('are found by their spelling, in objects and lists at any depth', () => {
    expect(parsed(String.raw`{"a":1,"b":[{"c":1,"c":{"d":1,"\u0064":2}}],"a":2}`)).to.deep.equal([
      'b/0/c',
      'b/0/c/d',
      'a',
    ]);
    expect(parsed(String.raw`{"a":"\"a\":1,","b":"\\","b":":"}`)).to.deep.equal(['b']);
    expect(parsed('[{"a":1},{"a":1}]')).to.deep.equal([]);
    expect(parsed('{"__proto__":1,"__proto__":2}')).to.deep.equal(['__proto__']);
    expect(parsed(String.raw`{"\ud800":1,"\udfff":2}`)).to.deep.equal(['\ufffd']);
  });

  it('are listed up to 21', () => {
    expect(parsed(`{${Array.from({ length: 100 }, () => '"a":1').join()}}`)).to.have.length(21);
  });

  it('are found in any text, and never in a text without them', () => {
    const name = fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom('a', 'b', '"', '\\', '__proto__'),
    );
    const { any } = fc.letrec<{ readonly any: Written }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc
          .oneof(fc.string(), fc.integer(), fc.constantFrom(null, true, '\\"', 'a:b,{'))
          .map((value) => ({
            text: JSON.stringify(value),
          })),
        fc.array(tie('any'), { maxLength: 4 }).map((items) => ({ items })),
        fc.array(fc.tuple(name, tie('any')), { maxLength: 5 }).map((members) => ({ members })),
      ),
    }));
    fc.assert(
      fc.property(any, fc.constantFrom('', ' ', '\n '), (one, space) => {
        expect(parsed(textOf(one, space))).to.deep.equal(repeatsIn(one).slice(0, 21));
      }),
      { seed: drawSeed('JSON with members twice'), numRuns: runs(1_000) },
    );
  });
});
