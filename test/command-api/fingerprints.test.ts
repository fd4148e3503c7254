import { expect } from 'chai';
import {
  recordBytes,
  fingerprintLongValues,
  fingerprintIfLong,
} from '../../command-api/traces/fingerprints.js';
import type { RecordContent } from '../../events/traces.js';
import type { Json } from '../../kernel/schema-types.js';
import { noon, traceId } from '../support/trace-batches.js';

const record = (members: object): RecordContent => ({
  type: 'trace',
  id: traceId,
  created_at: noon,
  ...members,
});
const long = 'a "quoted" é 😀 '.repeat(100);

describe('a shortened record', () => {
  it('is unchanged when it is short, and small when it is long', () => {
    const short = record({ input: 'hi', tags: ['one'], metrics: { cost: 1 } });
    expect(fingerprintLongValues(short)).to.equal(short);
    const text = 'x'.repeat(1_000_000);
    const small = fingerprintLongValues(
      record({ input: text, output: [{ content: text, role: 'user' }] }),
    );
    expect(JSON.stringify(small).length).to.be.below(300);
  });

  it('counts as many bytes as the whole has as JSON', () => {
    const whole = record({ input: long, output: [{ content: long, role: 'user' }], name: long });
    const bytes = Buffer.byteLength(JSON.stringify(whole));
    expect(recordBytes(whole)).to.be.within(bytes, bytes + 20);
    expect(recordBytes(fingerprintLongValues(whole))).to.equal(recordBytes(whole));
  });

  it('is the same where the content is, whatever the order of members', () => {
    const one: Json = { content: long, metadata: { a: '1', b: '2' } };
    const other: Json = { metadata: { b: '2', a: '1' }, content: long };
    expect(fingerprintIfLong(one)).to.equal(fingerprintIfLong(other));
    const others: readonly Json[] = [
      { content: `${long}.`, metadata: { a: '1', b: '2' } },
      { content: long.replace('a', 'b'), metadata: { a: '1', b: '2' } },
      { content: long, metadata: { a: '2', b: '1' } },
      [{ content: long, metadata: { a: '1', b: '2' } }],
      JSON.stringify(one),
    ];
    const seen = new Set([one, ...others].map((value) => fingerprintIfLong(value)));
    expect(seen.size).to.equal(others.length + 1);
  });
});
