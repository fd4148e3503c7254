import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { expect } from 'chai';
import { operation, readRoute } from '../../contract/operation.js';
import { Fault } from '../../kernel/fault.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

/** Chunks of the response as they arrive. */
const chunksOf = (answer: IncomingMessage): readonly Buffer[] => {
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  return chunks;
};

const line = `${'x'.repeat(999)}\n`;

describe('streamed answer', () => {
  let service: SmallService;
  let produced = 0;
  const { promise: over, resolve: ended } = Promise.withResolvers<void>();

  before(async () => {
    const flowing = (operationId: string, path: string) =>
      operation({
        ...operationDefaults,
        operationId,
        method: 'GET',
        path: `/v2/${path}`,
        kind: 'r',
        media: 'application/x-ndjson',
        response: Type.String(),
      });
    async function* lines(count: number): AsyncGenerator<string> {
      try {
        for (let at = 0; at < count; at += 1) {
          produced += 1;
          yield line;
        }
      } finally {
        if (count === Infinity) ended();
      }
    }
    async function* breaking(): AsyncGenerator<string> {
      yield line;
      throw new Fault('unavailable', 'The records cannot be read', { cause: new Error('disk') });
    }
    async function* stuck(signal: AbortSignal): AsyncGenerator<string> {
      yield line;
      await once(signal, 'abort');
      throw signal.reason;
    }
    service = await smallService(
      [
        readRoute(flowing('some', 'some'), [], async () => ({ lines: lines(300) })),
        readRoute(flowing('endless', 'endless'), [], async () => ({ lines: lines(Infinity) })),
        readRoute(flowing('broken', 'broken'), [], async () => ({ lines: breaking() })),
        readRoute(flowing('stuck', 'stuck'), [], async ({ signal }) => ({ lines: stuck(signal) })),
      ],
      { answerWithinMs: () => 200 },
    );
  });
  after(() => service.close());

  it('arrives complete, with its media type and without a length', async () => {
    const { status, headers, body } = await service.as('editor').send('GET', '/v2/some');
    expect([status, headers['content-type'], headers['content-length']]).to.deep.equal([
      200,
      'application/x-ndjson; charset=utf-8',
      undefined,
    ]);
    expect(String(body) === line.repeat(300)).to.equal(true);
  });

  for (const [path, why] of [
    ['broken', 'cannot be read'],
    ['stuck', 'took longer than 0.2 s'],
  ]) {
    it(`is cut, and visibly incomplete, when a part fails: ${path}`, async () => {
      const asked = request(`${service.url}/v2/${path}`, {
        headers: { 'Service-API-Key': 'editor' },
        agent: false,
      });
      asked.end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      expect(answer.statusCode).to.equal(200);
      const sent = chunksOf(answer);
      const [error] = (await once(answer, 'error')) as [Error];
      expect(error.message).to.equal('aborted');
      expect(answer.complete).to.equal(false);
      const last = JSON.parse(String(Buffer.concat(sent)).trimEnd().split('\n').at(-1) ?? '');
      expect(last.ended_early).to.include({ code: 'unavailable' });
      expect(last.ended_early.detail).to.include(why);
      const told = service.lines.find(
        (one) => one.includes(`"operation":"${path}"`) && one.includes('cut short'),
      );
      expect(told).to.include(why);
    });
  }

  it("is produced at the client's pace, and stops when it disconnects", async () => {
    const asked = request(`${service.url}/v2/endless`, {
      headers: { 'Service-API-Key': 'editor' },
      agent: false,
    });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
    await once(answer, 'readable');
    const before = produced;
    answer.read();
    // What fits into the buffers of both ends, and no more.
    expect(before).to.be.lessThan(20_000);
    asked.on('error', () => undefined);
    asked.destroy();
    await over;
  });
});
