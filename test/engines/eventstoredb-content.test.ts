import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStore } from '../../engines/eventstoredb/event-log.js';
import { logStart, type EventLog, type NewEvent, type StreamName } from '../../kernel/ports.js';
import { appendOne } from '../suites/event-log.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { readAllPages } from '../support/log-pages.js';

/** Incompressible enough to be found again byte by byte. */
const canary = 'canary-5f1c9a7e';
const large = (bytes: number, mark = ''): NewEvent =>
  newEvent({ mark, text: `${canary}${'é"\\'.repeat(Math.ceil(bytes / 6))}` });

/** The test server keeps content as base64: three texts, as the canary may begin. */
const filesWith = (dir: string, text: string): readonly string[] => {
  const needles = ['', 'x', 'xx'].map((before) =>
    Buffer.from(`${before}${text}`).toString('base64').slice(4, -4),
  );
  return readdirSync(dir).filter((name) => {
    const bytes = readFileSync(join(dir, name));
    return needles.some((needle) => bytes.includes(needle));
  });
};

describe('EventStoreDB content', function () {
  let server: EventStoreServer;
  let stranger: EventStoreDBClient;
  let log: EventLog;
  let dir: string;
  let remove: () => Promise<void>;
  const reopen = async (): Promise<void> => {
    await log.close();
    log = await openEventStore({ url: server.url });
  };
  beforeEach(async () => {
    ({ dir, remove } = await temporaryFolder());
    server = await startEventStoreServer({ dir });
    stranger = EventStoreDBClient.connectionString(server.url);
    log = await openEventStore({ url: server.url });
  });
  afterEach(async () => {
    await stranger.dispose();
    await log.close();
    await server.close();
    await remove();
  });

  it('reads events stored before salts existed, with a digest of the data alone', async () => {
    const stream = newStream();
    const { id, type, metadata } = newEvent();
    const stored = { ...metadata, assay: { id, bytes: 12 } };
    const old = jsonEvent({ id, type, data: { old: true }, metadata: stored });
    await stranger.appendToStream(`assay.${stream}`, old);
    const [event] = (await log.evidence(logStart, 10)).events;
    const digest = createHash('sha256').update('{"old":true}').digest('hex');
    expect([event?.id, event?.salt, event?.digest]).to.deep.equal([id, null, digest]);
  });

  describe('append larger than the server accepts', () => {
    it('is one event as if there were no limit, also when it is read in pages', async () => {
      const stream = newStream();
      const events = [newEvent('small'), large(3_500_000), newEvent('after')];
      await appendOne(log, appendOf(stream, 'none', ...events));
      await reopen();
      const read = await log.read(stream);
      expect(read.map(({ data }) => data)).to.deep.equal(events.map(({ data }) => data));
      expect(read.map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
      expect(await readAllPages(log)).to.deep.equal(read);
      expect(await log.streams('', null, 10)).to.deep.equal([stream]);
    });

    it('may consist of many events, each small enough', async () => {
      const stream = newStream();
      const events = Array.from({ length: 40 }, (_, index) => large(60_000, String(index)));
      await appendOne(log, appendOf(stream, 'none', ...events));
      const read = await log.read(stream);
      expect(read.map(({ data }) => data)).to.deep.equal(events.map(({ data }) => data));
    });

    it('is one append however often it is sent, and refused with another payload', async () => {
      const append = appendOf(newStream(), 'none', large(2_000_000, 'first'));
      const first = await appendOne(log, append);
      await reopen();
      expect(await appendOne(log, append)).to.deep.equal(first);
      const [event] = append.events;
      const other = { ...large(2_000_000, 'other'), id: event?.id ?? '' };
      expect(await appendOne(log, { ...append, events: [other] })).to.equal('conflict');
      expect(await log.read(append.stream)).to.have.length(1);
    });

    it('lets one of several appends at the same revision win', async () => {
      const stream = newStream();
      const results = await Promise.all(
        Array.from({ length: 4 }, (_, index) =>
          appendOne(log, appendOf(stream, 'none', large(1_200_000, String(index)))),
        ),
      );
      expect(results.filter((result) => result !== 'conflict')).to.have.length(1);
      const [event] = await log.read(stream);
      const winner = String(results.findIndex((result) => result !== 'conflict'));
      expect(event?.data).to.include({ mark: winner });
    });

    it('is stored once when responses get lost', async () => {
      for (const kind of ['lost-answer', 'unavailable'] as const) {
        server.faults.plan('append', { kind }, 2);
        const append = appendOf(newStream(), 'none', large(1_500_000));
        await appendOne(log, append);
        const [event, ...others] = await log.read(append.stream);
        expect(event?.data).to.deep.equal(append.events[0]?.data);
        expect(others).to.deep.equal([]);
      }
    });
  });

  it('keeps nothing of an erased stream after a scavenge, nor parts that lost a race', async () => {
    const [gone, kept] = [newStream(), newStream()];
    await Promise.all([
      appendOne(log, appendOf(gone, 'none', large(1_500_000), newEvent(`${canary} small`))),
      appendOne(log, appendOf(gone, 'none', large(1_500_000))),
    ]);
    await appendOne(log, appendOf(kept, 'none', newEvent('kept')));
    expect(filesWith(dir, canary)).not.to.deep.equal([]);
    await log.erase(gone);
    await server.store.scavenge();
    await reopen();
    expect((await readAllPages(log)).map(({ data }) => data)).to.deep.equal(['kept']);
    expect(await log.read(gone)).to.deep.equal([]);
    expect(await appendOne(log, appendOf(gone, 'none', large(1_500_000)))).to.equal('conflict');
    // A refused append could leave parts: the stream of parts refuses them as well.
    expect(filesWith(dir, canary)).to.deep.equal([]);
  });

  it('hides a stream in every process once one has erased it', async () => {
    const other = await openEventStore({ url: server.url });
    const [gone, kept] = [newStream(), newStream()];
    await appendOne(log, appendOf(gone, 'none', newEvent(1), newEvent(2)));
    await appendOne(log, appendOf(kept, 'none', newEvent(3)));
    expect(await readAllPages(other)).to.have.length(3);
    await log.erase(gone);
    expect((await readAllPages(other)).map(({ data }) => data)).to.deep.equal([3]);
    expect(await other.read(gone)).to.deep.equal([]);
    expect(await other.streams('', null, 10)).to.deep.equal([kept]);
    expect(await appendOne(other, appendOf(gone, 1, newEvent()))).to.equal('conflict');
    await other.close();
  });

  it('erases one stream from many processes at once', async () => {
    const other = await openEventStore({ url: server.url });
    const streams = Array.from({ length: 60 }, () => newStream());
    await log.append(streams.map((stream) => appendOf(stream, 'none', newEvent())));
    await Promise.all(
      streams.flatMap((stream) => [log.erase(stream), other.erase(stream), other.erase(stream)]),
    );
    expect(await readAllPages(log)).to.deep.equal([]);
    expect(await readAllPages(other)).to.deep.equal([]);
    await other.close();
  });

  it('hides a stream whose erasure was interrupted by a crash', async () => {
    const stream = newStream();
    await appendOne(log, appendOf(stream, 'none', newEvent()));
    server.faults.plan('delete', { kind: 'access-denied' }, 2);
    await log.erase(stream).catch(() => null);
    await reopen();
    expect(await readAllPages(log)).to.deep.equal([]);
    server.faults.clear();
    await log.erase(stream);
    expect(await appendOne(log, appendOf(stream, 0, newEvent()))).to.equal('conflict');
  });

  describe('events of others on the same server', () => {
    it('are skipped by pages, head, streams and waits', async () => {
      const noise = Array.from({ length: 80 }, (_, n) => jsonEvent({ type: 'Noise', data: { n } }));
      const events = [newEvent('a'), newEvent('b')];
      const stream = newStream();
      await stranger.appendToStream('somebody-1', noise);
      expect(await log.head()).to.equal(logStart);
      expect(await log.page(logStart, 10)).to.deep.equal({
        events: [],
        erased: [],
        through: logStart,
      });
      await appendOne(log, appendOf(stream, 'none', ...events.slice(0, 1)));
      await stranger.appendToStream('$stats-0.0.0.0:2113', noise);
      await appendOne(log, appendOf(stream, 0, ...events.slice(1)));
      const head = await log.head();
      await stranger.appendToStream('assay2.thing-1', noise);
      for (const limit of [1, 2, 100]) {
        const read = await readAllPages(log, logStart, limit);
        expect(read.map(({ data }) => data)).to.deep.equal(['a', 'b']);
        expect(read.at(-1)?.position).to.equal(head);
      }
      expect(await log.head()).to.equal(head);
      expect(await log.streams('thing-', null, 10)).to.deep.equal([stream]);
      const waiting = log.waitForGrowth(head);
      await stranger.appendToStream('somebody-1', noise);
      const ended = await Promise.race([waiting.then(() => 'grown'), log.head().then(() => null)]);
      expect(ended).to.equal(null);
      await appendOne(log, appendOf(stream, 1, newEvent('c')));
      await waiting;
      expect((await log.page(head, 10)).events.map(({ data }) => data)).to.deep.equal(['c']);
    });

    it('may be another log of this service', async () => {
      const other = await openEventStore({ url: server.url, space: 'other' });
      const stream = newStream();
      await appendOne(log, appendOf(stream, 'none', newEvent('here')));
      await appendOne(other, appendOf(stream, 'none', newEvent('there')));
      expect((await readAllPages(log)).map(({ data }) => data)).to.deep.equal(['here']);
      expect((await readAllPages(other)).map(({ data }) => data)).to.deep.equal(['there']);
      await other.erase(stream);
      expect(await log.read(stream)).to.have.length(1);
      await other.close();
    });
  });

  it('lists streams again at the cost of newer events only', async () => {
    const streams = ['thing-a-1', 'thing-a-2', 'thing-b-1', 'other-a-1'];
    const listed = (prefix: string): Promise<readonly StreamName[]> =>
      log.streams(prefix, null, 10);
    await log.append(streams.map((name) => appendOf(name as StreamName, 'none', newEvent())));
    expect(await listed('thing-a-')).to.deep.equal(['thing-a-1', 'thing-a-2']);
    await appendOne(log, appendOf('thing-a-3' as StreamName, 'none', newEvent()));
    expect(await listed('thing-b-')).to.deep.equal(['thing-b-1']);
    expect(await listed('thing-a-')).to.deep.equal(['thing-a-1', 'thing-a-2', 'thing-a-3']);
    expect(await log.streams('thing-a-', 'thing-a-1x' as StreamName, 1)).to.deep.equal([
      'thing-a-2',
    ]);
    await log.erase('thing-a-2' as StreamName);
    expect(await listed('thing-a-')).to.deep.equal(['thing-a-1', 'thing-a-3']);
    expect(await listed('thing')).to.have.length(3);
    expect(await Promise.all(['', 'other-', 'nothing-'].map(listed))).to.deep.equal([
      ['other-a-1', 'thing-a-1', 'thing-a-3', 'thing-b-1'],
      ['other-a-1'],
      [],
    ]);
  });

  describe("operator's changes to a stream", () => {
    it('do not stop the log: a soft-deleted stream reads as empty and goes on', async () => {
      const stream = newStream();
      await appendOne(log, appendOf(stream, 'none', newEvent(0), newEvent(1)));
      await stranger.deleteStream(`assay.${stream}`);
      expect(await log.read(stream)).to.deep.equal([]);
      await appendOne(log, appendOf(stream, 'none', newEvent(2)));
      const [event] = await log.read(stream);
      expect(event).to.include({ data: 2, revision: 2 });
      await appendOne(log, appendOf(stream, 2, newEvent(3)));
      expect((await readAllPages(log)).at(-1)).to.include({ data: 3, revision: 3 });
    });

    it('do not stop the log: a tombstoned stream reads as empty and rejects appends', async () => {
      const [gone, kept] = [newStream(), newStream()];
      await appendOne(log, appendOf(gone, 'none', newEvent(0)));
      await stranger.tombstoneStream(`assay.${gone}`);
      await appendOne(log, appendOf(kept, 'none', newEvent(1)));
      expect(await log.read(gone)).to.deep.equal([]);
      expect(await appendOne(log, appendOf(gone, 0, newEvent()))).to.equal('conflict');
      expect((await readAllPages(log)).at(-1)?.stream).to.equal(kept);
    });

    it('do not stop the log: notes without metadata are not events of it', async () => {
      const decoding = await openEventStore({
        url: server.url,
        decode: (type, schema) => {
          throw new TypeError(`${type} version ${schema} is not known`);
        },
      });
      const stream = newStream();
      await stranger.appendToStream(`assay.${stream}`, jsonEvent({ type: 'Note', data: {} }));
      expect(await log.read(stream)).to.have.length(1);
      expect((await log.read(stream))[0]?.metadata).to.deep.equal({ schema: 0 });
      const error = await decoding.read(stream).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
      await decoding.close();
    });
  });

  it('rejects an event whose id is not a uuid, and a stream without a name', async () => {
    const events = [{ ...newEvent(), id: 'not-a-uuid' }];
    for (const append of [
      { stream: newStream(), expected: 'none' as const, events },
      { ...appendOf(newStream(), 'none', newEvent()), stream: '' as never },
    ]) {
      const error = await log.append([append]).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
    }
    expect(await readAllPages(log)).to.deep.equal([]);
  });
});
