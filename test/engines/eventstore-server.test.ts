import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  binaryEvent,
  EventStoreDBClient,
  eventTypeFilter,
  jsonEvent,
  streamNameFilter,
  type EventData,
} from '@eventstore/db-client';
import { expect } from 'chai';
import { temporaryFolder } from '../support/folder.js';
import {
  startEventStoreServer,
  type EventStoreServer,
} from '../support/eventstore-server/server.js';

const given = process.env['ASSAY_TEST_EVENTSTORE_URL'];

const event = (data: object = {}, id: string = randomUUID()): EventData =>
  jsonEvent({ id, type: 'Happened', data: { ...data } });
const events = (count: number): EventData[] =>
  Array.from({ length: count }, (_, index) => event({ index }));
const newName = (): string => `fidelity-${randomUUID()}`;

const failed = async (
  work: Promise<unknown>,
): Promise<{ readonly type?: string; readonly [name: string]: unknown }> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return (error ?? {}) as { type?: string };
};

/**
 * Behaviour of a real server (22.10.5) with this client, checked on the test server, and on a real
 * one if its URL is set. Both ways of appending.
 */
const fidelity = (name: string, open: () => Promise<Opened>): void => {
  describe(`a server's behaviour: ${name}`, function () {
    let opened: Opened;
    let client: EventStoreDBClient;
    before(async () => {
      opened = await open();
      ({ client } = opened);
    });
    after(() => opened.close());
    const read = (stream: string) => Array.fromAsync(client.readStream(stream));

    it('answers wrong-expected-version with both versions', async () => {
      const stream = newName();
      await client.appendToStream(stream, events(2), { expectedRevision: 'no_stream' });
      for (const expectedRevision of ['no_stream', 0n, 5n] as const) {
        const error = await failed(client.appendToStream(stream, event(), { expectedRevision }));
        expect(error).to.deep.include({
          type: 'wrong-expected-version',
          streamName: stream,
          expectedVersion: expectedRevision,
          actualVersion: 1n,
        });
      }
      const absent = newName();
      const error = await failed(client.appendToStream(absent, event(), { expectedRevision: 3n }));
      expect(error).to.include({ type: 'wrong-expected-version', actualVersion: 'no_stream' });
      const deleting = await failed(client.deleteStream(stream, { expectedRevision: 7n }));
      expect(deleting).to.include({ type: 'wrong-expected-version', code: 9 });
    });

    it('knows the same ids at the same expected revision, whatever their data', async () => {
      const stream = newName();
      const batch = events(3);
      const first = await client.appendToStream(stream, batch, { expectedRevision: 'no_stream' });
      await client.appendToStream(stream, events(2), { expectedRevision: 2n });
      const others = batch.map(({ id }) => event({ another: true }, id));
      for (const again of [batch, others]) {
        const result = await client.appendToStream(stream, again, {
          expectedRevision: 'no_stream',
        });
        expect(result).to.deep.equal(first);
      }
      const prefix = await client.appendToStream(stream, batch.slice(0, 2), {
        expectedRevision: 'no_stream',
      });
      expect(prefix.nextExpectedRevision).to.equal(1n);
      const longer = client.appendToStream(stream, [...batch, ...events(3)], {
        expectedRevision: 'no_stream',
      });
      expect(await failed(longer)).to.include({ type: 'wrong-expected-version' });
      expect(await read(stream)).to.have.length(5);
    });

    it('takes the same ids again at the current revision, and in other streams', async () => {
      const [stream, other] = [newName(), newName()];
      const batch = events(1);
      await client.appendToStream(stream, batch, { expectedRevision: 'no_stream' });
      await client.appendToStream(stream, batch, { expectedRevision: 0n });
      await client.appendToStream(other, batch, { expectedRevision: 'no_stream' });
      expect(await read(stream)).to.have.length(2);
    });

    it('takes 1 MiB of data in one append and no byte more', async () => {
      const mebibyte = 1_048_576;
      const of = (bytes: number): EventData =>
        binaryEvent({ type: 'Large', data: Buffer.alloc(bytes, 7) });
      const halves = [of(mebibyte / 2), of(mebibyte / 2)];
      await client.appendToStream(newName(), halves, { expectedRevision: 'no_stream' });
      const tooMuch = client.appendToStream(newName(), [...halves, of(1)], {
        expectedRevision: 'no_stream',
      });
      expect(await failed(tooMuch)).to.include({
        type: 'maximum-append-size-exceeded',
        maxAppendSize: mebibyte,
      });
    });

    it('finds no stream that is absent or soft-deleted, and counts on after that', async () => {
      const stream = newName();
      expect(await failed(read(stream))).to.include({ type: 'stream-not-found' });
      await client.appendToStream(stream, events(3), { expectedRevision: 'no_stream' });
      await client.deleteStream(stream);
      expect(await failed(read(stream))).to.include({ type: 'stream-not-found' });
      await client.appendToStream(stream, events(2), { expectedRevision: 'no_stream' });
      const revisions = (await read(stream)).map((one) => one.event?.revision);
      expect(revisions).to.deep.equal([3n, 4n]);
    });

    it('says stream-deleted of a tombstoned stream, on read and append', async () => {
      const [stream, never] = [newName(), newName()];
      await client.appendToStream(stream, events(1), { expectedRevision: 'no_stream' });
      await client.tombstoneStream(stream);
      await client.tombstoneStream(never);
      const append = (name: string) =>
        client.appendToStream(name, event(), { expectedRevision: 'no_stream' });
      for (const work of [
        () => read(stream),
        () => append(stream),
        () => append(never),
        () => client.getStreamMetadata(stream),
        () => client.tombstoneStream(stream),
      ]) {
        expect(await failed(work())).to.include({ type: 'stream-deleted' });
      }
    });

    it('reads everything from a position inclusive forwards and exclusive backwards', async () => {
      const stream = newName();
      await client.appendToStream(stream, events(3), { expectedRevision: 'no_stream' });
      const positions = (await read(stream)).map((one) => one.event?.position);
      const [first, second] = positions;
      if (first === undefined || second === undefined) throw new Error('positions are missing');
      const at = async (direction: 'forwards' | 'backwards') =>
        (
          await Array.fromAsync(client.readAll({ direction, fromPosition: second, maxCount: 1 }))
        ).map((one) => one.event?.position);
      expect(await at('forwards')).to.deep.equal([second]);
      expect(await at('backwards')).to.deep.equal([first]);
      const nowhere = { commit: second.commit + 1n, prepare: second.prepare + 1n };
      const error = await failed(
        Array.fromAsync(client.readAll({ fromPosition: nowhere, maxCount: 1 })),
      );
      expect(error).to.include({ type: 'unknown', code: 2 });
      const followed = failed(Array.fromAsync(client.subscribeToAll({ fromPosition: nowhere })));
      expect(await followed).to.include({ type: 'unknown', code: 2 });
      expect(await Array.fromAsync(client.readStream(stream, { fromRevision: 10n }))).to.deep.equal(
        [],
      );
    });

    it('returns erased events and the tombstone to readers of everything', async () => {
      const stream = newName();
      await client.appendToStream(stream, events(2), { expectedRevision: 'no_stream' });
      const [first] = await read(stream);
      await client.tombstoneStream(stream);
      const from = first?.event?.position ?? 'start';
      const found = await Array.fromAsync(client.readAll({ fromPosition: from }));
      const ours = found.flatMap((one) => (one.event?.streamId === stream ? [one.event] : []));
      expect(ours.map(({ type }) => type)).to.deep.equal([
        'Happened',
        'Happened',
        '$streamDeleted',
      ]);
      expect(ours.at(-1)?.revision).to.equal(9_223_372_036_854_775_807n);
    });

    it('subscribes to everything after a position, filtered, with checkpoints', async () => {
      const [stream, other] = [newName(), newName()];
      await client.appendToStream(stream, events(2), { expectedRevision: 'no_stream' });
      const position = (await read(stream))[0]?.event?.position;
      if (position === undefined) throw new Error('the position is missing');
      const marks: bigint[] = [];
      const subscription = client.subscribeToAll({
        fromPosition: position,
        filter: streamNameFilter({
          prefixes: [stream, other],
          maxSearchWindow: 32,
          checkpointInterval: 1,
          checkpointReached: async (_subscription, { commit }) => void marks.push(commit),
        }),
      });
      const seen: (string | undefined)[] = [];
      const write = async (): Promise<void> => {
        for (let count = 0; count < 5; count += 1) {
          await client.appendToStream(`noise-${newName()}`, events(20), {
            expectedRevision: 'no_stream',
          });
        }
        await client.appendToStream(other, event(), { expectedRevision: 'no_stream' });
        await client.tombstoneStream(stream);
      };
      void write();
      for await (const one of subscription) {
        seen.push(`${one.event?.streamId === stream ? 'stream' : 'other'} ${one.event?.type}`);
        if (one.event?.type === '$streamDeleted') break;
      }
      await subscription.unsubscribe();
      expect(seen).to.deep.equal(['stream Happened', 'other Happened', 'stream $streamDeleted']);
      expect(marks.length).to.be.greaterThan(0);
    });

    it('subscribes by type and to one stream, which ends with its tombstone', async () => {
      const stream = newName();
      const type = `Type-${randomUUID()}`;
      await client.appendToStream(stream, jsonEvent({ type, data: {} }), {
        expectedRevision: 'no_stream',
      });
      const byType = client.subscribeToAll({ filter: eventTypeFilter({ prefixes: [type] }) });
      for await (const one of byType) {
        expect(one.event?.streamId).to.equal(stream);
        break;
      }
      await byType.unsubscribe();
      const byStream = client.subscribeToStream(stream);
      const revisions: (bigint | undefined)[] = [];
      const follow = async (): Promise<void> => {
        for await (const one of byStream) {
          if (revisions.length === 0) void client.tombstoneStream(stream);
          revisions.push(one.event?.revision);
        }
      };
      expect(await failed(follow())).to.include({ type: 'stream-deleted' });
      expect(revisions).to.deep.equal([0n, 9_223_372_036_854_775_807n]);
    });
  });
};
type Opened = {
  readonly client: EventStoreDBClient;
  readonly server: EventStoreServer | null;
  readonly close: () => Promise<void>;
};

