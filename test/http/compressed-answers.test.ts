import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { downloadOf } from '../../clients/typescript/src/download.js';
import { expect } from 'chai';
import { operation, readRoute, writeRoute } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

const json = { ...operationDefaults, method: 'GET', kind: 'r', response: Type.String() } as const;
const short = 's'.repeat(4_094);
const long = 'l'.repeat(4_095);
const incompressible = Buffer.from(
  Array.from({ length: 150_000 }, (_, at) => 33 + ((at * at * 31 + at) % 90)),
).toString();
const line = `${'x'.repeat(999)}\n`;

type Received = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
};

describe('compressed answers', () => {
  let service: SmallService;
  let produced = 0;
  let proceed = (): void => undefined;

  const open = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<IncomingMessage> => {
    const outgoing = request(`${service.url}${path}`, {
      method,
      headers: { 'Service-API-Key': 'editor', ...headers },
      agent: false,
    });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return incoming;
  };
  const ask = async (
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<Received> => {
    const incoming = await open(path, headers, method);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const status = incoming.statusCode ?? 0;
    return { status, headers: incoming.headers, bytes: Buffer.concat(chunks) };
  };
  const gzip = { 'Accept-Encoding': 'gzip, deflate' };

  before(async () => {
    const returning = (operationId: string, text: string) =>
      readRoute(operation({ ...json, operationId, path: `/v2/${operationId}` }), [], async () => ({
        body: text,
        etag: 'tag',
      }));
    const streaming = (operationId: string, lines: () => AsyncGenerator<string>) =>
      readRoute(
        operation({
          ...json,
          operationId,
          path: `/v2/${operationId}`,
          media: 'application/x-ndjson',
        }),
        [],
        async () => ({ lines: lines() }),
      );
    service = await smallService([
      returning('short', short),
      returning('long', long),
      returning('varied', incompressible),
      readRoute(
        operation({ ...json, operationId: 'pieces', path: '/v2/pieces' }),
        [],
        async () => ({
          json: ['"', incompressible, '"'].map((text) => Buffer.from(text)),
        }),
      ),
      writeRoute(
        operation({ ...json, operationId: 'made', method: 'POST', kind: 'w', path: '/v2/made' }),
        async ({ mint }) => ({ body: `${mint('TraceId')}${long}` }),
      ),
      streaming('lines', async function* () {
        for (let at = 0; at < 300; at += 1) yield line;
      }),
      streaming('broken', async function* () {
        yield line;
        throw new Fault('unavailable', 'The records cannot be read');
      }),
      streaming('waiting', async function* () {
        yield 'first\n';
        await new Promise<void>((resolve) => (proceed = resolve));
        yield 'second\n';
      }),
      streaming('endless', async function* () {
        for (;;) {
          produced += 1;
          // Each line compresses to a part of its size only.
          yield incompressible.slice(produced % 1_000);
        }
      }),
    ]);
  });
  after(() => service.close());

  it('leaves answers as they are for clients that do not ask for gzip', async () => {
    for (const headers of [{}, { 'Accept-Encoding': 'br' }, { 'Accept-Encoding': 'gzip;q=0' }]) {
      const answer = await ask('/v2/varied', headers);
      expect(answer.bytes.toString() === JSON.stringify(incompressible)).to.equal(true);
      expect(answer.headers['content-encoding']).to.equal(undefined);
      expect(answer.headers['content-length']).to.equal(String(answer.bytes.length));
    }
  });

  it('compresses answers of more than 4 KiB', async () => {
    const small = await ask('/v2/short', gzip);
    expect([
      small.bytes.length,
      small.headers['content-encoding'],
      small.headers.vary,
    ]).to.deep.equal([4_096, undefined, undefined]);
    for (const [path, text] of [
      ['/v2/long', long],
      ['/v2/varied', incompressible],
      ['/v2/pieces', incompressible],
    ] as const) {
      const [plain, answer] = [await ask(path), await ask(path, gzip)];
      expect(answer.status).to.equal(200);
      expect(gunzipSync(answer.bytes).toString() === JSON.stringify(text), path).to.equal(true);
      expect(gunzipSync(answer.bytes).equals(plain.bytes)).to.equal(true);
      expect(answer.headers).to.include({
        'content-encoding': 'gzip',
        'content-length': String(answer.bytes.length),
        'content-type': 'application/json; charset=utf-8',
        vary: 'Accept-Encoding',
      });
      expect(plain.headers.vary).to.equal('Accept-Encoding');
      expect(answer.headers.etag).to.equal(plain.headers.etag);
    }
  });

  it('answers HEAD with the headers of GET', async () => {
    const [whole, head] = [await ask('/v2/varied', gzip), await ask('/v2/varied', gzip, 'HEAD')];
    expect(head.bytes.length).to.equal(0);
    expect(head.headers['content-length']).to.equal(whole.headers['content-length']);
    expect(head.headers['content-encoding']).to.equal('gzip');
  });

  it('replays a stored answer in either form', async () => {
    const key = { 'Idempotency-Key': 'compressed-answer' };
    const first = await ask('/v2/made', { ...key, ...gzip }, 'POST');
    const plain = await ask('/v2/made', key, 'POST');
    const again = await ask('/v2/made', { ...key, ...gzip }, 'POST');
    expect(plain.headers['idempotency-replayed']).to.equal('true');
    expect(gunzipSync(first.bytes).equals(plain.bytes)).to.equal(true);
    expect(again.bytes.equals(first.bytes)).to.equal(true);
  });

  it('compresses streams, whole to their end', async () => {
    const { headers, bytes } = await ask('/v2/lines', gzip);
    expect([headers['content-encoding'], headers.vary]).to.deep.equal(['gzip', 'Accept-Encoding']);
    expect(gunzipSync(bytes).toString() === line.repeat(300)).to.equal(true);
    expect(bytes.length).to.be.lessThan(10_000);
  });

  it('sends a part that is ready without waiting for the next one', async () => {
    const incoming = await open('/v2/waiting', gzip);
    const text = incoming.pipe(createGunzip());
    const [first] = await once(text, 'data');
    expect(String(first)).to.equal('first\n');
    proceed();
    const [second] = await once(text, 'data');
    expect(String(second)).to.equal('second\n');
    await once(text, 'end');
  });

  it('says in its last line why a stream was cut, and ends visibly incomplete', async () => {
    const incoming = await open('/v2/broken', gzip);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [error] = (await once(incoming, 'error')) as [Error];
    expect([error.message, incoming.complete]).to.deep.equal(['aborted', false]);
    const sent = Buffer.concat(chunks);
    expect(() => gunzipSync(sent)).to.throw();
    const text = gunzipSync(sent, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    expect(text.startsWith(line)).to.equal(true);
    const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
    expect(last.ended_early).to.include({ code: 'unavailable' });
  });

  it('lets the TypeScript client tell a whole file from a cut one', async () => {
    const download = async (path: string) => {
      const headers = { 'Service-API-Key': 'editor' };
      const answer = await fetch(`${service.url}${path}`, { headers });
      expect(answer.headers.get('Content-Encoding')).to.equal('gzip');
      const lines: string[] = [];
      try {
        for await (const text of downloadOf(answer).lines()) lines.push(text);
      } catch (error) {
        return [lines.length, String(error)];
      }
      return [lines.length, null];
    };
    expect(await download('/v2/lines')).to.deep.equal([300, null]);
    const [count, why] = await download('/v2/broken');
    // A fetch that sees the broken connection first gives up what it has not handed over.
    expect(count).to.be.at.most(1);
    expect(why).to.match(/the file ends early: The records cannot be read|cannot be reached/);
  });

  it("produces streams at the client's pace", async () => {
    const incoming = await open('/v2/endless', gzip);
    await once(incoming, 'readable');
    incoming.read();
    expect(produced).to.be.lessThan(2_000);
    incoming.on('error', () => undefined);
    incoming.destroy();
  });
});
