import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Type } from 'typebox';
import { operation, readRoute, writeRoute, type Route } from '../../contract/operation.js';
import { formRequest } from '../support/multipart-forms.js';
import { closed, headOf, rawSockets, unsent, type RawSockets } from '../support/raw-sockets.js';
import { operationDefaults, smallService, type SmallService } from '../support/small-service.js';
import { pollUntil } from '../support/poll-until.js';

const keep = operation({
  ...operationDefaults,
  operationId: 'keep',
  method: 'POST',
  path: '/v2/keep',
  kind: 'w',
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  response: Type.Null(),
});
const ingest = operation({
  ...operationDefaults,
  operationId: 'ingest',
  method: 'POST',
  path: '/v2/ingest',
  kind: 'w',
  size: 'ingest',
  body: Type.Object({ text: Type.Optional(Type.String()) }),
  response: Type.Null(),
});
const upload = operation({
  ...operationDefaults,
  operationId: 'upload',
  method: 'POST',
  path: '/v2/uploads',
  kind: 'w',
  form: { files: { file: { required: true, bytesMax: 500_000 } }, parts: Type.Object({}) },
  response: Type.Null(),
});
/** More than the buffers between two programs hold. */
const longBytes = 24_000_000;
const long = operation({
  ...operationDefaults,
  operationId: 'long',
  method: 'GET',
  path: '/v2/long',
  kind: 'r',
  response: Type.String(),
});

const same = operation({
  ...operationDefaults,
  operationId: 'same',
  method: 'GET',
  path: '/v2/same',
  kind: 'r',
  schemes: [],
  requires: 'public',
  response: Type.Unknown(),
});

