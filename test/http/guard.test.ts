import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, reading, route, type Route } from '../../contract/operation.js';
import { Fault, valueError } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import { id, instant, maybe, name } from '../../kernel/shapes.js';
import {
  colleague,
  foreignProject,
  made,
  project,
  smallService,
  type SmallService,
} from '../support/small-service.js';

const echoBody = Type.Object({
  text: Type.Optional(Type.String()),
  at: maybe(instant),
  any: Type.Optional(Type.Unknown()),
});
const echo = operation({
  ...made,
  operationId: 'echo',
  method: 'POST',
  path: '/v2/echo',
  kind: 'r',
  body: echoBody,
  response: Type.Object({ got: Type.Unknown() }),
});
const findThing = operation({
  ...made,
  operationId: 'findThing',
  method: 'GET',
  path: '/v2/projects/{project_id}/things/{thing_name}',
  kind: 'r',
  requires: 'viewer',
  params: Type.Object({ project_id: id('ProjectId'), thing_name: name() }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })) }),
  response: Type.Object({ name: Type.String(), limit: Type.Integer(), role: Type.String() }),
});
const makeThing = operation({
  ...made,
  operationId: 'makeThing',
  method: 'POST',
  path: '/v2/projects/{project_id}/things',
  kind: 'w',
  requires: 'editor',
  params: Type.Object({ project_id: id('ProjectId') }),
  body: Type.Object({ name: name(), why: maybe(Type.String()) }),
  response: Type.Object({ id: id('ThingId') }),
  faults: ['already-exists'],
});
const dropThing = operation({
  ...made,
  operationId: 'dropThing',
  method: 'DELETE',
  path: '/v2/things/all',
  kind: 'w',
  response: Type.Null(),
  status: 204,
});
const anyThing = operation({
  ...made,
  operationId: 'anyThing',
  method: 'PUT',
  path: '/v2/things/{thing_id}',
  kind: 'w',
  requires: 'admin',
  params: Type.Object({ thing_id: id('ThingId') }),
  response: Type.Object({}),
});
const profile = operation({
  ...made,
  operationId: 'profile',
  method: 'GET',
  path: '/v2/users/{user_id}',
  kind: 'r',
  requires: 'self',
  params: Type.Object({ user_id: id('UserId') }),
  response: Type.Object({}),
});
const publicThing = operation({
  ...made,
  operationId: 'publicThing',
  method: 'GET',
  path: '/v2/public',
  schemes: [],
  requires: 'public',
  kind: 'r',
  response: Type.Object({ ok: Type.Boolean() }),
});
const wrong = operation({
  ...made,
  operationId: 'wrong',
  method: 'POST',
  path: '/v2/wrong',
  kind: 'r',
  body: Type.Object({ how: Type.String() }),
  response: Type.Object({ id: id('ThingId') }),
});

const routes: readonly Route[] = [
  reading(
    echo,
    [{ name: 'echoes' }],
    async ({ body }) => ({ body: { got: body } }),
    ({ body }) =>
      body.text === 'unlucky'
        ? [{ loc: ['body', 'text'], msg: 'Value error, unlucky', type: 'value_error' }]
        : [],
  ),
  reading(findThing, [], async ({ params, query, project }) => ({
    body: { name: params.thing_name, limit: query.limit ?? 5, role: project?.role ?? '' },
  })),
  route(makeThing, async ({ body, mint }) => {
    if (body.name === 'taken') throw new Fault('already-exists', 'This name is taken');
    if (body.name === 'odd') throw valueError(['body', 'name'], 'odd');
    return { body: { id: mint('ThingId') }, position: '0000000000000007' as Position };
  }),
  route(dropThing, async () => ({ body: null })),
  route(anyThing, async () => ({ body: {} })),
  reading(profile, [], async () => ({ body: {} })),
  reading(publicThing, [], async () => ({ body: { ok: true } })),
  reading(wrong, [], async ({ body }) => {
    if (body.how === 'defect') throw new Error(`canary ${body.how}`);
    if (body.how === 'fault') throw new Fault('conflict', 'Not declared');
    return { body: { id: body.how } as never };
  }),
];

