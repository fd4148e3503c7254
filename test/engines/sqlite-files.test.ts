import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDatabase } from '../../engines/sqlite/database.js';
import { openBus } from '../../engines/memory/bus.js';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { openEventLog, openEventReader } from '../../engines/sqlite/event-log.js';
import { Fault } from '../../kernel/fault.js';
import type { NotificationBus, EventLog, EventReader, StreamName } from '../../kernel/ports.js';
import { positionAt, dumpAll, checkpointAt, sampleCollection } from '../suites/sample-documents.js';
import { appendOne } from '../suites/event-log.js';
import { temporaryFolder } from '../support/folder.js';
import { appendOf, newEvent, newStream } from '../support/new-events.js';
import { pollUntil } from '../support/poll-until.js';

/** Files of the folder that hold the text, byte for byte. */
const filesWith = async (dir: string, text: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const name of await readdir(dir)) {
    if ((await readFile(join(dir, name))).includes(text)) found.push(name);
  }
  return found;
};

describe('SQLite log files', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let bus: NotificationBus;
  let log: EventLog;
  beforeEach(async () => {
    folder = await temporaryFolder();
    bus = openBus(folder.dir);
    log = await openEventLog({ dir: folder.dir, bus });
  });
  afterEach(async () => {
    await log.close();
    await bus.close();
    await folder.remove();
  });

  it('hold no byte of an erased stream, while the log is open and after', async () => {
    const canary = 'canary-that-must-go';
    const gone = newStream();
    const neighbours = newStream();
    const texts = [canary, `${canary} ${'x'.repeat(50_000)} ${canary}`, canary.repeat(40)];
    for (const [index, text] of texts.entries()) {
      const expected = index === 0 ? 'none' : index - 1;
      await appendOne(log, appendOf(gone, expected, newEvent({ text })));
      await appendOne(log, appendOf(neighbours, expected, newEvent('y'.repeat(index * 1_000))));
    }
    expect(await filesWith(folder.dir, canary)).not.to.deep.equal([]);
    await log.erase(gone);
    expect(await filesWith(folder.dir, canary)).to.deep.equal([]);
    expect(await log.read(neighbours)).to.have.length(texts.length);
    await log.close();
    expect(await filesWith(folder.dir, canary)).to.deep.equal([]);
  });

  it('are read without notifications too, only a little later', async () => {
    const deaf = openBus('nobody publishes here');
    const reader = await openEventReader({ dir: folder.dir, bus: deaf });
    const head = await reader.head();
    const hours = setInterval(() => {}, 1_000_000);
    const grown = reader.waitForGrowth(head);
    await appendOne(log, appendOf(newStream(), 'none', newEvent()));
    await grown;
    clearInterval(hours);
    expect(await reader.head()).to.equal(await log.head());
    await reader.close();
    await deaf.close();
  });

  it('hold an event id once, also when another stream has that payload at that place', async () => {
    const event = newEvent({ amount: 1 });
    await appendOne(log, appendOf(newStream(), 'none', event));
    const other = newStream();
    expect(await appendOne(log, appendOf(other, 'none', event))).to.equal('conflict');
    expect(await log.read(other)).to.deep.equal([]);
  });

  it('are rejected when a newer build has written them', async () => {
    await log.close();
    const database = openDatabase(join(folder.dir, 'log.sqlite'));
    database.pragma('user_version = 99');
    database.close();
    const refusal = await openEventLog({ dir: folder.dir, bus }).catch((error: unknown) => error);
    expect(refusal)
      .to.be.instanceOf(Fault)
      .with.property('message')
      .that.matches(/layout 99/);
    expect(refusal).to.have.property('message').that.includes(folder.dir);
  });

  it('open when written before salts existed, whose events then have none', async () => {
    await appendOne(log, appendOf(newStream(), 'none', newEvent({ old: true })));
    await log.close();
    const database = openDatabase(join(folder.dir, 'log.sqlite'));
    for (const column of ['salt', 'digest']) {
      database.exec(`ALTER TABLE events DROP COLUMN ${column}`);
    }
    database.exec('DROP TABLE sums');
    database.pragma('user_version = 1');
    database.close();
    const digest = createHash('sha256').update('{"old":true}').digest('hex');
    const found = async (reader: EventReader): Promise<unknown> =>
      (await reader.evidence(positionAt(0), 10)).events.map((event) => [event.salt, event.digest]);
    const reader = await openEventReader({ dir: folder.dir, bus });
    expect(await found(reader), 'read before it was opened').to.deep.equal([[null, digest]]);
    log = await openEventLog({ dir: folder.dir, bus });
    await appendOne(log, appendOf(newStream(), 'none', newEvent({ old: false })));
    const [old, young] = (await log.evidence(positionAt(0), 10)).events;
    expect([old?.salt, old?.digest]).to.deep.equal([null, digest]);
    expect(young?.salt).to.have.length(32);
    expect((await reader.evidence(positionAt(0), 10)).events).to.deep.equal([old, young]);
    await reader.close();
    const { stream = newStream() } = old ?? {};
    await log.erase(stream);
    const gone = { ...old, data: null };
    expect((await log.evidence(positionAt(0), 10)).events).to.deep.equal([gone, young]);
  });

  it('list streams behind thousands that were erased', async () => {
    const names = Array.from({ length: 1_200 }, (_, n) => `thing-${1_000 + n}` as StreamName);
    await log.append(names.map((name) => appendOf(name, 'none', newEvent())));
    await Promise.all(names.slice(0, 1_100).map((name) => log.erase(name)));
    const left = names.slice(1_100);
    expect(await log.streams('thing-', null, 5)).to.deep.equal(left.slice(0, 5));
    expect(await log.streams('thing-', null, 1_000)).to.deep.equal(left);
    expect(await log.streams('thing-', left[98] ?? null, 1_000)).to.deep.equal(left.slice(99));
  });

  it('are closed with all that was sent before', async () => {
    const sent = Promise.all(
      Array.from({ length: 200 }, () => appendOne(log, appendOf(newStream(), 'none', newEvent()))),
    );
    await log.close();
    expect(new Set(await sent)).not.to.include('conflict');
    const late = await log
      .append([appendOf(newStream(), 'none', newEvent())])
      .catch((error: unknown) => error);
    expect(late).to.be.instanceOf(Fault).with.property('code', 'unavailable');
    log = await openEventLog({ dir: folder.dir, bus });
    expect((await log.page(positionAt(0), 1_000)).events).to.have.length(200);
  });

  it('checkpoint the WAL while writing goes on', async () => {
    const text = 'z'.repeat(900_000);
    for (let round = 0; round < 60; round += 1) {
      await log.append([appendOf(newStream(), 'none', newEvent(text))]);
    }
    const sizes = await Promise.all(
      ['log.sqlite', 'log.sqlite-wal'].map((name) => readFile(join(folder.dir, name))),
    );
    expect(sizes[0]?.length).to.be.greaterThan(30_000_000);
    expect(sizes[1]?.length).to.be.lessThan(45_000_000);
  });
});