describe('the body budget', () => {
  let service: SmallService;
  let sockets: RawSockets;
  let gates: (() => void)[];
  const waits = async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return { body: null };
  };
  const text = 'a'.repeat(longBytes - 2);
  let makings = 0;
  const constant = { toJSON: () => ({ makings: (makings += 1) }) };
  const routes: readonly Route[] = [
    writeRoute(keep, waits),
    writeRoute(ingest, waits),
    writeRoute(upload, waits),
    readRoute(long, [], async () => ({ body: text })),
    readRoute(same, [], async () => ({ body: constant })),
  ];
  const start = async (load: NonNullable<Parameters<typeof smallService>[1]>['load']) => {
    gates = [];
    service = await smallService(routes, { strict: false, ...(load && { load }) });
    sockets = rawSockets(service.port);
  };
  afterEach(async () => {
    gates.forEach((open) => open());
    sockets.close();
    await service.close();
  });
  const figure = async (line: string): Promise<boolean> =>
    (await service.metrics.text()).split('\n').includes(line);
  const oneSlow = () => figure('assay_cut_connections_total{why="slow"} 1');
  const atWork = (count: number) =>
    pollUntil(`${count} are at work`, 10_000, async () => gates.length >= count);

  const bomb = gzipSync(JSON.stringify({ text: 'a'.repeat(900_000) }));
  const gzip = { 'Content-Encoding': 'gzip' };
  for (const { what, path, ask } of [
    { what: 'a body', path: '/v2/keep', ask: { body: bomb, headers: gzip } },
    {
      what: 'a form',
      path: '/v2/uploads',
      ask: formRequest([{ name: 'file', content: 'a'.repeat(400_000), fileName: 'x' }]),
    },
  ]) {
    it(`counts ${what} decompressed, until the response is sent`, async () => {
      await start({ bodyBytesMax: 1_000_000 });
      const send = () => service.as('editor').send('POST', path, ask);
      const first = send();
      await atWork(1);
      const more = await Promise.all([send(), send(), send()]);
      expect(more.map((one) => [one.status, one.headers['retry-after']])).to.deep.equal(
        more.map(() => [503, '1']),
      );
      const small = service.as('other').send('POST', '/v2/keep', { body: { text: 'a' } });
      await atWork(2);
      gates.forEach((open) => open());
      expect([(await first).status, (await small).status]).to.deep.equal([200, 200]);
      const again = send();
      await atWork(3);
      gates[2]?.();
      expect((await again).status).to.equal(200);
    });
  }

  it('admits few large bodies at a time; the others wait, small ones pass', async () => {
    await start({ bodyBytesMax: 6_000_000, largeBodies: { shares: { caller: 1, person: 1 } } });
    const large = gzipSync(JSON.stringify({ text: 'a'.repeat(2_000_000) }));
    const sent = Array.from({ length: 8 }, () =>
      service.as('editor').send('POST', '/v2/ingest', { body: large, headers: gzip }),
    );
    await atWork(1);
    for (const key of ['editor', 'bound', 'other'] as const) {
      const small = service.as(key).send('POST', '/v2/ingest', { body: { text: 'a' } });
      await pollUntil('the small one is at work', 10_000, async () => gates.length === 2);
      gates.pop()?.();
      expect((await small).status).to.equal(200);
    }
    for (let done = 0; done < sent.length; done += 1) {
      await atWork(1);
      gates.pop()?.();
    }
    expect((await Promise.all(sent)).map(({ status }) => status)).to.deep.equal(
      sent.map(() => 200),
    );
  });

  it('refuses a large body that waits too long, and admits the next one', async () => {
    await start({ largeBodies: { shares: { caller: 1, person: 1 } }, largeBodiesWaitMsMax: 50 });
    const large = { text: 'a'.repeat(2_000_000) };
    const send = () => service.as('editor').send('POST', '/v2/ingest', { body: large });
    const first = send();
    await atWork(1);
    const second = await send();
    expect([second.status, second.headers['retry-after']]).to.deep.equal([503, '1']);
    gates[0]?.();
    expect((await first).status).to.equal(200);
    await pollUntil('there is a turn again', 10_000, async () => {
      const third = send();
      await Promise.race([third, pollUntil('it is at work', 1_000, async () => gates.length > 1)]);
      gates[1]?.();
      return (await third).status === 200;
    });
  });

  it('counts received bytes, not declared ones', async () => {
    await start({ bodyBytesMax: 1_000_000 });
    for (let times = 0; times < 4; times += 1) await sockets.open(unsent('POST /v2/keep'));
    const one = service
      .as('editor')
      .send('POST', '/v2/keep', { body: { text: 'a'.repeat(9_000) } });
    await atWork(1);
    gates[0]?.();
    expect((await one).status).to.equal(200);
  });

  it('counts a response until it is sent, and cuts a client that reads nothing', async () => {
    await start({ answerBytesMax: longBytes + 1_000, silentMsMax: 400 });
    const idle = await sockets.open('');
    idle.pause();
    idle.write(headOf('GET /v2/long'));
    await pollUntil('the second is shed', 10_000, async () => {
      const { status } = await service.as('other').send('GET', '/v2/long');
      return status === 503;
    });
    await pollUntil('the first is cut', 10_000, oneSlow);
    const third = await service.as('other').send<string>('GET', '/v2/long');
    expect([third.status, third.body.length]).to.deep.equal([200, text.length]);
  });

  it('sends all of a response that is read slowly but steadily', async () => {
    await start({ silentMsMax: 1_000 });
    const steady = await sockets.open(headOf('GET /v2/long', { Connection: 'close' }));
    let taken = 0;
    steady.on('data', (chunk) => {
      taken += chunk.length;
      steady.pause();
      setTimeout(() => steady.resume(), 4);
    });
    await once(steady, 'end');
    expect(taken).to.be.greaterThan(longBytes);
    expect(await oneSlow()).to.equal(false);
  });

  it('closes the connection when a body does not arrive', async () => {
    await start({ silentMsMax: 300 });
    const silent = await sockets.open(unsent('POST /v2/keep'));
    await closed(silent);
    expect(await oneSlow()).to.equal(true);
  });

  it('closes the connection when a body arrives in tiny chunks', async () => {
    await start({ silentMsMax: 300, bytesPerSecondMin: 1_000 });
    const dripping = await sockets.open(unsent('POST /v2/keep'));
    const drip = setInterval(() => dripping.write(' '), 20);
    await closed(dripping);
    clearInterval(drip);
    expect(await oneSlow()).to.equal(true);
  });

  it('serialises a response once that is the same for all callers', async () => {
    await start({});
    for (let times = 0; times < 3; times += 1) {
      expect((await service.as(null).send('GET', '/v2/same')).body).to.deep.equal({ makings: 1 });
    }
  });

  it('keeps a connection while the service itself is slow', async () => {
    await start({ silentMsMax: 100 });
    const one = service.as('editor').send('POST', '/v2/keep', { body: {} });
    await atWork(1);
    const late = await sockets.open(unsent('POST /v2/keep'));
    await closed(late);
    gates[0]?.();
    expect((await one).status).to.equal(200);
  });
});
