import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { madeUpRoutes } from '../support/made-up-routes.js';
import { closed, headOf, rawSockets, unsent, type RawSockets } from '../support/raw-sockets.js';
import { smallService, type SmallService } from '../support/small-service.js';

describe('connections', () => {
  let service: SmallService;
  let sockets: RawSockets;
  const start = async (options: Parameters<typeof smallService>[1]): Promise<void> => {
    service = await smallService(madeUpRoutes, options);
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

  it('that have been idle longest are closed first, from the address that has most', async () => {
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

  it('from one address are limited, except from a trusted proxy', async () => {
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
    it(`that send a body in crumbs are cut, ${whose}`, async () => {
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

  it('that send a body in larger pieces are not cut', async () => {
    await start({});
    const socket = await sockets.open(chunked('/v2/echo', 'editor'));
    const pieces = `[${chunk(' '.repeat(300)).repeat(3_000)}`;
    socket.write(
      `${chunk('{')}${pieces.slice(1)}${chunk('}')}${chunk(' ').repeat(2_000)}0\r\n\r\n`,
    );
    expect(await answered(socket)).to.match(/^[24]\d\d$/);
    expect(await service.metrics.text()).not.to.include('why="crumbs"} 1');
  });

  it('that are all at work leave no room for another one from their address', async () => {
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

  it('that send ahead more than a few requests are cut, and leave nothing behind', async () => {
    await start({ load: { requestsPerConnectionMax: 4, perTurnMax: 1 } });
    const few = await sockets.open(headOf('HEAD /v2/public').repeat(4), '127.0.0.2');
    await answered(few);
    await closed(await sockets.open(headOf('HEAD /v2/public').repeat(400), '127.0.0.2'));
    expect(await service.metrics.text()).to.include('assay_cut_connections_total{why="crowded"} 1');
    await rested('127.0.0.2');
  });
});
