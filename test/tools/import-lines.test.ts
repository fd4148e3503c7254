import { expect } from 'chai';
import * as fc from 'fast-check';
import { jsonLinesIn, jsonValuesIn } from '../../tools/import/lines.js';
import { isMultilineJson } from '../../tools/import/source.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

async function* chunked(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const cut of [...cuts].sort((one, other) => one - other)) {
    const at = bytes.length === 0 ? 0 : cut % (bytes.length + 1);
    if (at > from) yield bytes.subarray(from, at);
    from = Math.max(from, at);
  }
  yield bytes.subarray(from);
}

const cuts = fc.array(fc.nat(10_000), { maxLength: 8 });
const whole = (text: string) => chunked(Buffer.from(text), []);

describe('the lines of a file', () => {
  it('are the same however the file is chunked, without empty ones', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('', ' ', '{"a": "ä"}'),
    );
    const property = fc.asyncProperty(
      fc.array(line.map((one) => one.replace(/[\n\ufeff]/g, '').toWellFormed())),
      fc.constantFrom('\n', '\r\n'),
      cuts,
      async (lines, end, where) => {
        const bytes = Buffer.from(lines.join(end));
        const expected = lines.flatMap((text, at) =>
          text.trim() === '' ? [] : [{ line: at + 1, text: text.trim() }],
        );
        expect(await Array.fromAsync(jsonLinesIn(chunked(bytes, where)))).to.deep.equal(expected);
      },
    );
    const seed = drawSeed('lines');
    await fc.assert(property, { seed, numRuns: runs(200) });
  });

  it('are reported by number if too long or not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`\ufeffone\n${'x'.repeat(50)}\ntwo\n`),
      Buffer.from([0xff, 0x0a]),
    ]);
    expect(await Array.fromAsync(jsonLinesIn(chunked(bytes, [7, 20, 40]), 40))).to.deep.equal([
      { line: 1, text: 'one' },
      { line: 2, problem: 'it has more than 40 bytes' },
      { line: 3, text: 'two' },
      { line: 4, problem: 'it is not UTF-8' },
    ]);
  });
});

describe('the values of a JSON text over many lines', () => {
  it('are the items of its list, or its objects, however it is cut and indented', async () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const property = fc.asyncProperty(
      fc.array(object, { maxLength: 5 }),
      fc.constantFrom(undefined, 1, 4),
      fc.boolean(),
      cuts,
      async (values, indent, asList, where) => {
        const text = asList
          ? JSON.stringify(values, null, indent)
          : values.map((value) => JSON.stringify(value, null, indent)).join('\n');
        const pieces = await Array.fromAsync(
          jsonValuesIn(chunked(Buffer.from(`\ufeff${text}`), where)),
        );
        expect(pieces.map((piece) => JSON.parse('text' in piece ? piece.text : ''))).to.deep.equal(
          values.map((value) => JSON.parse(JSON.stringify(value)) as unknown),
        );
      },
    );
    const seed = drawSeed('values');
    await fc.assert(property, { seed, numRuns: runs(200) });
  });

  it('have the number of the line on which they begin', async () => {
    const text = '[\n  {"a": [1,\n 2], "b": "}]\\""},\n 7, {\n},\n\n{"c": 1}, {"cut": [';
    expect(await Array.fromAsync(jsonValuesIn(whole(text)))).to.deep.equal([
      { line: 2, text: '{"a": [1,\n 2], "b": "}]\\""}' },
      { line: 4, text: '7' },
      { line: 4, text: '{\n}' },
      { line: 7, text: '{"c": 1}' },
      { line: 7, text: '{"cut": [' },
    ]);
  });
});

describe('a file that is one JSON text', () => {
  it('is distinguished from JSON Lines, of which some may be malformed', () => {
    const texts = ['[', ' [{"a": 1}, {', '{\n  "a": {', '\ufeff{\r\n', '{"a": [\n{"b": 1}]}\n'];
    const lines = [
      '{"a": 1}',
      '{"a": 1}\n{',
      '{"a": \n{"b": 1}\n',
      '{"a": "not seen to its end',
      'x\n[',
      '',
    ];
    expect(texts.filter((text) => !isMultilineJson(text))).to.deep.equal([]);
    expect(lines.filter((text) => isMultilineJson(text))).to.deep.equal([]);
  });
});