describe('the HTTP engine', () => {
  let service: SmallService;
  before(async () => {
    service = await smallService(routes, {
      reached: async (_reads, min) => {
        if (min !== null && min > 'f') throw new Fault('read-model-behind', 'Not there yet');
        return '00000000000000aa' as Position;
      },
    });
  });
  after(() => service.close());

  const send = (
    method: string,
    path: string,
    ask: Parameters<ReturnType<SmallService['as']>['send']>[2] = {},
  ) => service.as('editor').send<Record<string, unknown>>(method, path, ask);
  const codeOf = async (reply: ReturnType<typeof send>) => {
    const { status, body } = await reply;
    return [status, body['code']];
  };

  describe('finds the route', () => {
    it('with and without the prefix', async () => {
      for (const path of ['/v2/public', '/public']) {
        expect((await send('GET', path)).body).to.deep.equal({ ok: true });
      }
    });
    it('of the most specific path, whose other methods are 405 with Allow', async () => {
      expect((await send('DELETE', '/v2/things/all')).status).to.equal(204);
      const reply = await send('PUT', '/v2/things/all');
      expect([reply.status, reply.headers.allow, reply.body['code']]).to.deep.equal([
        405,
        'DELETE',
        'method_not_allowed',
      ]);
    });
    it('not when a slash trails, a letter has another case or nothing is there', async () => {
      for (const path of ['/v2/public/', '/v2/Public', '/nothing', '/v2', '/']) {
        expect(await codeOf(send('GET', path)), path).to.deep.equal([404, 'not_found']);
      }
    });
    it('for HEAD where GET is, without a body', async () => {
      const reply = await send('HEAD', '/v2/public');
      expect([reply.status, reply.body]).to.deep.equal([200, null]);
      expect((await send('GET', '/v2/echo')).headers.allow).to.equal('POST');
      expect((await send('POST', '/v2/public')).headers.allow).to.equal('GET, HEAD');
    });
    it('and decodes its segments once', async () => {
      const reply = await send('GET', `/v2/projects/${project}/things/a%2Fb%2520c`);
      expect(reply.body['name']).to.equal('a/b%20c');
      expect(await codeOf(send('GET', `/v2/projects/${project}/things/%ff`))).to.deep.equal([
        400,
        'malformed_request',
      ]);
      expect((await send('GET', '/v2/public?a=%zz')).status).to.equal(400);
    });
  });

  describe('answers', () => {
    it('every request with the headers of contract 1.1 and no others of its kind', async () => {
      for (const path of ['/v2/public', '/nothing']) {
        const { headers } = await send('GET', path);
        expect(headers).to.include({
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'",
          'content-type': 'application/json; charset=utf-8',
        });
        expect(headers).not.to.have.any.keys('x-powered-by', 'access-control-allow-origin');
      }
    });
    it('under the request id that was sent, when it is well-formed', async () => {
      const asked = { headers: { 'X-Request-Id': 'abcd-1234' } };
      const kept = await send('GET', '/nothing', asked);
      expect(kept.headers['x-request-id']).to.equal('abcd-1234');
      expect(kept.body).to.deep.equal({
        detail: 'No such route',
        type: 'urn:assay:problem:not_found',
        title: 'Not Found',
        status: 404,
        code: 'not_found',
        request_id: 'abcd-1234',
      });
      const replaced = await send('GET', '/v2/public', { headers: { 'X-Request-Id': 'a b' } });
      expect(replaced.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    });
    it('reads with the position they were folded to, writes with that of their last event', async () => {
      const read = await send('POST', '/v2/echo', { body: {} });
      expect(read.headers['x-projection-position']).to.equal('00000000000000aa');
      const written = await send('POST', `/v2/projects/${project}/things`, { body: { name: 'x' } });
      expect(written.headers['x-log-position']).to.equal('0000000000000007');
    });
    it('503 and when to come back while a position is not reached, 422 for an ill-formed one', async () => {
      const behind = await send('POST', '/v2/echo', { headers: { 'X-Min-Position': 'zzz' } });
      expect([behind.status, behind.body['code'], behind.headers['retry-after']]).to.deep.equal([
        503,
        'read_model_behind',
        '1',
      ]);
      const ill = await send('POST', '/v2/echo', { headers: { 'X-Min-Position': 'a b' } });
      expect(ill.status).to.equal(422);
      expect(ill.body).to.have.nested.property('detail[0].loc[1]', 'X-Min-Position');
    });
    it('500 without the cause for a defect, an undeclared fault and an answer unlike its schema', async () => {
      for (const how of ['defect', 'fault', 'not-a-uuid']) {
        const reply = await send('POST', '/v2/wrong', { body: { how } });
        expect(reply.status, how).to.equal(500);
        expect(reply.body).to.include({ code: 'internal_error', detail: 'Internal error' });
        const { 'x-request-id': requestId } = reply.headers;
        expect(service.lines.join('')).to.include(`"request_id":"${String(requestId)}"`);
      }
    });
  });

  describe('asks for a credential', () => {
    const challenge = async (headers: Record<string, string>, path = '/v2/echo') => {
      const reply = await service.as(null).send<{ code: string }>('POST', path, { headers });
      return [reply.status, reply.body.code, reply.headers['www-authenticate']];
    };
    const token = 'Bearer realm="assay", error="invalid_token"';
    const plain = 'Bearer realm="assay"';
    const basic = 'Basic realm="assay", charset="UTF-8"';
    it('and says what is wrong with it', async () => {
      expect(await challenge({})).to.deep.equal([401, 'unauthenticated', plain]);
      expect(await challenge({ 'Service-API-Key': 'nobody' })).to.deep.equal([
        401,
        'invalid_credentials',
        plain,
      ]);
      expect(await challenge({ 'Service-API-Key': 'expired' })).to.deep.equal([
        401,
        'token_expired',
        plain,
      ]);
      expect(await challenge({ Authorization: 'Bearer x.y.z' })).to.deep.equal([
        401,
        'invalid_credentials',
        token,
      ]);
    });
    it('of a scheme that the operation lists', async () => {
      const encoded = Buffer.from('a@b.c:secret').toString('base64');
      expect(await challenge({ Authorization: `Basic ${encoded}` })).to.deep.equal([
        401,
        'unauthenticated',
        basic,
      ]);
      expect(await challenge({ Authorization: 'Digest x' })).to.deep.equal([
        401,
        'unauthenticated',
        plain,
      ]);
    });
    it('and takes only one', async () =>
      expect(
        await challenge({ 'Service-API-Key': 'editor', Authorization: 'Bearer x' }),
      ).to.deep.equal([401, 'ambiguous_credentials', token]));
    it('but not for a public operation, whatever is sent', async () => {
      const headers = { 'Service-API-Key': 'nobody', Authorization: 'Bearer x' };
      expect((await service.as(null).send('GET', '/v2/public', { headers })).status).to.equal(200);
    });
  });

  describe('allows by role, after the object is in sight', () => {
    const things = `/v2/projects/${project}/things`;
    it('404 for a project out of sight, 403 for a role too low', async () => {
      const ask = { body: { name: 'x' } };
      const foreign = `/v2/projects/${foreignProject}/things`;
      expect(await codeOf(send('POST', foreign, ask))).to.deep.equal([404, 'not_found']);
      const refused = await service.as('viewer').send<{ code: string }>('POST', things, ask);
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden']);
      expect((await service.as('viewer').send('GET', `${things}/x`)).status).to.equal(200);
    });
    it('422 before either', async () => {
      const foreign = `/v2/projects/${foreignProject}/things`;
      expect((await send('POST', foreign, { body: {} })).status).to.equal(422);
      expect((await service.as('viewer').send('POST', things, { body: {} })).status).to.equal(422);
    });
    it('no organisation rights to a bound key, however great its maker', async () => {
      const thing = `/v2/things/${foreignProject}`;
      expect((await service.as('bound').send('PUT', thing)).status).to.equal(403);
      expect((await service.as('editor').send('PUT', thing)).status).to.equal(403);
      expect((await service.as('admin').send('PUT', thing)).status).to.equal(200);
    });
    it('oneself, and managers for others: a stranger is 404, a colleague 403', async () => {
      const own = '/v2/users/44444444-4444-4444-8444-444444444444';
      const ask = async (key: 'editor' | 'admin' | 'bound', path: string) =>
        (await service.as(key).send('GET', path)).status;
      expect(await ask('editor', own)).to.equal(200);
      expect(await ask('bound', own)).to.equal(403);
      expect(await ask('editor', `/v2/users/${colleague}`)).to.equal(403);
      expect(await ask('editor', `/v2/users/${foreignProject}`)).to.equal(404);
      expect(await ask('admin', `/v2/users/${colleague}`)).to.equal(200);
    });
  });

  describe('reads a body', () => {
    const echoed = async (body: string | Buffer, headers: Record<string, string> = {}) => {
      const reply = await send('POST', '/v2/echo', { body, headers });
      return reply.status === 200 ? reply.body['got'] : [reply.status, reply.body['code']];
    };
    it('as {} when it is absent or empty, whatever its type', async () => {
      expect((await send('POST', '/v2/echo')).body).to.deep.equal({ got: {} });
      expect(await echoed('', { 'Content-Type': 'text/csv' })).to.deep.equal({});
      expect(await echoed(gzipSync(''), { 'Content-Encoding': 'gzip' })).to.deep.equal({});
    });
    it('of any JSON type or none, and of no other', async () => {
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
    it('that is compressed with gzip, and refuses other codings and broken streams', async () => {
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
    it('up to its limit, counted after decompression', async () => {
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
    it('that has to be JSON in UTF-8', async () => {
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
    it('down to 32 levels', async () => {
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
    it('with unpaired surrogates made whole, the last of duplicate members, and no prototypes', async () => {
      expect(
        await echoed(String.raw`{"text":"a\ud800b","any":{"\udc00":["\ud83d\ude00"]}}`),
      ).to.deep.equal({ text: 'a\ufffdb', any: { '\ufffd': ['😀'] } });
      expect(await echoed('{"text":"a","text":"b"}')).to.deep.equal({ text: 'b' });
      expect(
        await echoed(String.raw`{"any":[{"__proto__":{"x":1}},{"\u005f_proto__":{"x":1},"y":2}]}`),
      ).to.deep.equal({ any: [{}, { y: 2 }] });
    });
    it('after asking who sends it', async () => {
      const big = { body: 'x'.repeat(2_000_000) };
      expect((await service.as(null).send('POST', '/v2/echo', big)).status).to.equal(401);
    });
  });

  describe('validates the request alone', () => {
    it('in the order path, query, header, body', async () => {
      const reply = await send('POST', '/v2/projects/x/things', {
        body: { name: 5 },
        headers: { 'Idempotency-Key': 'ä b' },
      });
      const { detail } = reply.body as { detail: { loc: string[] }[] };
      expect([reply.status, detail.map(({ loc }) => loc)]).to.deep.equal([
        422,
        [
          ['path', 'project_id'],
          ['header', 'Idempotency-Key'],
          ['body', 'name'],
        ],
      ]);
      expect(Object.keys(reply.body)).to.deep.equal(['detail']);
    });
    it('and asks the route what its schemas cannot say', async () =>
      expect((await send('POST', '/v2/echo', { body: { text: 'unlucky' } })).body).to.deep.equal({
        detail: [{ loc: ['body', 'text'], msg: 'Value error, unlucky', type: 'value_error' }],
      }));
    it('with parameters parsed', async () => {
      const thing = `/v2/projects/${project}/things/x`;
      expect((await send('GET', `${thing}?limit=7&more=1`)).body).to.include({ limit: 7 });
      expect((await send('GET', `${thing}?limit=x`)).status).to.equal(422);
      expect((await send('GET', `${thing}?limit=11`)).status).to.equal(422);
    });
  });

  describe('survives', () => {
    const raw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(service.port, '127.0.0.1', () => socket.write(text));
        const chunks: Buffer[] = [];
        socket.on('data', (chunk) => chunks.push(chunk));
        socket.on('error', reject);
        socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
      });
    it('a head that is too large: 431 without a body', async () => {
      const answer = await raw(
        `GET /v2/public HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(17_000)}\r\n\r\n`,
      );
      expect(answer).to.match(/^HTTP\/1\.1 431 .*X-Request-Id: .*\r\n\r\n$/s);
    });
    it('what is no HTTP: 400', async () => {
      const answer = await raw('HELLO\r\n\r\n');
      expect(answer).to.match(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
    });
    it('a body that ends before its length', async () => {
      const socket = connect(service.port, '127.0.0.1');
      socket.end(
        'POST /v2/echo HTTP/1.1\r\nHost: x\r\nService-API-Key: editor\r\nContent-Length: 9\r\n\r\n{}',
      );
      await new Promise((resolve) => void socket.on('close', resolve).resume());
      expect((await send('GET', '/v2/public')).status).to.equal(200);
    });
    it('without writing credentials, bodies or addresses to the log', async () => {
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
