import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, readRoute, writeRoute, type Route } from '../../contract/operation.js';
import { healthcheck } from '../../contract/service.js';
import type { Position } from '../../kernel/ports.js';
import type { Client } from '../support/client.js';
import { rawSockets, unsent, type RawSockets } from '../support/raw-sockets.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

const asked = { ...operationDefaults, method: 'GET', kind: 'r', response: Type.Null() } as const;
const told = {
  ...operationDefaults,
  method: 'POST',
  kind: 'w',
  body: Type.Object({}),
  response: Type.Null(),
} as const;
const slow = operation({ ...asked, operationId: 'slow', path: '/v2/slow' });
const large = operation({ ...asked, operationId: 'large', path: '/v2/large' });
const quick = operation({ ...told, operationId: 'quick', path: '/v2/quick' });
const heavy = operation({ ...told, operationId: 'heavy', path: '/v2/heavy' });
const anybody = operation({
  ...told,
  operationId: 'anybody',
  path: '/v2/anybody',
  schemes: [],
  requires: 'public',
});

describe('concurrency slots', () => {
  let service: SmallService;
  let sockets: RawSockets;
  /** One for each request that its handler works on. */
  let gates: (() => void)[];
  const waits = async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return { body: null };
  };
  const routes: readonly Route[] = [
    readRoute(slow, [], waits),
    readRoute(large, [{ name: 'large' }], waits),
    writeRoute(quick, async () => ({ body: null })),
    writeRoute(heavy, waits),
    writeRoute(anybody, async () => ({ body: null })),
    readRoute(healthcheck, [], async () => ({
      body: { api_version: 'v2', message: 'ok', version: '0.1.0' } as const,
    })),
  ];
  const start = async (options: Parameters<typeof smallService>[1]): Promise<void> => {
    gates = [];
    service = await smallService(routes, { trustedProxies: ['127.0.0.1'], ...options });
    sockets = rawSockets(service.port);
  };
  afterEach(async () => {
    gates.forEach((open) => open());
    sockets.close();
    await service.close();
  });
  const atWork = async (count: number): Promise<void> => {
    while (gates.length < count) await new Promise((resolve) => void setImmediate(resolve));
  };
  const status = async (client: Client, method: string, path: string) => {
    const reply = await client.send(method, path);
    return [reply.status, reply.headers['retry-after']];
  };
  /** The status of those that are answered first. */
  const firstOf = (replies: readonly Promise<{ status: number }>[], count: number) =>
    new Promise<readonly number[]>((resolve, reject) => {
      const come: number[] = [];
      for (const reply of replies)
        reply.then(({ status }) => {
          if (come.push(status) === count) resolve([...come]);
        }, reject);
    });
  const done = [200, undefined];
  const shed = [503, '1'];

  it('are not held while a body arrives, with a credential or without', async () => {
    await start({ load: { requests: { size: 1 }, bodyBytesMax: 1_048_576 } });
    for (let times = 0; times < 8; times += 1) {
      await sockets.open(unsent('POST /v2/quick'));
      await sockets.open(unsent('POST /v2/anybody'));
    }
    const small = { body: '{}' };
    expect((await service.as('other').send('POST', '/v2/quick', small)).status).to.equal(200);
    expect((await service.as(null).send('POST', '/v2/anybody', small)).status).to.equal(200);
  });

  it('are limited for a key and for all keys of a person, whatever their addresses', async () => {
    await start({ load: { requests: { size: 9, shares: { caller: 1, person: 2 } } } });
    const first = service.as('editor').send('GET', '/v2/slow');
    await atWork(1);
    expect(await status(service.as('editor'), 'POST', '/v2/quick')).to.deep.equal(shed);
    const second = service.as('bound').send('GET', '/v2/slow');
    await atWork(2);
    expect(await status(service.as('admin'), 'POST', '/v2/quick')).to.deep.equal(shed);
    expect(await status(service.as('other'), 'POST', '/v2/quick')).to.deep.equal(done);
    gates.forEach((open) => open());
    expect([(await first).status, (await second).status]).to.deep.equal([200, 200]);
    expect(await status(service.as('admin'), 'POST', '/v2/quick')).to.deep.equal(done);
  });

  it('are limited for one address, or one IPv6 network', async () => {
    await start({ load: { requests: { size: 9, shares: { address: 1 } } } });
    const from = (key: 'editor' | 'other', address: string, method: string, path: string) =>
      service.as(key).send(method, path, { headers: { 'X-Forwarded-For': address } });
    const first = from('editor', '2001:db8::1', 'GET', '/v2/slow');
    await atWork(1);
    expect((await from('other', '2001:db8::2', 'POST', '/v2/quick')).status).to.equal(503);
    expect((await from('other', '2001:db8:1::2', 'POST', '/v2/quick')).status).to.equal(200);
    gates[0]?.();
    await first;
  });

  it('are not required by the healthcheck', async () => {
    await start({ load: { requests: { size: 1 } } });
    const first = service.as('editor').send('GET', '/v2/slow');
    await atWork(1);
    expect(await status(service.as('other'), 'POST', '/v2/quick')).to.deep.equal(shed);
    expect(await status(service.as(null), 'GET', '/v2/healthcheck')).to.deep.equal(done);
    gates[0]?.();
    await first;
  });

  it('are not held by requests that wait for a read model', async () => {
    const { promise: behind, resolve: arrived } = Promise.withResolvers<Position>();
    await start({ load: { requests: { size: 1 } }, reached: () => behind });
    const reads = service.as('editor').send('GET', '/v2/large');
    expect(await status(service.as('other'), 'POST', '/v2/quick')).to.deep.equal(done);
    arrived('00000000000000aa' as Position);
    await atWork(1);
    expect(await status(service.as('other'), 'POST', '/v2/quick')).to.deep.equal(shed);
    gates[0]?.();
    expect((await reads).status).to.equal(200);
  });

  it('limit the large answers made at a time, and leave room for others', async () => {
    await start({
      load: { largeAnswers: { size: 2, shares: { caller: 1 } } },
      largeReads: ['large'],
    });
    const mine = [1, 2, 3].map(() => service.as('editor').send('GET', '/v2/large'));
    await atWork(1);
    const theirs = service.as('other').send('GET', '/v2/large');
    await atWork(2);
    expect(await status(service.as('editor'), 'POST', '/v2/quick')).to.deep.equal(done);
    expect(gates).to.have.length(2);
    gates[1]?.();
    expect((await theirs).status).to.equal(200);
    for (let one = 0; one < 3; one += 1) {
      gates[one === 0 ? 0 : one + 1]?.();
      if (one < 2) await atWork(one + 3);
    }
    expect((await Promise.all(mine)).map((reply) => reply.status)).to.deep.equal([200, 200, 200]);
  });

  it('limit the datasets whose rows are in memory, and leave room for others', async () => {
    await start({
      load: { datasetWrites: { size: 2, shares: { caller: 1, person: 1 } } },
      tableWrites: ['heavy'],
      answerWithinMs: () => 2_000,
    });
    const mine = [1, 2, 3].map(() => service.as('editor').send('POST', '/v2/heavy'));
    await atWork(1);
    const theirs = service.as('other').send('POST', '/v2/heavy');
    await atWork(2);
    expect(await status(service.as('editor'), 'POST', '/v2/quick')).to.deep.equal(done);
    expect(gates).to.have.length(2);
    // Whoever waited in vain was told so, and nothing of theirs begins: both, before there is room.
    const refused = await firstOf(mine, 2);
    expect([...refused, gates.length]).to.deep.equal([503, 503, 2]);
    gates.forEach((open) => open());
    expect((await theirs).status).to.equal(200);
    const statuses = (await Promise.all(mine)).map((reply) => reply.status);
    expect(statuses).to.have.members([200, 503, 503]);
  });
});
