import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseJsonText } from '../../kernel/json-text.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

/** Names in their order: what V8 reads as another name is another value. */
const entriesOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(entriesOf);
  return { entries: Object.entries(value).map(([name, one]) => [name, entriesOf(one)]) };
};

describe('a JSON text', () => {
  it('keeps member names as written, whatever was parsed before', () => {
    parseJsonText(String.raw`{"a":1,"\\":2}`);
    expect(Object.keys(parseJsonText(String.raw`{"a":1,"\n":2}`) as object)).to.deep.equal([
      'a',
      '\n',
    ]);
    expect(
      Object.keys(parseJsonText(String.raw`{"a":1 , "\"" : {"\\":":"}}`) as object),
    ).to.include('"');
  });

  it('is parsed with members in order, the last of a repeated name', () => {
    const name = fc.oneof(
      fc.constantFrom('\\', '\n', '"', '\\n', 'a', 'n0', '7', '__proto__', '\\"', ''),
      fc.string({ maxLength: 3 }),
    );
    const { any } = fc.letrec<{ readonly any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(fc.string(), fc.integer(), fc.constantFrom(null, true, '\\', '":', 'a\\n:')),
        fc.array(tie('any'), { maxLength: 3 }),
        fc
          .array(fc.tuple(name, tie('any')), { maxLength: 4 })
          .map((members) => Object.fromEntries(members)),
      ),
    }));
    fc.assert(
      fc.property(any, fc.constantFrom(0, 1), (value, space) => {
        const read = parseJsonText(JSON.stringify(value, null, space));
        expect(entriesOf(read)).to.deep.equal(entriesOf(value));
      }),
      { seed: drawSeed('JSON texts'), numRuns: runs(2_000) },
    );
    expect(parseJsonText(String.raw`{"\u0061":1,"a":2}`)).to.deep.equal({ a: 2 });
    expect(parseJsonText(String.raw`{"a":1,"\u0061":2,"a":3}`)).to.deep.equal({ a: 3 });
  });

  it('throws a SyntaxError for invalid JSON, as JSON.parse does', () => {
    for (const text of ['', '{"\\', '{"\\n":1', '["\\"', '{"\\x":1}', '"\\"']) {
      expect(() => parseJsonText(text), text).to.throw(SyntaxError);
    }
  });
});
