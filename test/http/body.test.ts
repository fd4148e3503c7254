import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { sampleRoutes } from '../support/sample-routes.js';
import { smallService, type SmallService } from '../support/small-service.js';

describe('HTTP over a raw socket', () => {
  let service: SmallService;
  before(async () => {
    service = await smallService(sampleRoutes);
  });
  after(() => service.close());

  const send = (
    method: string,
    path: string,
    ask: Parameters<ReturnType<SmallService['as']>['send']>[2] = {},
  ) => service.as('editor').send<Record<string, unknown>>(method, path, ask);

  describe('request bodies', () => {
    const echoed = async (body: string | Buffer, headers: Record<string, string> = {}) => {
      const reply = await send('POST', '/v2/echo', { body, headers });
      return reply.status === 200 ? reply.body['got'] : [reply.status, reply.body['code']];
    };
    it('are {} when absent or empty, whatever their type', async () => {
      expect((await send('POST', '/v2/echo')).body).to.deep.equal({ got: {} });
      expect(await echoed('', { 'Content-Type': 'text/csv' })).to.deep.equal({});
      expect(await echoed(gzipSync(''), { 'Content-Encoding': 'gzip' })).to.deep.equal({});
    });
    it('have any JSON type or no type; others are refused', async () => {
      for (const type of ['application/json;charset=utf-8', 'Application/vnd.x+json', '']) {
        expect(await echoed('{"text":"a"}', { 'Content-Type': type }), type).to.deep.equal({
          text: 'a',
        });
      }
      for (const type of ['text/plain', 'application/jsonx', 'multipart/form-data; boundary=x']) {
        expect(await echoed('{}', { 'Content-Type': type }), type).to.deep.equal([
          415,
          'unsupported_media_type',
        ]);
      }
    });
    it('may be gzip; other codings and corrupt streams are refused', async () => {
      const gzip = { 'Content-Encoding': 'gzip' };
      expect(await echoed(gzipSync('{"text":"a"}'), gzip)).to.deep.equal({ text: 'a' });
      expect(await echoed('{}', { 'Content-Encoding': 'br' })).to.deep.equal([
        415,
        'unsupported_media_type',
      ]);
      expect(await echoed('{}', gzip)).to.deep.equal([400, 'malformed_request']);
      expect(await echoed(gzipSync('{"text":"a"}').subarray(0, 20), gzip)).to.deep.equal([
        400,
        'malformed_request',
      ]);
    });
    it('are limited by their size after decompression', async () => {
      const sized = (bytes: number) => JSON.stringify({ text: 'a'.repeat(bytes - 11) });
      const limit = 1_048_576;
      expect(await echoed(sized(limit))).to.have.property('text');
      expect(await echoed(sized(limit + 1))).to.deep.equal([413, 'payload_too_large']);
      const gzip = { 'Content-Encoding': 'gzip' };
      expect(await echoed(gzipSync(sized(limit)), gzip)).to.have.property('text');
      expect(await echoed(gzipSync(sized(limit + 1)), gzip)).to.deep.equal([
        413,
        'payload_too_large',
      ]);
      const chunked = await fetch(`${service.url}/v2/echo`, {
        method: 'POST',
        headers: { 'Service-API-Key': 'editor' },
        body: new Blob([sized(limit + 1)]).stream(),
        duplex: 'half',
      });
      expect(chunked.status).to.equal(413);
    });
    it('must be JSON in UTF-8', async () => {
      const invalid = {
        detail: [{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }],
      };
      for (const body of ['{', 'nope', '\u0000', Buffer.from([0x22, 0xff, 0x22]), '{"a":NaN}']) {
        expect((await send('POST', '/v2/echo', { body })).body).to.deep.equal(invalid);
      }
      expect((await send('POST', '/v2/echo', { body: '[]' })).body).to.deep.equal({
        detail: [{ loc: ['body'], msg: 'Input should be a valid object', type: 'dict_type' }],
      });
    });
    it('may nest 32 levels deep', async () => {
      const nested = (levels: number) =>
        `{"any":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
      expect(await echoed(nested(32))).to.have.property('any');
      for (const levels of [33, 100_000]) {
        const reply = await send('POST', '/v2/echo', { body: nested(levels) });
        expect(reply.body).to.deep.equal({
          detail: [
            {
              loc: ['body'],
              msg: 'Value error, the body is nested deeper than 32 levels',
              type: 'value_error',
            },
          ],
        });
      }
    });
    it('may have 100,000 values and 2,000 distinct names', async () => {
      const heavy = {
        detail: [
          {
            loc: ['body'],
            msg: 'Value error, the body has more than 100000 values or 2000 different names',
            type: 'value_error',
          },
        ],
      };
      const listed = (values: number) =>
        `{"any":[${Array(values - 2)
          .fill('0')
          .join()}]}`;
      expect(await echoed(listed(100_000))).to.have.property('any');
      expect((await send('POST', '/v2/echo', { body: listed(100_003) })).body).to.deep.equal(heavy);
      const named = (names: number) =>
        JSON.stringify({
          any: Object.fromEntries(Array.from({ length: names }, (_, n) => [n, n])),
        });
      expect(await echoed(named(1_900))).to.have.property('any');
      expect((await send('POST', '/v2/echo', { body: named(2_100) })).body).to.deep.equal(heavy);
      const again = `{"any":[${Array(9_000).fill('{"a":1,"b":[]}').join()}]}`;
      expect(await echoed(again)).to.have.property('any');
    });
    it('get surrogates repaired, the last of duplicates, and any member name', async () => {
      expect(
        await echoed(String.raw`{"text":"a\ud800b","any":{"\udc00":["\ud83d\ude00"]}}`),
      ).to.deep.equal({ text: 'a\ufffdb', any: { '\ufffd': ['😀'] } });
      expect(await echoed('{"text":"a","text":"b"}')).to.deep.equal({ text: 'b' });
      const any = await echoed(
        String.raw`{"any":[{"__proto__":{"x":1}},{"\u005f_proto__":{},"y":2}]}`,
      );
      expect(JSON.stringify(any)).to.equal(
        '{"any":[{"__proto__":{"x":1}},{"__proto__":{},"y":2}]}',
      );
    });
    it('are read after authentication', async () => {
      const big = { body: 'x'.repeat(2_000_000) };
      expect((await service.as(null).send('POST', '/v2/echo', big)).status).to.equal(401);
    });
  });

  describe('malformed requests', () => {
    const raw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
        const chunks: Buffer[] = [];
        socket.on('data', (chunk: Buffer) => chunks.push(chunk));
        socket.on('error', reject);
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
      });
    it('get 431 without a body for a header that is too large', async () => {
      const answer = await raw(
        `GET /v2/public HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`,
      );
      expect(answer).to.match(/^HTTP\/1\.1 431 .*X-Request-Id: .*\r\n\r\n$/s);
    });
    it('get 400 for a malformed URL', async () => {
      const answer = await raw(
        'GET http://[::1/v2/public HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      );
      expect(answer).to.match(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
    });
    it('get 400 for input that is not HTTP', async () => {
      const answer = await raw('HELLO\r\n\r\n');
      expect(answer).to.match(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
    });
    it('do no harm with a body that ends before its length', async () => {
      const socket = connect(service.port, '127.0.0.1');
      socket.end(
        'POST /v2/echo HTTP/1.1\r\nHost: x\r\nService-API-Key: editor\r\n' +
          'Content-Length: 9\r\n\r\n{}',
      );
      await new Promise((resolve) => void socket.on('close', resolve).resume());
      expect((await send('GET', '/v2/public')).status).to.equal(200);
    });
    it('write no credentials, bodies or addresses to the log', async () => {
      const canary = 'canary7f3a';
      await send('POST', `/v2/echo?x=${canary}`, { body: `{"text":"${canary}"` });
      await send('POST', '/v2/wrong', { body: { how: canary } });
      await send('GET', `/${canary}?${canary}`);
      await service.as(null).send('POST', '/v2/echo', { headers: { 'Service-API-Key': canary } });
      expect(service.lines.filter((line) => line.includes(canary))).to.deep.equal([]);
      expect(service.lines.every((line) => line.includes('"request_id"'))).to.equal(true);
    });
  });
});
