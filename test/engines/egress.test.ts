import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openEgress } from '../../engines/egress/egress.js';
import { egressReasonOf, type EgressLimits, type EgressMode } from '../../kernel/egress.js';
import { parseAllowList } from '../../kernel/egress-allow-list.js';
import { scriptedServer, type Scripted, type ScriptedServer } from '../support/scripted-server.js';

type Setup = {
  readonly allow?: string;
  readonly mode?: EgressMode;
  readonly limits?: Partial<EgressLimits>;
  readonly ownPorts?: readonly number[];
  /** Addresses of any name, one list for each look-up; the last one stays. */
  readonly answers?: readonly (readonly string[] | 'never')[];
};

describe('the egress', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const open = ({ allow = '', mode = 'public', limits = {}, ownPorts = [], ...setup }: Setup) => {
    const refused: string[] = [];
    const lookedUp: string[] = [];
    const list = parseAllowList(allow);
    if ('malformed' in list) throw new Error(list.malformed);
    const egress = openEgress({
      rules: { mode, ...list },
      ownPorts: () => new Set(ownPorts),
      onRefused: (reason) => refused.push(reason),
      limits,
      resolve: async (host) => {
        lookedUp.push(host);
        const { answers = [] } = setup;
        const answer = answers[Math.min(lookedUp.length, answers.length) - 1] ?? [];
        if (answer === 'never') return new Promise(() => undefined);
        return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });
    closers.push(() => egress.close());
    return { egress, refused, lookedUp };
  };
  const reasonOf = async (answer: Promise<unknown>): Promise<string | null> => {
    try {
      await answer;
      return 'answered';
    } catch (error) {
      return egressReasonOf(error);
    }
  };
  const scripted = async (...script: readonly Scripted[]): Promise<ScriptedServer> => {
    const server = await scriptedServer(script);
    closers.push(() => server.close());
    return server;
  };
  const served = async (listener: RequestListener): Promise<string> => {
    const server = createHttpServer(listener);
    await listening(server);
    closers.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return `127.0.0.1:${portOf(server)}`;
  };

  describe('addresses', () => {
    it('refuses literals that are not public, however they are written (models 1.3)', async () => {
      const { egress, refused, lookedUp } = open({});
      const privates = `10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 127.0.0.1 127.1 2130706433
        0x7f000001 0177.0.0.1 0 0.0.0.0 224.0.0.1 240.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1
        169.254.1.1 １２７.0.0.1 127.0.0.1. [::] [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
        [64:ff9b::7f00:1] [64:ff9b::a00:1] [64:ff9b:1::a00:1] [2002:a00:1::] [2001:0:a00:1::]
        [fe80::1] [fec0::1] [fd00::1] [ff02::1] [2001:db8::1] [100::1] [5f00::1] [4000::1]`;
      for (const host of privates.split(/\s+/)) {
        expect(await reasonOf(egress.fetch(`https://${host}/`)), host).to.equal('address');
      }
      expect(refused).to.have.length(privates.split(/\s+/).length);
      expect(lookedUp).to.deep.equal([]);
    });

    it('refuses addresses of metadata services, listed or not (models 1.3)', async () => {
      const { egress } = open({
        allow: '169.254.0.0/16,fd00::/8,0.0.0.0/0,::/0,169.254.169.254:80,meta.example:80',
        answers: [['169.254.169.254']],
      });
      for (const url of [
        'https://169.254.169.254/latest',
        'http://169.254.169.254/latest',
        'https://0xa9fea9fe',
        'https://[::ffff:169.254.169.254]',
        'https://[64:ff9b::a9fe:a9fe]',
        'https://[fd00:ec2::254]',
        'https://168.63.129.16',
        'http://meta.example',
      ])
        expect(await reasonOf(egress.fetch(url)), url).to.equal('metadata');
    });

    it('refuses names with any address that is not public (models 1.3)', async () => {
      for (const answer of [
        ['10.0.0.1'],
        ['::1'],
        ['8.8.8.8', '127.0.0.1'],
        ['::ffff:10.0.0.1'],
        ['fe80::1%eth0'],
        ['not an address'],
      ]) {
        const { egress, lookedUp } = open({ answers: [answer] });
        const reason = await reasonOf(egress.fetch('https://rebound.example/'));
        expect(reason, answer.join()).to.equal('address');
        expect(lookedUp).to.deep.equal(['rebound.example']);
      }
    });

    it('judges each connection by the one answer that it connects to', async () => {
      const endpoint = await served((_, answer) => {
        answer.writeHead(200, { Connection: 'close' }).end('here');
      });
      const port = endpoint.split(':')[1];
      const { egress, lookedUp } = open({
        allow: `rebinding.example:${port}`,
        answers: [['127.0.0.1'], ['169.254.169.254']],
      });
      const url = `http://rebinding.example:${port}/`;
      expect(await (await egress.fetch(url)).text()).to.equal('here');
      expect(lookedUp).to.have.length(1);
      expect(await reasonOf(egress.fetch(url))).to.equal('metadata');
      expect(lookedUp).to.have.length(2);
    });

    it('refuses ports of this service on this machine, listed or not', async () => {
      const own = await scripted({ status: 200 });
      const port = Number(new URL(own.url).port);
      const { egress } = open({
        allow: `127.0.0.1:${port},0.0.0.0:${port},[::1]:${port},me.example:${port}`,
        answers: [['127.0.0.1']],
        ownPorts: [port],
      });
      for (const host of ['127.0.0.1', '0.0.0.0', '[::1]', 'me.example'])
        expect(await reasonOf(egress.fetch(`http://${host}:${port}/`)), host).to.equal('own_port');
      expect(own.received).to.deep.equal([]);
    });

    it('permits addresses of listed networks, and only those where it lists hosts', async () => {
      // A permitted host is connected to, and speaks no TLS of that name there.
      for (const [address, mode, expected] of [
        ['127.0.0.2', 'public', 'unreachable'],
        ['127.0.0.2', 'listed', 'unreachable'],
        ['10.1.0.1', 'public', 'address'],
        ['8.8.8.8', 'listed', 'host'],
      ] as const) {
        const { egress } = open({ allow: '127.0.0.0/24', mode, answers: [[address]] });
        const reason = await reasonOf(egress.fetch('https://models.example'));
        expect(reason, `${address} ${mode}`).to.equal(expected);
      }
    });

    it('verifies the name by TLS, whatever its address', async () => {
      const server = createServer((socket) => {
        socket.once('data', (hello) => {
          greeting = hello;
          socket.destroy();
        });
      });
      let greeting: string | Buffer = '';
      await listening(server);
      closers.push(async () => server.close());
      const port = portOf(server);
      const { egress } = open({ allow: `models.example:${port}`, answers: [['127.0.0.1']] });
      expect(await reasonOf(egress.fetch(`https://models.example:${port}`))).to.equal(
        'unreachable',
      );
      expect(greeting.includes('models.example')).to.equal(true);
    });
  });

  describe('answers', () => {
    it('resolves with whole, decompressed answers, without cookies', async () => {
      const sent: string[] = [];
      const endpoint = await served((request, answer) => {
        sent.push(String(request.headers.cookie), String(request.headers['user-agent']));
        answer
          .writeHead(200, { 'Content-Encoding': 'gzip', 'Set-Cookie': 'a=b', 'X-Mine': 'c' })
          .end(gzipSync('{"a":1}'));
      });
      const { egress } = open({ allow: endpoint });
      for (let call = 0; call < 2; call += 1) {
        const answer = await egress.fetch(`http://${endpoint}/v1`, { method: 'POST', body: 'x' });
        expect(await answer.json()).to.deep.equal({ a: 1 });
        expect([...answer.headers.keys()])
          .to.include('x-mine')
          .and.not.include.members(['set-cookie']);
        expect(answer.headers.get('content-encoding')).to.equal(null);
      }
      expect(sent).to.deep.equal(['undefined', 'assay', 'undefined', 'assay']);
    });

    it('refuses a redirect, whose target is not called (models 1.4)', async () => {
      const target = await scripted({ status: 200 });
      for (const status of [301, 302, 303, 307, 308]) {
        const server = await scripted({ status, headers: { Location: target.url } });
        const { egress, refused } = open({
          allow: `${new URL(server.url).host},${new URL(target.url).host}`,
        });
        const call = egress.fetch(server.url, { method: 'POST', body: '{}', redirect: 'follow' });
        expect(await reasonOf(call)).to.equal('redirect');
        expect(refused).to.deep.equal(['redirect']);
      }
      expect(target.received).to.deep.equal([]);
    });

    it('refuses more than 8 MiB, counted decompressed', async () => {
      const mebibyte = 1_024 * 1_024;
      const small = gzipSync(Buffer.alloc(8 * mebibyte));
      const large = gzipSync(Buffer.alloc(8 * mebibyte + 1));
      const endpoint = await served((request, answer) => {
        answer.writeHead(200, { 'Content-Encoding': 'gzip' });
        answer.end(request.url === '/small' ? small : large);
      });
      const { egress, refused } = open({ allow: endpoint });
      const whole = await egress.fetch(`http://${endpoint}/small`);
      expect((await whole.arrayBuffer()).byteLength).to.equal(8 * mebibyte);
      const call = egress.fetch(`http://${endpoint}/large`);
      expect(await reasonOf(call)).to.equal('answer_too_large');
      expect(refused).to.deep.equal(['answer_too_large']);
    });

    it('refuses an answer that is compressed twice', async () => {
      const twice = gzipSync(gzipSync('x'));
      const endpoint = await served((_, answer) => {
        answer.writeHead(200, { 'Content-Encoding': 'gzip, gzip' }).end(twice);
      });
      const { egress } = open({ allow: endpoint });
      expect(await reasonOf(egress.fetch(`http://${endpoint}`))).to.equal('unreachable');
    });

    it('names the time limit that a late answer exceeds', async () => {
      const endpoint = await served((request, answer) => {
        if (request.url === '/silent') return;
        answer.writeHead(200);
        answer.write('a');
      });
      const { egress } = open({ allow: `${endpoint},silent.example:80`, answers: ['never'] });
      const soon = egress.fetchWithin({ firstByteMs: 20 });
      expect(await reasonOf(soon(`http://${endpoint}/silent`))).to.equal('first_byte_timeout');
      const short = egress.fetchWithin({ wholeMs: 50 });
      expect(await reasonOf(short(`http://${endpoint}/stalled`))).to.equal('whole_timeout');
      const hurried = open({
        allow: 'silent.example:80',
        answers: ['never'],
        limits: { connectMs: 20 },
      });
      const unresolved = hurried.egress.fetch('http://silent.example');
      expect(await reasonOf(unresolved)).to.equal('connect_timeout');
    });

    it('rejects with the reason of an aborted signal', async () => {
      const server = await scripted('never');
      const { egress, refused } = open({ allow: new URL(server.url).host });
      const signal = AbortSignal.abort(new Error('stopped'));
      const error = await egress.fetch(server.url, { signal }).catch((thrown: unknown) => thrown);
      expect(error).to.deep.include({ message: 'stopped' });
      expect(refused).to.deep.equal([]);
    });

    it('reports a cut and a refused connection as unreachable', async () => {
      const server = await scripted(null);
      const { egress, refused } = open({ allow: new URL(server.url).host });
      expect(await reasonOf(egress.fetch(server.url))).to.equal('unreachable');
      await server.close();
      expect(await reasonOf(egress.fetch(server.url))).to.equal('unreachable');
      expect(refused).to.deep.equal([]);
    });
  });

  describe('requests', () => {
    it('refuses malformed headers, without their values, and those of the connection', async () => {
      const server = await scripted({ status: 200 });
      const { egress } = open({ allow: new URL(server.url).host });
      for (const name of ['Host', 'Connection', 'Transfer-Encoding', 'Cookie', 'X-Forwarded-For']) {
        const call = egress.fetch(server.url, { headers: { [name]: 'inner.example' } });
        expect(await reasonOf(call), name).to.equal('header');
      }
      for (const value of ['secret\r\nHost: inner.example', 'secret€', 'secret\0']) {
        const error = await egress
          .fetch(server.url, { headers: { 'x-key': value } })
          .catch((thrown: unknown) => thrown);
        expect(egressReasonOf(error), value).to.equal('header');
        expect(inspect(error, { depth: 9, showHidden: true })).to.not.contain('secret');
      }
      expect(server.received).to.deep.equal([]);
    });

    it('calls its host, whatever the proxies of the environment', async () => {
      const [proxy, server] = [await scripted({ status: 502 }), await scripted({ status: 200 })];
      const names = ['HTTP_PROXY', 'http_proxy'];
      for (const name of names) process.env[name] = proxy.url;
      try {
        const { egress } = open({ allow: new URL(server.url).host });
        expect((await egress.fetch(server.url)).status).to.equal(200);
      } finally {
        for (const name of names) delete process.env[name];
      }
      expect(proxy.received).to.deep.equal([]);
    });

    it('refuses everything where it is off, listed or not', async () => {
      const { egress, refused } = open({ mode: 'off', allow: '127.0.0.1:9090' });
      expect(await reasonOf(egress.fetch('http://127.0.0.1:9090'))).to.equal('off');
      expect(refused).to.deep.equal(['off']);
    });
  });
});

const listening = async (server: Server): Promise<void> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
};
const portOf = (server: Server): number => (server.address() as AddressInfo).port;
