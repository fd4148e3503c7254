import { createHash } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { logStart, type EventLog, type StreamName } from '../../kernel/ports.js';
import { evidenceIn } from '../suites/event-log-evidence.js';
import { appendOne } from '../suites/event-log.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { runs } from '../support/runs.js';
import { pollUntil } from '../support/poll-until.js';

describe('EventStoreDB envelopes of erased events', function () {
  let server: EventStoreServer;
  let log: EventLog;
  let other: EventLog;
  let remove: () => Promise<void>;
  const open = (): Promise<EventLog> => openEventStore({ url: server.url });
  beforeEach(async () => {
    const folder = await temporaryFolder();
    ({ remove } = folder);
    // Far apart, so that envelopes lie in many buckets.
    server = await startEventStoreServer({ dir: folder.dir, bytesPerPosition: 5_000_011n });
    [log, other] = [await open(), await open()];
  });
  afterEach(async () => {
    await Promise.all([log.close(), other.close()]);
    await server.close();
    await remove();
  });
  const filled = async (count: number): Promise<readonly StreamName[]> => {
    const streams = Array.from({ length: count }, () => newStream());
    for (const stream of streams) {
      await appendOne(log, appendOf(stream, 'none', newEvent(1), newEvent(2), newEvent(3)));
    }
    return streams;
  };
  /** The same to this process, to one that read before, and to a new one. */
  const seenByAll = async (): Promise<unknown> => {
    const fresh = await open();
    const found = await Promise.all([log, other, fresh].map((one) => evidenceIn(one, 7)));
    expect(found[1]).to.deep.equal(found[0]);
    expect(found[2]).to.deep.equal(found[0]);
    expect(await fresh.head()).to.equal(found[0]?.at(-1)?.position);
    await fresh.close();
    return found[0];
  };

  it('are the same in every process, before a scavenge and after, as more is erased', async () => {
    const streams = await filled(20);
    let expected = await evidenceIn(other);
    for (const [number, stream] of streams.toReversed().entries()) {
      await (number % 2 === 0 ? log : other).erase(stream);
      expected = expected.map((one) =>
        one.stream === stream ? { ...one, salt: null, data: null } : one,
      );
      if (number % 5 === 1) await server.store.scavenge();
      if (number % 3 === 0) expect(await seenByAll()).to.deep.equal(expected);
    }
    await server.store.scavenge();
    expect(await seenByAll()).to.deep.equal(expected);
    expect(await log.lag(logStart)).to.equal(60);
  });

  it('have a digest of the data alone for events stored before salts existed', async () => {
    const stranger = EventStoreDBClient.connectionString(server.url);
    const stream = newStream();
    const { id, type, metadata } = newEvent();
    const stored = { ...metadata, assay: { id, bytes: 12 } };
    const old = jsonEvent({ id, type, data: { old: true }, metadata: stored });
    await stranger.appendToStream(`assay.${stream}`, old);
    await log.erase(stream);
    const digest = createHash('sha256').update('{"old":true}').digest('hex');
    for (const wait of [async () => {}, server.store.scavenge]) {
      await wait();
      const [event] = (await log.page(logStart, 10)).erased;
      expect([event?.id, event?.digest]).to.deep.equal([id, digest]);
    }
    await stranger.dispose();
  });

  it('are migrated by the next erasure for streams that were erased without them', async () => {
    const stranger = EventStoreDBClient.connectionString(server.url);
    const [old, older, next] = await filled(3);
    if (old === undefined || older === undefined || next === undefined) return expect.fail();
    const before = await evidenceIn(log);
    const data = { streams: [old, older] };
    await stranger.appendToStream('assay:erased', jsonEvent({ type: 'StreamsErased', data }));
    for (const one of data.streams) await stranger.tombstoneStream(`assay.${one}`);
    await log.erase(next);
    await pollUntil('the register names them again', 5_000, async () => {
      let entries = 0;
      for await (const _ of stranger.readStream('assay:erased')) entries += 1;
      return entries === 3;
    });
    await server.store.scavenge();
    expect(await seenByAll()).to.deep.equal(
      before.map((one) => ({ ...one, salt: null, data: null })),
    );
    await stranger.dispose();
  });

  it('report the last scavenge of the node that is furthest behind', async () => {
    expect(await log.spaceReclaim()).to.deep.equal({ when: 'later', since: null });
    const operator = EventStoreDBClient.connectionString(server.url);
    const happened = async (type: string, scavengeId: string, node: string, result = 'Success') => {
      const data = { scavengeId, nodeEndpoint: node, result };
      await operator.appendToStream('$scavenges', jsonEvent({ type, data }));
      let at = '';
      for await (const { event } of operator.readStream('$scavenges')) {
        at = event?.created.toISOString() ?? '';
      }
      return at;
    };
    await happened('$scavengeStarted', 'one', 'a');
    expect(await log.spaceReclaim()).to.deep.equal({ when: 'later', since: null });
    await happened('$scavengeCompleted', 'one', 'a');
    await happened('$scavengeStarted', 'two', 'b');
    await happened('$scavengeCompleted', 'two', 'b');
    const since = await happened('$scavengeStarted', 'three', 'b');
    await happened('$scavengeCompleted', 'three', 'b');
    const newest = await happened('$scavengeStarted', 'four', 'a');
    await happened('$scavengeCompleted', 'four', 'a');
    await happened('$scavengeStarted', 'five', 'a');
    await happened('$scavengeCompleted', 'five', 'a', 'Failed');
    expect(newest >= since).to.equal(true);
    expect(await log.spaceReclaim()).to.deep.equal({ when: 'later', since });
    await operator.dispose();
  });

  it('include events that another process appended during the erasure', async () => {
    for (let round = 0; round < runs(10); round += 1) {
      const stream = newStream();
      await appendOne(log, appendOf(stream, 'none', newEvent(0)));
      let count = 1;
      const appending = async (): Promise<void> => {
        while (count < 6) {
          const result = await appendOne(other, appendOf(stream, count - 1, newEvent(count)));
          if (result === 'conflict') return;
          count += 1;
        }
      };
      await Promise.all([appending(), log.erase(stream)]);
      await server.store.scavenge();
      const found = (await evidenceIn(log, 100)).filter((one) => one.stream === stream);
      expect(found.map(({ revision }) => revision)).to.deep.equal([...Array(count).keys()]);
    }
  });

  it('retry an erasure, at most eight times, while other appends conflict', async () => {
    const stream = newStream();
    await appendOne(log, appendOf(stream, 'none', newEvent(0)));
    let last = 0;
    const meddle = async (): Promise<void> => {
      const result = await appendOne(other, appendOf(stream, last, newEvent(last)));
      if (result !== 'conflict') last += 1;
    };
    server.faults.plan('delete', { kind: 'held', until: meddle }, 1_000);
    const refused = await log.erase(stream).catch((error: unknown) => error);
    server.faults.clear();
    expect(refused).to.include({ code: 'unavailable' });
    await log.erase(stream);
    const found = (await evidenceIn(log, 100)).map(({ revision }) => revision);
    expect(found).to.deep.equal([...found.keys()]);
  });

  it('are complete after a crash at any write of an erasure', async () => {
    for (const kind of ['append', 'delete'] as const) {
      for (const before of [0, 1]) {
        const stream = newStream();
        await appendOne(log, appendOf(stream, 'none', newEvent(0), newEvent(1)));
        const expected = await evidenceIn(log, 100);
        if (before > 0) server.faults.plan(kind, { kind: 'slow', milliseconds: 1 }, before);
        server.faults.plan(kind, { kind: 'access-denied' });
        const died = await log.erase(stream).catch((error: unknown) => error);
        expect(died).to.include({ code: 'unavailable' });
        server.faults.clear();
        await other.erase(stream);
        await server.store.scavenge();
        expect(await seenByAll()).to.deep.equal(
          expected.map((one) => (one.stream === stream ? { ...one, salt: null, data: null } : one)),
        );
      }
    }
  });
});
