import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, writeRoute } from '../../contract/operation.js';
import type { Position } from '../../kernel/ports.js';
import { sampleRoutes } from '../support/sample-routes.js';
import { closed, headOf, rawSockets, unsent, type RawSockets } from '../support/raw-sockets.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';

/** Like a login: reads a body, and asks for no credential. */
const anonymous = operation({
  ...operationDefaults,
  operationId: 'anonymous',
  method: 'POST',
  path: '/v2/anonymous',
  kind: 'w',
  body: Type.Object({}),
  response: Type.Null(),
  schemes: [],
  requires: 'public',
});
const routes = [...sampleRoutes, writeRoute(anonymous, async () => ({ body: null }))];

describe('connections', () => {
  let service: SmallService;
  let sockets: RawSockets;
  const start = async (options: Parameters<typeof smallService>[1]): Promise<void> => {
    service = await smallService(routes, options);
    sockets = rawSockets(service.port);
  };
  afterEach(async () => {
    sockets.close();
    await service.close();
  });
  const answered = async (socket: Socket): Promise<string> => {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString('latin1').slice(9, 12);
  };
  const rested = async (from: string): Promise<Socket> => {
    const socket = await sockets.open(headOf('HEAD /v2/public'), from);
    expect(await answered(socket)).to.equal('200');
    return socket;
  };

  it('are closed by idle time, from the address that has most', async () => {
    await start({ load: { connectionsMax: 4 } });
    const few = await rested('127.0.0.2');
    const oldest = await rested('127.0.0.3');
    const older = await rested('127.0.0.3');
    const used = await rested('127.0.0.3');
    oldest.write(headOf('HEAD /v2/public'));
    expect(await answered(oldest)).to.equal('200');
    await rested('127.0.0.4');
    await closed(older);
    for (const one of [few, oldest, used]) {
      one.write(headOf('HEAD /v2/public'));
      expect(await answered(one)).to.equal('200');
    }
  });

  it('are limited per address, except from a trusted proxy', async () => {
    await start({ load: { connectionsPerAddressMax: 2 }, trustedProxies: ['127.0.0.3'] });
    const first = await rested('127.0.0.2');
    await rested('127.0.0.2');
    await rested('127.0.0.2');
    await closed(first);
    const proxied = [await rested('127.0.0.3'), await rested('127.0.0.3')];
    await rested('127.0.0.3');
    for (const one of proxied) {
      one.write(headOf('HEAD /v2/public'));
      expect(await answered(one)).to.equal('200');
    }
  });

  const chunked = (path: string, credential: string) =>
    headOf(`POST ${path}`, {
      'Service-API-Key': credential,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

  for (const [whose, credential] of [
    ['of somebody', 'editor'],
    ['of nobody, whose body is not read', 'nobody'],
  ] as const) {
    it(`are cut when they send a body in tiny chunks, ${whose}`, async () => {
      await start({});
      const socket = await sockets.open(chunked('/v2/echo', credential));
      socket.resume();
      socket.write(chunk(' ').repeat(50_000));
      await closed(socket);
      expect(await service.metrics.text()).to.include(
        'assay_cut_connections_total{why="crumbs"} 1',
      );
    });
  }

  it('are not cut when they send a body in larger chunks', async () => {
    await start({});
    const socket = await sockets.open(chunked('/v2/echo', 'editor'));
    const pieces = `[${chunk(' '.repeat(300)).repeat(3_000)}`;
    socket.write(
      `${chunk('{')}${pieces.slice(1)}${chunk('}')}${chunk(' ').repeat(2_000)}0\r\n\r\n`,
    );
    expect(await answered(socket)).to.match(/^[24]\d\d$/);
    expect(await service.metrics.text()).not.to.include('why="crumbs"} 1');
  });

  it('are refused to an address while all of its own are busy', async () => {
    await start({ load: { connectionsPerAddressMax: 2 } });
    const slow = [
      await sockets.open(unsent('POST /v2/echo', { Expect: '100-continue' }), '127.0.0.2'),
      await sockets.open(unsent('POST /v2/echo', { Expect: '100-continue' }), '127.0.0.2'),
    ];
    for (const one of slow) expect(await answered(one)).to.equal('100');
    await closed(await sockets.open('', '127.0.0.2'));
    expect(await service.metrics.text()).to.include('assay_cut_connections_total{why="crowded"} 1');
    await rested('127.0.0.1');
  });

  /** The head and one byte of a body, without a credential. */
  const incomplete = (from: string): Promise<Socket> =>
    sockets.open(
      'POST /v2/anonymous HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n' +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{',
      from,
    );
  const begun = async (from: string): Promise<Socket> => {
    const socket = await incomplete(from);
    expect(await answered(socket)).to.equal('100');
    return socket;
  };

  it('are cut at the address with most: the request incomplete for longest', async () => {
    await start({ load: { connectionsMax: 6 } });
    const few = await begun('127.0.0.2');
    const idle = await rested('127.0.0.2');
    const oldest = await begun('127.0.0.3');
    const others = [await begun('127.0.0.3'), await begun('127.0.0.3'), await begun('127.0.0.3')];
    await rested('127.0.0.4');
    await closed(oldest);
    for (const one of [few, ...others.slice(1)]) {
      one.write('}');
      expect(await answered(one)).to.equal('200');
    }
    idle.write(headOf('HEAD /v2/public'));
    expect(await answered(idle)).to.equal('200');
  });

  it('are cut at the address with most for its own and for further addresses', async () => {
    await start({ load: { connectionsMax: 4 } });
    const kept = await rested('127.0.0.2');
    const attack = [];
    for (let times = 0; times < 12; times += 1) attack.push(await incomplete('127.0.0.3'));
    for (const address of ['127.0.0.4', '127.0.0.5']) await rested(address);
    kept.write(headOf('HEAD /v2/public'));
    expect(await answered(kept)).to.equal('200');
    await closed(attack[0] as Socket);
  });

  it('are not cut to make room while their requests are complete', async () => {
    const reads: (() => void)[] = [];
    const reached = async (): Promise<Position> => {
      await new Promise<void>((resolve) => reads.push(resolve));
      return '00000000000000aa' as Position;
    };
    await start({ load: { connectionsMax: 2 }, reached });
    const json = { 'Content-Type': 'application/json', 'Content-Length': '2' };
    const working: Socket[] = [];
    for (const address of ['127.0.0.2', '127.0.0.2']) {
      working.push(await sockets.open(`${headOf('POST /v2/echo', json)}{}`, address));
      while (reads.length < working.length) {
        await new Promise((resolve) => void setImmediate(resolve));
      }
    }
    await closed(await sockets.open(headOf('HEAD /v2/public'), '127.0.0.3'));
    for (const [index, socket] of working.entries()) {
      reads[index]?.();
      expect(await answered(socket)).to.equal('200');
    }
  });

  describe('connections without a credential, while more than half of all are in use', () => {
    const load = { silentMsMax: 1_500, anonymousHeadMsMax: 200, anonymousBodyMsMax: 200 };

    it('are cut when a head or a first body is late', async () => {
      await start({ load: { ...load, connectionsMax: 5, silentMsMax: 3_000 } });
      const known = await sockets.open(unsent('POST /v2/echo', { Expect: '100-continue' }));
      expect(await answered(known)).to.equal('100');
      const idle = await rested('127.0.0.3');
      const late = [await sockets.open('POST /v2', '127.0.0.2'), await begun('127.0.0.2')];
      await Promise.all(late.map(closed));
      expect([known.closed, idle.closed]).to.deep.equal([false, false]);
    });

    it('have the usual time while fewer are in use', async () => {
      await start({ load: { ...load, connectionsMax: 8, silentMsMax: 600 } });
      const began = performance.now();
      const slow = await begun('127.0.0.2');
      await closed(slow);
      expect(performance.now() - began).to.be.at.least(600);
    });
  });

  it('are answered 400 for a request with two Host headers', async () => {
    await start({});
    const socket = await sockets.open(headOf('GET /v2/public', { host: 'other.example' }));
    expect(await answered(socket)).to.equal('400');
  });

  it('are cut when they pipeline more than a few requests, and leave nothing behind', async () => {
    await start({ load: { requestsPerConnectionMax: 4, perTickMax: 1 } });
    const few = await sockets.open(headOf('HEAD /v2/public').repeat(4), '127.0.0.2');
    await answered(few);
    await closed(await sockets.open(headOf('HEAD /v2/public').repeat(400), '127.0.0.2'));
    expect(await service.metrics.text()).to.include('assay_cut_connections_total{why="crowded"} 1');
    await rested('127.0.0.2');
  });
});
