import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, writeRoute } from '../../contract/operation.js';
import { openKoaBodyReader } from '../../engines/koa/koa-body.js';
import { Fault } from '../../kernel/fault.js';
import { sampleRoutes } from '../support/sample-routes.js';
import { headOf, rawSockets, type RawSockets } from '../support/raw-sockets.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';
import { pollUntil } from '../support/poll-until.js';

describe('the body reader on koa-body', () => {
  const reader = openKoaBodyReader(10, () => new Fault('too-large', 'More than 10 bytes'));
  const read = async (...chunks: readonly Buffer[]) => {
    const body = reader.open();
    chunks.forEach(body.write);
    return body.end();
  };

  it('returns all bytes of all chunks unchanged, no chunk as an empty body', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0xff, 0x00]);
    expect(await read(bytes.subarray(0, 2), bytes.subarray(2))).to.deep.equal(bytes);
    expect(await read()).to.deep.equal(Buffer.alloc(0));
  });

  it('accepts a body of exactly its limit and rejects one byte more', async () => {
    expect((await read(Buffer.alloc(4), Buffer.alloc(6))).length).to.equal(10);
    const fault = await read(Buffer.alloc(4), Buffer.alloc(7)).catch((error: unknown) => error);
    expect(fault).to.be.instanceOf(Fault).with.property('code', 'too-large');
  });
});

const signIn = operation({
  ...operationDefaults,
  operationId: 'signIn',
  method: 'POST',
  path: '/v2/sign-in',
  kind: 'w',
  encoding: 'urlencoded',
  body: Type.Object({ name: Type.String(), password: Type.String() }),
  response: Type.Object({ got: Type.Unknown() }),
});

describe('bodies read with koa-body', () => {
  let service: SmallService;
  let sockets: RawSockets;
  beforeEach(async () => {
    const routes = [
      ...sampleRoutes,
      writeRoute(signIn, async ({ body }) => ({ body: { got: body } })),
    ];
    service = await smallService(routes, { load: { bodyBytesMax: 400_000 } });
    sockets = rawSockets(service.port);
  });
  afterEach(async () => {
    sockets.close();
    await service.close();
  });
  const post = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    service.as('editor').send<Record<string, unknown>>('POST', path, { body, headers });

  it('keep a byte order mark, which is not JSON', async () => {
    const reply = await post('/v2/echo', '\ufeff{"text":"a"}');
    expect(reply.body).to.deep.equal({
      detail: [{ loc: ['body'], msg: 'JSON decode error', type: 'json_invalid' }],
    });
  });

  it('have brackets and dots in the names and values of urlencoded fields', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await post('/v2/sign-in', 'name=a.b[c]&password=x]=%C3%A4&name.x=1', form);
    expect(reply.body).to.deep.include({ got: { name: 'a.b[c]', password: 'x]=ä' } });
    expect(reply.headers['x-ignored-members']).to.equal('name.x');
    expect((await post('/v2/sign-in', 'name=%zz&password=x', form)).status).to.equal(400);
  });

  it('are refused as gzip when they are in the format of deflate', async () => {
    const reply = await post('/v2/echo', deflateSync('{}'), { 'Content-Encoding': 'gzip' });
    expect(reply.body).to.deep.include({ status: 400, code: 'malformed_request' });
  });

  it('give their memory back when a compressed request is cancelled', async () => {
    // Stored, not compressed: as long as what it holds.
    const gzip = gzipSync(Buffer.alloc(300_000), { level: 0 });
    const declared = {
      'Content-Encoding': 'gzip',
      'Content-Length': String(gzip.length),
    };
    const socket = await sockets.open(headOf('POST /v2/echo', declared));
    socket.write(gzip.subarray(0, 290_000));
    const large = JSON.stringify({ text: 'a'.repeat(250_000) });
    await pollUntil('the cancelled body fills the budget', 10_000, async () => {
      const { status } = await post('/v2/echo', large);
      return status === 503;
    });
    socket.destroy();
    await pollUntil('there is room again', 10_000, async () => {
      const { status } = await post('/v2/echo', large);
      return status === 200;
    });
  });
});
