import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { expectReplayEqual, sharedApp, type App } from '../support/app.js';
import { otelBytes, otelRequest, otelSpan } from '../support/otlp.js';
import { drawSeed } from '../support/test-environment.js';
import { runs } from '../support/runs.js';

describe('input that is not OTLP', () => {
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

  it('is refused with the reason', async () => {
    const whole = otelBytes(otelRequest([otelSpan({ trace: 901, id: 1 })]));
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(await status(whole, { 'content-type': 'text/plain' })).to.equal(415);
    expect(await status(whole, { 'content-encoding': 'br' })).to.equal(415);
    expect(await status(whole, { 'content-encoding': 'gzip' })).to.equal(400);
    expect(await status(bomb, { 'content-encoding': 'gzip' })).to.equal(413);
    expect(await status(Buffer.alloc(33 * 1024 * 1024))).to.equal(413);
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

  it('refuses a small body that unfolds into very many fields, before it builds them', async () => {
    const shapes: readonly (readonly number[])[] = [
      [10],
      [10, 18],
      [10, 18, 18, 74],
      [10, 18, 18, 90],
    ];
    for (const path of shapes) {
      // 990,000 empty messages: resourceSpans, scopeSpans, attributes or events of one span.
      const empties = new Uint8Array(1_980_000);
      for (let at = 0; at < empties.length; at += 2) empties[at] = path.at(-1) ?? 0;
      const whole = path
        .slice(0, -1)
        .reduceRight<Uint8Array>((inner, tag) => wrapped(tag, inner), empties);
      const sent = gzipSync(whole);
      expect(sent.length).to.be.below(4_096);
      expect(await status(sent, { 'content-encoding': 'gzip' }), path.join()).to.equal(422);
    }
    // What exporters send compresses well and has far fewer fields.
    const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key.${at}`, at]));
    const spans = Array.from({ length: 500 }, () => ({
      ...otelSpan({ id: 1, attributes }),
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
    }));
    const sent = gzipSync(otelBytes(otelRequest(spans)));
    expect(await status(sent, { 'content-encoding': 'gzip' })).to.equal(200);
  });

  /** A field of a message: its length, in as many bytes as it takes, and what it holds. */
  const wrapped = (tag: number, bytes: Uint8Array): Uint8Array => {
    const length: number[] = [];
    let left = bytes.length;
    for (; left > 127; left >>= 7) length.push((left & 127) | 128);
    return new Uint8Array([tag, ...length, left, ...bytes]);
  };

  it('refuses lists and messages of other types with 422', async () => {
    const span = otelSpan({ trace: 905, id: 1 });
    const resource = ['body', 'resourceSpans', '0'];
    const scope = [...resource, 'scopeSpans', '0'];
    for (const [body, loc, type] of [
      [{ resourceSpans: {} }, ['body', 'resourceSpans'], 'list_type'],
      [{ resourceSpans: [5] }, resource, 'dict_type'],
      [{ resourceSpans: [{ resource: [] }] }, [...resource, 'resource'], 'dict_type'],
      [{ resourceSpans: [{ scopeSpans: {} }] }, [...resource, 'scopeSpans'], 'list_type'],
      [{ resource_spans: [{ scope_spans: ['a'] }] }, scope, 'dict_type'],
      [{ resourceSpans: [{ scopeSpans: [{ scope: 1 }] }] }, [...scope, 'scope'], 'dict_type'],
      [{ resourceSpans: [{ scopeSpans: [{ spans: span }] }] }, [...scope, 'spans'], 'list_type'],
      [
        { resourceSpans: [{ scopeSpans: [{ spans: [span, null] }] }] },
        [...scope, 'spans', '1'],
        'dict_type',
      ],
    ] as const) {
      const reply = await post(JSON.stringify(body), json);
      const { detail } = (await reply.json()) as { readonly detail: readonly object[] };
      expect(reply.status, JSON.stringify(body)).to.equal(422);
      expect(detail[0]).to.include({ type }).and.deep.include({ loc });
    }
  });

  it('counts the spans that have members of other types', async () => {
    const good = otelSpan({ trace: 906, id: 1, kind: 'SPAN_KIND_CLIENT', traceState: null });
    const sent = async (more: object): Promise<unknown> => {
      const bad = { ...otelSpan({ trace: 906, id: 2 }), ...more };
      const reply = await post(JSON.stringify(otelRequest([good, bad])), json);
      expect(reply.status).to.equal(200);
      const { partialSuccess: refused } = (await reply.json()) as {
        readonly partialSuccess?: { readonly rejectedSpans: string; readonly errorMessage: string };
      };
      return [refused?.rejectedSpans, refused?.errorMessage];
    };
    const attribute = (value: unknown) => ({ attributes: [{ key: 'a', value }] });
    const event = { name: 'e', timeUnixNano: '1' };
    for (const [more, said] of [
      [{ name: 5 }, 'name is not a string'],
      [{ attributes: { a: 'b' } }, 'attributes is not a list'],
      [{ attributes: ['a'] }, 'attributes is not an object'],
      [{ attributes: [{ key: 1 }] }, 'attributes.key is not a string'],
      [attribute('b'), 'attributes.value is not an object'],
      [attribute({ stringValue: 5 }), 'attributes.value.stringValue is not a string'],
      [attribute({ int_value: 'five' }), 'attributes.value.intValue is not an integer'],
      [attribute({ boolValue: 'yes' }), 'attributes.value.boolValue is not a boolean'],
      [
        attribute({ arrayValue: { values: [{ doubleValue: {} }] } }),
        'attributes.value.arrayValue.values.doubleValue is not a number',
      ],
      [{ events: [{ ...event, timeUnixNano: 'x' }] }, 'events.timeUnixNano is not a number of'],
      [{ links: [{ traceId: 'x' }] }, 'links.traceId is not 16 bytes'],
      [{ status: 'ERROR' }, 'status is not an object'],
      [{ kind: [] }, 'kind is not a number or a name'],
    ] as const) {
      const [count, message] = (await sent(more)) as readonly string[];
      expect(count, said).to.equal('1');
      expect(message).to.include(said);
    }
    // Null is absent, and what OTLP does not have is ignored.
    expect(await sent({ name: null, attributes: null, later: {} })).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('counts every span under a resource or scope with members of other types', async () => {
    const spans = [otelSpan({ trace: 907, id: 1 }), otelSpan({ trace: 907, id: 2 })];
    for (const [place, said] of [
      [{ resource: { attributes: 'a' } }, 'resource.attributes is not a list'],
      [{ schemaUrl: 5 }, 'schemaUrl is not a string'],
    ] as const) {
      const body = { resourceSpans: [{ ...place, scopeSpans: [{ spans }] }] };
      const reply = await post(JSON.stringify(body), json);
      expect(await reply.json()).to.deep.equal({
        partialSuccess: { rejectedSpans: '2', errorMessage: said },
      });
    }
  });

  it('records no partial trace, wherever bytes are cut or changed', async () => {
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

  it('never causes a 500, whatever JSON it is', async () => {
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
        expect(await status(body, json)).to.be.oneOf([200, 422]);
      }),
      { seed, numRuns: runs(150) },
    );
    await expectReplayEqual(app);
  });
});