const opened = (listsFeatures: boolean) => async (): Promise<Opened> => {
  const { dir, remove } = await temporaryFolder();
  const server = await startEventStoreServer({ dir, listsFeatures });
  const client = EventStoreDBClient.connectionString(server.url);
  return {
    client,
    server,
    close: async () => {
      const used = listsFeatures ? server.counts.batchAppend : server.counts.append;
      expect(used).to.be.greaterThan(0);
      await client.dispose();
      await server.close();
      await remove();
    },
  };
};
fidelity('batch appends', opened(true));
fidelity('plain appends', opened(false));
if (given !== undefined) {
  fidelity('the server of ASSAY_TEST_EVENTSTORE_URL', async () => {
    const client = EventStoreDBClient.connectionString(given);
    return { client, server: null, close: () => client.dispose() };
  });
}

describe('the EventStoreDB test server', function () {
  it('drops live subscribers on command, with a reason', async () => {
    const { client, server, close } = await opened(true)();
    if (server === null) return;
    server.subscribers.burstMax = 32;
    await client.appendToStream('a', event(), { expectedRevision: 'no_stream' });
    const subscription = client.subscribeToAll();
    let count = 0;
    const follow = async (): Promise<void> => {
      for await (const { event: one } of subscription) {
        count += one === undefined ? 0 : 1;
        if (count !== 1) continue;
        void client.appendToStream('b', events(200), { expectedRevision: 'no_stream' });
      }
    };
    const error = await failed(follow());
    expect(error).to.include({ type: 'timeout', code: 10 });
    expect(String(error['message'])).to.contain('Consumer too slow');
    await close();
  });

  it('runs as a process, and recovers everything after SIGKILL', async () => {
    const { dir, remove } = await temporaryFolder();
    const main = fileURLToPath(new URL('../support/eventstore-server/main.js', import.meta.url));
    const start = async (port: number) => {
      const child = spawn(process.execPath, [main, '--dir', dir, '--port', String(port)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      return { child, port: Number(line.toString()) };
    };
    const first = await start(0);
    const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${first.port}?tls=false`);
    const batch = events(3);
    const result = await client.appendToStream('a', batch, { expectedRevision: 'no_stream' });
    await client.appendToStream('soft', events(2), { expectedRevision: 'no_stream' });
    await client.deleteStream('soft');
    await client.tombstoneStream('hard');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await start(first.port);
    const other = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${second.port}?tls=false`);
    const again = await other.appendToStream('a', batch, { expectedRevision: 'no_stream' });
    expect(again).to.deep.equal(result);
    expect(await Array.fromAsync(other.readStream('a'))).to.have.length(3);
    expect(await failed(Array.fromAsync(other.readStream('soft')))).to.include({
      type: 'stream-not-found',
    });
    expect(await failed(Array.fromAsync(other.readStream('hard')))).to.include({
      type: 'stream-deleted',
    });
    const exited = once(second.child, 'exit');
    second.child.kill('SIGTERM');
    expect(await exited).to.deep.equal([0, null]);
    await Promise.all([client.dispose(), other.dispose()]);
    await remove();
  });
});
