import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { digestOf, openSalts, saltBytes, sha256 } from '../../engines/node/digest.js';
import { runs } from '../support/runs.js';

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('event digests', () => {
  it('hash the salt and the text in UTF-8, or the text alone', () => {
    const salt = openSalts()();
    const text = '{"say":"日本 \\ud800"}';
    const bytes = Buffer.from(text, 'utf8');
    expect(digestOf(salt, text).toString('hex')).to.equal(sha(Buffer.concat([salt, bytes])));
    expect(digestOf(null, text).toString('hex')).to.equal(sha(bytes));
    expect(Buffer.from(sha256('{"say":', text.slice(7))).toString('hex')).to.equal(sha(bytes));
  });

  it('are the same for data of any length and letters', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', '"', 'é', '日', '😀', '\ud800'),
      maxLength: 40,
    });
    const text = fc.tuple(part, fc.constantFrom(0, 1, 2_000, 21_820, 22_000, 70_000), part);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 16 }), text, (salt, [first, times, last]) => {
        const json = `${first}${'é\ud800日'.charAt(times % 3).repeat(times)}${last}`;
        const bytes = Buffer.concat([salt, Buffer.from(json, 'utf8')]);
        expect(digestOf(salt, json).toString('hex')).to.equal(sha(bytes));
      }),
      { numRuns: runs(60) },
    );
  });

  it('use a unique salt each, which no later one overwrites', () => {
    const salt = openSalts();
    const salts = Array.from({ length: 2_000 }, salt);
    expect(new Set(salts.map((one) => one.toString('hex'))).size).to.equal(salts.length);
    expect(salts.every(({ length }) => length === saltBytes)).to.equal(true);
  });

  it('survive a JSON round trip through an engine', () => {
    const special = fc.constantFrom('__proto__', '\ud800', '1', 'a\u0000b', '\u2028');
    const json = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(special, fc.oneof(fc.double({ noNaN: true }), special)),
      fc.constantFrom(-0, 1e21, 5e-324, 0.1 + 0.2),
    );
    fc.assert(
      fc.property(json, (value) => {
        const stored = JSON.stringify(value);
        expect(JSON.stringify(JSON.parse(stored))).to.equal(stored);
      }),
      { numRuns: runs(300) },
    );
  });
});