describe('SQLite document files', () => {
  it('lose unfinished shadows of a crash, and keep the live generation', async () => {
    const { dir, remove } = await temporaryFolder();
    const documents = await openDocuments({ dir });
    const document = { key: 'a', scope: 'here', fields: {}, body: 'the mark of the copy' };
    await documents.apply(sampleCollection, [], checkpointAt(3));
    const copy = await documents.shadow(sampleCollection);
    await copy.model.apply(sampleCollection, [{ key: 'a', document }], checkpointAt(9));
    await documents.close();
    const again = await openDocuments({ dir });
    expect(await again.checkpoint(sampleCollection)).to.equal(positionAt(3));
    expect(await dumpAll(again, sampleCollection)).to.deep.equal([]);
    await again.close();
    const database = openDatabase(join(dir, 'documents.sqlite'));
    const tables = database.prepareValue(
      `SELECT name FROM sqlite_schema WHERE name LIKE 'documents_%'`,
    );
    expect(tables.all()).to.deep.equal(['documents_1', 'documents_1_newest', 'documents_1_named']);
    database.close();
    await remove();
  });

  it('drop deleted content after a while', async () => {
    const { dir, remove } = await temporaryFolder();
    const documents = await openDocuments({ dir, truncateWalAfterMs: 20 });
    const canary = 'a-canary-that-was-deleted';
    const document = (key: string, body: string) => ({
      key,
      document: { key, scope: 'here', fields: {}, body },
    });
    await documents.apply(
      sampleCollection,
      [document('a', canary), document('b', 'stays')],
      checkpointAt(1),
    );
    expect(await filesWith(dir, canary)).not.to.deep.equal([]);
    await documents.apply(sampleCollection, [{ key: 'a', document: null }], checkpointAt(2));
    const isForgotten = async () => (await filesWith(dir, canary)).length === 0;
    await pollUntil('the canary is forgotten', 5_000, isForgotten);
    expect(await filesWith(dir, 'stays')).to.deep.equal(['documents.sqlite']);
    expect(await dumpAll(documents, sampleCollection)).to.have.length(1);
    await documents.close();
    await remove();
  });
});
