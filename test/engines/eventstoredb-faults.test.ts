import { expect } from 'chai';
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  record,
  type Arbitrary,
} from 'fast-check';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { logStart, type EventLog, type Position, type StreamName } from '../../kernel/ports.js';
import { raceSuite } from '../suites/event-log-races.js';
import { positionOf, appendOne } from '../suites/event-log.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import type { InjectedFault } from '../support/eventstore-server/faults.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { runs } from '../support/runs.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { pollUntil } from '../support/poll-until.js';
import { readAllPages } from '../support/log-pages.js';

/** Tests do not wait as long as the service does. */
const patience = { answerMs: 400, callMs: 2_000, lookMs: 200, restMs: 20 };

const unavailable = async (work: Promise<unknown>): Promise<void> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).to.include({ name: 'Fault', code: 'unavailable', retryAfterSeconds: 2 });
};

describe('EventStoreDB faults', function () {
  let server: EventStoreServer;
  let network: TcpProxy;
  let log: EventLog;
  let others: EventLog[];
  let dir: string;
  let remove: () => Promise<void>;
  const open = async (): Promise<EventLog> => {
    const other = await openEventStore({
      url: `esdb://127.0.0.1:${network.port}?tls=false`,
      patience,
    });
    others.push(other);
    return other;
  };
  beforeEach(async () => {
    ({ dir, remove } = await temporaryFolder());
    server = await startEventStoreServer({ dir });
    network = await startTcpProxy(server.port);
    others = [];
    log = await open();
  });
  afterEach(async () => {
    await Promise.all(others.map((other) => other.close()));
    await network.close();
    await server.close();
    await remove();
  });

  describe('append with an unknown outcome', () => {
    const kinds = ['unavailable', 'deadline', 'timeout', 'unknown', 'silent'] as const;
    for (const kind of [...kinds, 'lost-answer', 'silent-after'] as const) {
      it(`is stored once when the first response is ${kind}`, async () => {
        const stream = newStream();
        await appendOne(log, appendOf(stream, 'none', newEvent('before')));
        server.faults.plan('append', { kind });
        const at = positionOf(
          await appendOne(log, appendOf(stream, 0, newEvent('one'), newEvent('two'))),
        );
        const events = await log.read(stream);
        expect(events.map(({ data }) => data)).to.deep.equal(['before', 'one', 'two']);
        expect(events.at(-1)?.position).to.equal(at);
      });
    }

    it('conflicts when another append was faster meanwhile', async () => {
      const stream = newStream();
      await appendOne(log, appendOf(stream, 'none', newEvent('before')));
      server.faults.plan('append', { kind: 'silent' });
      const losing = appendOne(log, appendOf(stream, 0, newEvent('loser')));
      await server.store.append(`assay.${stream}`, 0n, [
        {
          id: '7b4b2a2e-5d8e-4a57-9b1a-0f9d4d3c2b1a',
          type: 'SomethingHappened',
          contentType: 'application/json',
          data: Buffer.from('"winner"'),
          metadata: Buffer.from('{}'),
        },
      ]);
      expect(await losing).to.equal('conflict');
    });

    it('is unavailable, in bounded time, when no response ever arrives', async () => {
      server.faults.plan('append', { kind: 'silent' }, 20);
      const waited = idleAwareClock();
      const append = appendOf(newStream(), 'none', newEvent('late'));
      await unavailable(appendOne(log, append));
      expect(waited()).to.be.lessThan(patience.callMs + 2_000);
      server.faults.clear();
      await appendOne(log, append);
      expect(await log.read(append.stream)).to.have.length(1);
    });

    it('leaves the other appends of the process alone', async () => {
      server.faults.plan('append', { kind: 'unavailable' });
      const streams = Array.from({ length: 40 }, () => newStream());
      const results = await Promise.all(
        streams.map((stream) => appendOne(log, appendOf(stream, 'none', newEvent()))),
      );
      expect(results).not.to.include('conflict');
      for (const stream of streams) expect(await log.read(stream)).to.have.length(1);
    });
  });

  it('stores an event once that is sent one to five times, under any fault (A8)', async () => {
    const fault: Arbitrary<InjectedFault> = constantFrom(
      { kind: 'unavailable' },
      { kind: 'deadline' },
      { kind: 'lost-answer' },
      { kind: 'lost-answer' },
      { kind: 'unknown' },
    );
    const history = record({
      repeats: integer({ min: 1, max: 5 }),
      faults: array(fault, { maxLength: 3 }),
      events: integer({ min: 1, max: 3 }),
    });
    const property = asyncProperty(history, async ({ repeats, faults, events }) => {
      const stream = newStream();
      const append = appendOf(
        stream,
        'none',
        ...Array.from({ length: events }, (_, index) => newEvent(index)),
      );
      faults.forEach((one) => server.faults.plan('append', one));
      const positions = new Set<string>();
      for (let count = 0; count < repeats; count += 1) {
        positions.add(positionOf(await appendOne(log, append)));
      }
      server.faults.clear();
      expect(positions.size).to.equal(1);
      expect(await log.read(stream)).to.have.length(events);
      const [first, ...rest] = append.events;
      if (first === undefined) return;
      const other = { ...append, events: [{ ...first, data: 'another' }, ...rest] };
      expect(await appendOne(log, other)).to.equal('conflict');
    });
    await assert(property, { numRuns: runs(6) });
  });

  describe('with every ninth append going wrong', () => {
    beforeEach(() => {
      server.faults.often('append', 9, [
        { kind: 'unavailable' },
        { kind: 'lost-answer' },
        { kind: 'deadline' },
        { kind: 'slow', milliseconds: 30 },
        { kind: 'timeout' },
        { kind: 'not-leader', host: '127.0.0.1', port: network.port },
        { kind: 'lost-answer' },
      ]);
    });
    raceSuite(() => log);
  });

  describe('a read', () => {
    for (const kind of ['unavailable', 'unknown', 'silent'] as const) {
      it(`retries when the first response is ${kind}`, async () => {
        const stream = newStream();
        await appendOne(log, appendOf(stream, 'none', newEvent('here')));
        server.faults.plan('read', { kind });
        expect(await log.read(stream)).to.have.length(1);
        server.faults.plan('read', { kind });
        expect(await readAllPages(log)).to.have.length(1);
      });
    }

    it('is unavailable while it is refused, and logs why', async () => {
      server.faults.plan('read', { kind: 'access-denied' });
      await unavailable(log.read(newStream()));
      expect(log.health()).to.include({ writable: false, fatal: false });
      expect(log.health().cause).to.contain('Access Denied');
      await pollUntil('it is found well again', 5_000, async () => log.health().writable);
    });

    it('keeps the engine healthy when the server answers one query with an error', async () => {
      await appendOne(log, appendOf(newStream(), 'none', newEvent('here')));
      const nowhere = `${(await log.head()).slice(0, -1)}f` as Position;
      const seen = new Set<boolean>();
      for (let count = 0; count < 3; count += 1) {
        await unavailable(log.evidence(nowhere, 1));
        seen.add(log.health().writable);
        await log.head();
        seen.add(log.health().writable);
      }
      expect([...seen]).to.deep.equal([true]);
    });

    it('marks the engine unhealthy when the query after an error fails too', async () => {
      server.faults.plan('read', { kind: 'unknown' }, 5);
      await unavailable(log.read(newStream()));
      await pollUntil('it is ill', 1_000, async () => !log.health().writable);
      expect(log.health().cause).to.contain('Unexpected error');
      await pollUntil('it is found well again', 5_000, async () => log.health().writable);
    });
  });

  it('erases no stream whose register entry was refused, in any process', async () => {
    const streams = [newStream(), newStream(), newStream()];
    for (const stream of streams) await appendOne(log, appendOf(stream, 'none', newEvent()));
    // The first is being entered while the others come, who share the next entry; envelopes come
    // before each.
    server.faults.plan('append', { kind: 'slow', milliseconds: 200 }, 3);
    server.faults.plan('append', { kind: 'access-denied' });
    const erased = await Promise.allSettled(streams.map((stream) => log.erase(stream)));
    expect(erased.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'rejected']);
    const left = await Promise.all(streams.map((stream) => log.read(stream)));
    expect(left.map(({ length }) => length)).to.deep.equal([0, 1, 1]);
  });

  it('is unavailable within seconds while the server is away, and recovers by itself', async () => {
    const stream = newStream();
    await appendOne(log, appendOf(stream, 'none', newEvent('before')));
    await server.close();
    const waited = idleAwareClock();
    await unavailable(appendOne(log, appendOf(stream, 0, newEvent('lost'))));
    await unavailable(log.read(stream));
    await unavailable(log.page(logStart, 10));
    await unavailable(log.head());
    await unavailable(log.streams('thing-', null, 10));
    await unavailable(log.erase(stream));
    expect(waited()).to.be.lessThan(6 * (patience.callMs + 1_000));
    expect(log.health().writable).to.equal(false);
    server = await startEventStoreServer({ dir, port: server.port });
    await pollUntil('it is found well again', 10_000, async () => log.health().writable);
    await appendOne(log, appendOf(stream, 0, newEvent('after')));
    expect((await log.read(stream)).map(({ data }) => data)).to.deep.equal(['before', 'after']);
  });

  it('returns nothing wrong while the network is frozen', async () => {
    const stream = newStream();
    await appendOne(log, appendOf(stream, 'none', newEvent('before')));
    network.pause();
    const append = appendOf(stream, 0, newEvent('after'));
    await unavailable(appendOne(log, append));
    await unavailable(log.read(stream));
    network.resume();
    await pollUntil('the append is answered', 10_000, () =>
      appendOne(log, append).then(
        (result) => result !== 'conflict',
        () => false,
      ),
    );
    expect((await log.read(stream)).map(({ data }) => data)).to.deep.equal(['before', 'after']);
  });

  it('loses and duplicates nothing while connections break under 16 writers', async () => {
    const acknowledged = new Map<StreamName, number>();
    const eachWrites = 20;
    let answered = 0;
    const writers = Array.from({ length: 16 }, async (_, writer) => {
      const stream = newStream(`writer${writer}`);
      for (let count = 0; count < eachWrites; count += 1) {
        const append = appendOf(stream, count === 0 ? 'none' : count - 1, newEvent(count));
        await pollUntil('an append is answered', 20_000, () =>
          appendOne(log, append).then(
            (result) => {
              expect(result).not.to.equal('conflict');
              return true;
            },
            () => false,
          ),
        );
        acknowledged.set(stream, count + 1);
        answered += 1;
        if (answered % eachWrites === 0) network.cut();
      }
    });
    const follower = followed(await open(), 16 * eachWrites);
    await Promise.all(writers);
    for (const [stream, count] of acknowledged) {
      const events = await log.read(stream);
      expect(events.map(({ data }) => data)).to.deep.equal(
        Array.from({ length: count }, (_, index) => index),
      );
    }
    const all = (await readAllPages(log)).map((event) => event.position);
    expect(await follower).to.deep.equal(all);
  });

  describe('following', () => {
    it('continues without a gap or a repeat when subscribers are dropped as too slow', async () => {
      server.subscribers.burstMax = 10;
      const each = 40;
      const total = 12 * each;
      const following = followed(log, total);
      const stream = newStream();
      for (let batch = 0; batch < 12; batch += 1) {
        const events = Array.from({ length: each }, (_, index) => newEvent(batch * each + index));
        await appendOne(log, appendOf(stream, batch === 0 ? 'none' : batch * each - 1, ...events));
        if (batch % 4 === 3) server.subscribers.drop();
      }
      const all = (await readAllPages(log)).map((event) => event.position);
      expect(await following).to.deep.equal(all);
      expect(all).to.have.length(total);
    });

    it('reopens a subscription that stopped silently', async () => {
      server.faults.plan('subscribe', { kind: 'silent' });
      const other = await open();
      const waiting = log.waitForGrowth(logStart);
      await appendOne(other, appendOf(newStream(), 'none', newEvent()));
      await waiting;
      const head = await log.head();
      const again = log.waitForGrowth(head);
      await appendOne(other, appendOf(newStream(), 'none', newEvent()));
      await again;
      expect((await log.page(head, 10)).events).to.have.length(1);
    });

    it('recovers when the server was away during a wait', async () => {
      const head = await log.head();
      const waiting = log.waitForGrowth(head);
      await server.close();
      server = await startEventStoreServer({ dir, port: server.port });
      const other = await open();
      await appendOne(other, appendOf(newStream(), 'none', newEvent('back')));
      await waiting;
      expect((await log.page(head, 10)).events.map(({ data }) => data)).to.deep.equal(['back']);
    });
  });
});

/** Positions as a reader at the end of the log gets them, until there are so many. */
const followed = async (log: EventLog, total: number): Promise<readonly string[]> => {
  const seen: string[] = [];
  for (let after = logStart; seen.length < total;) {
    try {
      await log.waitForGrowth(after);
      const page = await log.page(after, 50);
      seen.push(...page.events.map((event) => event.position));
      after = page.through;
    } catch (error) {
      expect(error).to.include({ code: 'unavailable' });
    }
  }
  return seen;
};
