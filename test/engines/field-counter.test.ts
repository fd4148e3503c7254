import { expect } from 'chai';
import * as fc from 'fast-check';
import { otlpMessages } from '../../contract/otlp-messages.js';
import { compileFieldCounter } from '../../engines/protobufjs/field-counter.js';
import { otelBytes, otelRequest, otelSpan } from '../support/otlp.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

const request = 'ExportTraceServiceRequest';
const counter = compileFieldCounter(otlpMessages);

/** A field of a message with at most 2 MiB in it. */
const field = (number: number, bytes: Uint8Array): Buffer => {
  const { length } = bytes;
  const head = [(number << 3) | 2, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14];
  return Buffer.concat([Buffer.from(head), bytes]);
};

describe('protobuf field counter', () => {
  it('counts every field of a request, in steps of any size', () => {
    const spans = [otelSpan({ id: 1, attributes: { a: 'x', b: [1, 2] } })];
    const bytes = otelBytes(otelRequest(spans, { 'service.name': 's' }));
    // Outside the span: 1 + 1 + 4 of the resource, 1 + 1 + 2 of the scope, 1 span.
    // The span: 2 ids, name, 2 times; a: 1 + 1 + 1 + 1; b: 1 + 1 + 1 + 1 + 2 × (1 + 1).
    const fields = 11 + 5 + 4 + 8;
    for (const step of [1, 3, 1_000]) {
      const count = counter(request, bytes);
      while (count.advance(step) === 'more');
      expect(count.fields(), `steps of ${step}`).to.equal(fields);
    }
  });

  it('stops after the given number of fields, however many empty messages follow', () => {
    const empties = Buffer.alloc(1_980_000);
    for (let at = 0; at < empties.length; at += 2) empties[at] = (9 << 3) | 2;
    // 990,000 attributes without key and value, in one span.
    const count = counter(request, field(1, field(2, field(2, empties))));
    expect([count.advance(20_001), count.fields()]).to.deep.equal(['more', 20_001]);
    expect([count.advance(1_000_000), count.fields()]).to.deep.equal(['whole', 990_003]);
  });

  it('counts truncated or changed bytes or reports them malformed, without throwing', () => {
    const seed = drawSeed();
    const bytes = Buffer.from(
      otelBytes(otelRequest([otelSpan({ id: 1, attributes: { a: 'x' } })])),
    );
    const place = fc.nat({ max: bytes.length - 1 });
    fc.assert(
      fc.property(place, place, fc.nat({ max: 255 }), (end, at, byte) => {
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        const count = counter(request, changed.subarray(0, end));
        expect(count.advance(1_000)).to.be.oneOf(['whole', 'malformed']);
      }),
      { seed, numRuns: runs(300) },
    );
  });
});
