import type { AnswerMemory } from '../../contract/answer-memory.js';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, readRoute, type Route } from '../../contract/operation.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

const asked = { ...operationDefaults, method: 'GET', kind: 'r' } as const;
const long = operation({ ...asked, operationId: 'long', path: '/v2/long', response: Type.Any() });
const other = operation({
  ...asked,
  operationId: 'other',
  path: '/v2/other',
  response: Type.Any(),
});
const page = operation({
  ...asked,
  operationId: 'page',
  path: '/v2/page',
  response: Type.Integer(),
});
const small = { ...asked, response: Type.Object({ a: Type.String() }) } as const;
const short = operation({ ...small, operationId: 'short', path: '/v2/short' });
const wrong = operation({ ...small, operationId: 'wrong', path: '/v2/wrong' });

const longBytes = 600_000;
const encoder = new TextEncoder();
const inParts = (...texts: readonly string[]) => ({
  json: texts.map((text) => encoder.encode(text)),
});

describe('memory reservation for a response', () => {
  let service: SmallService;
  /** One for each long answer that has its room. */
  let gates: (() => void)[];
  const large = [{ name: 'large' }];
  const makes = async ({ memory }: { readonly memory: AnswerMemory }) => {
    await memory.reserve(longBytes);
    await new Promise<void>((resolve) => gates.push(resolve));
    const half = 'a'.repeat(longBytes / 2);
    return inParts(`"${half}`, `${half}"`);
  };
  const routes: readonly Route[] = [
    readRoute(long, large, makes),
    readRoute(other, large, makes),
    readRoute(page, large, async ({ memory }) => ({ body: memory.reserveUpTo(800_000) })),
    readRoute(short, large, async () => inParts('{ "a"', ': "grüße" }')),
    readRoute(wrong, large, async () => inParts('{"b": 1}')),
  ];
  const start = async (otherWithinMs = 30_000) => {
    gates = [];
    service = await smallService(routes, {
      load: { answerBytesMax: 1_000_000, largeAnswers: { size: 2, shares: { caller: 1 } } },
      largeReads: ['large'],
      answerWithinMs: ({ operation: { operationId } }) =>
        operationId === 'other' ? otherWithinMs : 30_000,
    });
  };
  afterEach(async () => {
    gates.forEach((open) => open());
    await service.close();
  });
  const get = (who: string, path: string) => service.as(who).send<string>('GET', path);
  const atWork = async (count: number): Promise<void> => {
    while (gates.length < count) await new Promise((resolve) => void setImmediate(resolve));
  };

  it('precedes the response; a request without memory lets others pass', async () => {
    await start();
    const first = get('editor', '/v2/long');
    await atWork(1);
    const second = get('other', '/v2/long');
    // This one has the second one's place among those at work.
    expect((await get('other', '/v2/short')).status).to.equal(200);
    expect(gates).to.have.length(1);
    gates[0]?.();
    expect((await first).body).to.have.length(longBytes);
    await atWork(2);
    gates[1]?.();
    expect((await second).body).to.have.length(longBytes);
  });

  it('waits at most as long as the response may take', async () => {
    await start(300);
    const first = get('editor', '/v2/long');
    await atWork(1);
    const late = await get('other', '/v2/other');
    expect([late.status, late.headers['retry-after']]).to.deep.equal([503, '10']);
    expect(gates).to.have.length(1);
    gates[0]?.();
    await first;
    const again = get('other', '/v2/long');
    await atWork(2);
    gates[1]?.();
    expect((await again).status).to.equal(200);
  });

  it('shrinks to the memory left for responses that can be shorter', async () => {
    await start();
    expect((await get('other', '/v2/page')).body).to.equal(800_000);
    const first = get('editor', '/v2/long');
    await atWork(1);
    expect((await get('other', '/v2/page')).body).to.equal(200_000);
    gates[0]?.();
    await first;
  });

  it('covers bytes made in other threads, sent as they are and checked by schema', async () => {
    await start();
    const reply = await fetch(`${service.url}/v2/short`, {
      headers: { 'Service-API-Key': 'editor' },
    });
    expect(await reply.text()).to.equal('{ "a": "grüße" }');
    expect(reply.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(reply.headers.get('content-length')).to.equal('18');
    expect((await get('editor', '/v2/wrong')).status).to.equal(500);
  });
});
