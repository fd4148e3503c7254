import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { otelBytes, otelRequest, otelSpan } from '../support/otlp.js';
import { drawSeed } from '../support/outside.js';
import { runs } from '../support/runs.js';

describe('what is no OTLP', () => {
  let app: App;
  const post = (
    body: Uint8Array | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${app.url}/v1/traces`, {
      method: 'POST',
      body,
      headers: {
        'service-api-key': app.apiKey,
        'content-type': 'application/x-protobuf',
        ...headers,
      },
    });
  const status = async (...asked: Parameters<typeof post>): Promise<number> => {
    const reply = await post(...asked);
    await reply.arrayBuffer();
    return reply.status;
  };
  const json = { 'content-type': 'application/json' };

  before(async () => {
    app = await sharedApp();
    await post(otelBytes(otelRequest([otelSpan({ trace: 900, id: 1 })])));
  });

  it('is refused by what is wrong with it', async () => {
    const whole = otelBytes(otelRequest([otelSpan({ trace: 901, id: 1 })]));
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(await status(whole, { 'content-type': 'text/plain' })).to.equal(415);
    expect(await status(whole, { 'content-encoding': 'br' })).to.equal(415);
    expect(await status(whole, { 'content-encoding': 'gzip' })).to.equal(400);
    expect(await status(bomb, { 'content-encoding': 'gzip' })).to.equal(413);
    expect(await status(Buffer.alloc(11 * 1024 * 1024))).to.equal(413);
    expect(await status('{"resourceSpans":', json)).to.equal(422);
    expect(await status('[]', json)).to.equal(422);
    // Five million empty messages in ten megabytes.
    const empties = Buffer.alloc(10_000_000);
    for (let at = 0; at < empties.length; at += 2) empties[at] = 10;
    expect(await status(empties)).to.equal(422);
    // A list in a list in a list: four bytes more a level while lengths are short.
    let deep: Uint8Array = new Uint8Array([10, 0]);
    for (let level = 0; level < 300; level += 1) deep = wrapped(42, wrapped(10, deep));
    const attribute = wrapped(74, new Uint8Array([10, 1, 97, ...wrapped(18, deep)]));
    expect(await status(wrapped(10, wrapped(18, wrapped(18, attribute))))).to.equal(400);
    const spans = Array.from({ length: 10_001 }, (_, at) => otelSpan({ trace: 902, id: at + 1 }));
    expect(await status(JSON.stringify(otelRequest(spans)), json)).to.equal(422);
  });

  /** A field of a message: its length, in as many bytes as it takes, and what it holds. */
  const wrapped = (tag: number, bytes: Uint8Array): Uint8Array => {
    const length: number[] = [];
    let left = bytes.length;
    for (; left > 127; left >>= 7) length.push((left & 127) | 128);
    return new Uint8Array([tag, ...length, left, ...bytes]);
  };

  it('leaves no trace by halves, wherever bytes are cut or changed', async () => {
    const seed = drawSeed();
    const whole = otelBytes(
      otelRequest([
        otelSpan({
          trace: 903,
          id: 1,
          attributes: { 'gen_ai.operation.name': 'chat', deep: { a: [1] } },
        }),
        otelSpan({ trace: 903, id: 2, parent: 1 }),
      ]),
    );
    const at = fc.integer({ min: 0, max: whole.length - 1 });
    const changed = fc.oneof(
      at.map((end) => whole.slice(0, end)),
      fc.tuple(at, fc.integer({ min: 0, max: 255 })).map(([place, byte]) => {
        const copy = whole.slice();
        copy[place] = byte;
        return copy;
      }),
    );
    await fc.assert(
      fc.asyncProperty(changed, async (bytes) => {
        expect(await status(bytes)).to.be.oneOf([200, 400, 422]);
      }),
      { seed, numRuns: runs(150) },
    );
    await expectReplayEqual(app);
  });

  it('is never a fault of the service, whatever JSON it is', async () => {
    const seed = drawSeed();
    const span = fc.record(
      {
        traceId: fc.oneof(fc.constant('5b8efff798038103d269b633813fc60c'), fc.jsonValue()),
        spanId: fc.oneof(fc.constant('eee19b7ec3c1b174'), fc.jsonValue()),
        parentSpanId: fc.jsonValue(),
        name: fc.jsonValue(),
        startTimeUnixNano: fc.jsonValue(),
        end_time_unix_nano: fc.jsonValue(),
        attributes: fc.jsonValue(),
        events: fc.jsonValue(),
        links: fc.jsonValue(),
        status: fc.jsonValue(),
        kind: fc.jsonValue(),
      },
      { requiredKeys: ['traceId', 'spanId'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(span, { maxLength: 3 }), fc.jsonValue(), async (spans, other) => {
        const body = JSON.stringify({
          resourceSpans: [
            { resource: other, scope_spans: [{ scope: other, spans }, other] },
            other,
          ],
        });
        expect(await status(body, json)).to.equal(200);
      }),
      { seed, numRuns: runs(150) },
    );
    await expectReplayEqual(app);
  });
});
