import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Suite } from 'mocha';
import { connect } from 'nats';
import { openNatsBus } from '../../engines/nats/bus.js';
import { systemClock } from '../../engines/node/clock.js';
import type { NotificationBus } from '../../kernel/ports.js';
import type { Json } from '../../kernel/schema-types.js';
import { openFreshness } from '../../projections/freshness.js';
import { busSuite } from '../suites/bus.js';
import { positionAt } from '../support/record-rows.js';
import { startNatsServer, type NatsServer } from '../support/nats-server.js';
import { describeWithTool, natsServer } from '../support/required-tools.js';
import { pollUntil } from '../support/poll-until.js';

const given = process.env['ASSAY_TEST_NATS_URL'];
/** Hints from `one` reach `other`: some may get lost on the way to that. */
const hear = async (one: NotificationBus, other: NotificationBus): Promise<void> => {
  let heard = false;
  const end = other.subscribe('hello', () => {
    heard = true;
  });
  await pollUntil('a hint arrives', 20_000, async () => {
    one.publish('hello', null);
    return heard;
  });
  end();
};

const suite = (title: string, tests: (this: Suite) => void): unknown =>
  given === undefined ? describeWithTool(natsServer, title, tests) : describe(title, tests);

suite('NATS as a bus', function () {
  let server: NatsServer | null = null;
  let url = given ?? '';
  before(async () => {
    if (given !== undefined) return;
    server = await startNatsServer();
    ({ url } = server);
  });
  after(() => server?.kill());

  busSuite('NATS', async () => {
    const space = `t${randomUUID()}`;
    const [one, other, stranger] = await Promise.all([
      openNatsBus({ url, space }),
      openNatsBus({ url, space }),
      openNatsBus({ url, space: `t${randomUUID()}` }),
    ]);
    return { one, other, stranger };
  });
});

describeWithTool(natsServer, 'the bus on a NATS server that dies', function () {
  let server: NatsServer;
  let buses: readonly NotificationBus[] = [];
  const open = async (): Promise<NotificationBus> => {
    const bus = await openNatsBus({ url: server.url, space: 'assay' });
    buses = [...buses, bus];
    return bus;
  };
  beforeEach(async () => {
    server = await startNatsServer();
    buses = [];
  });
  afterEach(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await server.kill();
  });

  it('delivers locally without the server, and to others once it is back', async () => {
    const [one, other] = [await open(), await open()];
    await hear(one, other);
    await server.kill();
    await hear(one, one);
    await server.start();
    await hear(one, other);
    await hear(other, one);
  });

  it('stores nothing published while the server is away', async () => {
    const [one, other] = [await open(), await open()];
    await hear(one, other);
    await server.kill();
    const heard: unknown[] = [];
    other.subscribe('count', (message) => heard.push(message));
    for (let count = 0; count < 1_000; count += 1) one.publish('count', count);
    await server.start();
    await hear(one, other);
    // The first may have left before the end of the connection was noticed.
    expect(heard.length).to.be.lessThan(1_000);
  });

  it('opens and closes without a server and connects later', async () => {
    await server.kill();
    const [one, other] = await Promise.all([open(), open()]);
    await hear(one, one);
    await (await openNatsBus({ url: server.url, space: 'assay' })).close();
    await server.start();
    await hear(one, other);
  });

  it('ignores foreign messages in its space', async () => {
    const bus = await open();
    const heard: Json[] = [];
    bus.subscribe('count', (message) => heard.push(message));
    const stranger = await connect({ servers: server.url });
    for (const subject of ['assay.s-%', 'assay.other', 'assay.s-a.b', 'assay.s-hello']) {
      stranger.publish(subject, 'no JSON');
    }
    const large = JSON.stringify('x'.repeat(100_000));
    for (let count = 0; count < 200; count += 1) {
      stranger.publish('assay.s-count', large);
      stranger.publish(`assay.s-nobody-${count}`, '{}');
    }
    stranger.publish('assay.s-count', '1');
    await stranger.drain();
    await pollUntil('the hint among them is heard', 20_000, async () => heard.length > 0);
    expect(heard).to.deep.equal([1]);
    await hear(await open(), bus);
  });

  it('lets forged messages wake readers without any content', async () => {
    const bus = await open();
    const [first, second] = [positionAt(1), positionAt(2)];
    let stored = first;
    const freshness = openFreshness({
      reader: { head: async () => second },
      checkpoints: new Map([['tally', async () => stored]]),
      bus,
      // Its time never runs out, however busy the machine is.
      clock: { ...systemClock, milliseconds: () => 0 },
    });
    const stranger = await connect({ servers: server.url });
    const lie = JSON.stringify({ name: 'tally', position: 'f'.repeat(16) });
    const asked = freshness.waitUntilApplied(['tally'], null);
    stranger.publish('assay.s-projection%2Emoved', lie);
    await stranger.drain();
    await hear(await open(), bus);
    stored = second;
    expect(await asked).to.equal(second);
  });
});
