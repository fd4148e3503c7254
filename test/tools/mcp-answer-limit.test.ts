import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  answerCharacters,
  limitAnswer,
  cutText,
  type McpResult,
} from '../../tools/mcp/answer-limit.js';
import type { JsonObject } from '../../kernel/schema-types.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

/** Long enough that a few of them are more than an answer. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.constantFrom('x', '😀', '"', '\\'), fc.integer({ min: 500, max: 3_000 }))
    .map(([unit, times]) => unit.repeat(times)),
);
const member = fc.oneof(
  text,
  fc.integer(),
  fc.array(text, { maxLength: 4 }),
  fc.dictionary(fc.string({ maxLength: 200 }), text, { maxKeys: 4 }),
);
const item = fc
  .tuple(fc.uuid(), fc.dictionary(fc.string({ maxLength: 300 }), member, { maxKeys: 12 }))
  .map(([id, rest]): JsonObject => ({ ...rest, id }));
const found = fc.record({
  head: item.map((trace): JsonObject => ({ trace })),
  list: fc.constant('spans'),
  items: fc.array(item, { maxLength: 12 }),
  start: fc.nat(1_000),
  next: fc.constant(null),
  hint: fc.constant('a smaller text_chars makes it shorter'),
  notes: fc.array(fc.string({ maxLength: 5_000 }), { maxLength: 3 }),
});
const plain = (items: readonly JsonObject[]): McpResult => ({
  head: {},
  list: 'spans',
  items,
  start: 40,
  next: null,
  hint: 'read_span has each alone',
});

describe('the size of results of assay mcp tools', () => {
  it('is at most the requested one, whatever was recorded, with a place to resume', () => {
    const seed = drawSeed('bounds of answers');
    fc.assert(
      fc.property(
        found,
        fc.integer({ min: answerCharacters.least, max: 2 * answerCharacters.least }),
        (one, max) => {
          const said = limitAnswer(one, max);
          expect(JSON.stringify(said).length).to.be.at.most(max);
          const { spans, next_starting_token } = said as {
            readonly spans: readonly JsonObject[];
            readonly next_starting_token: number | null;
          };
          // Each is there, in order, and nobody asks for ever.
          expect(spans.map(({ id }) => id)).to.deep.equal(
            one.items.slice(0, spans.length).map(({ id }) => id),
          );
          if (one.items.length > 0) expect(spans).to.not.be.empty;
          const isWhole = spans.length === one.items.length;
          expect(next_starting_token).to.equal(isWhole ? null : one.start + spans.length);
        },
      ),
      { seed, numRuns: runs(150), endOnFailure: true },
    );
  });

  it('is limited after whole items, with how to get the rest', () => {
    const items = Array.from({ length: 50 }, (_, at) => ({
      id: String(at),
      text: 'x'.repeat(500),
    }));
    const said = limitAnswer(plain(items), 5_000);
    expect(said['spans']).to.deep.equal(items.slice(0, 7));
    expect(said['next_starting_token']).to.equal(47);
    expect(said['note']).to.equal(
      'Cut at max_chars (5000) after 7 of 50 items. More with starting_token 47; read_span has ' +
        'each alone.',
    );
  });

  it('shortens texts of an item that is too large, and says so', () => {
    const said = limitAnswer(plain([{ id: 'one', text: 'x'.repeat(9_000) }]), 5_000);
    const [item] = said['spans'] as readonly { readonly text: string }[];
    expect(item?.text).to.match(/^x{4000}… \[5000 more characters\]$/);
    expect(said['note']).to.match(/shortened to fit max_chars \(5000\)/);
  });

  it('names the members left out of an item that stays too large', () => {
    const wide = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`key ${at}`, at]));
    const said = limitAnswer(plain([{ id: 'one', name: 'book', wide }]), 5_000);
    expect(said['spans']).to.deep.equal([{ id: 'one', name: 'book', left_out: ['wide'] }]);
  });

  it('cuts a text at a character boundary, and shows later parts on request', () => {
    const long = '😀'.repeat(30);
    expect(cutText(long, { start: 0, characters: 37 })).to.equal(
      `${'😀'.repeat(18)}… [24 more characters]`,
    );
    expect(cutText('ab'.repeat(40), { start: 70, characters: 40 })).to.equal(
      '[70 characters before] …ababababab',
    );
    expect(cutText('short', { start: 3, characters: 0 })).to.equal('short');
  });
});
