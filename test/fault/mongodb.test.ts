import { expect } from 'chai';
import { MongoClient, type Document as Stored } from 'mongodb';
import { openMongoDocuments } from '../../engines/mongodb/documents.js';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import { Fault } from '../../kernel/fault.js';
import type { Position } from '../../kernel/ports.js';
import type { Documents } from '../../kernel/documents.js';
import type { Records } from '../../kernel/records/records.js';
import {
  positionAt,
  dumpAll,
  checkpointAt,
  sampleCollection,
  writesOf,
} from '../suites/sample-documents.js';
import { idleAwareClock } from '../support/idle-aware-clock.js';
import { holdFirst, openMongoProxy, type MongoProxy } from '../support/mongo-proxy.js';
import { isOfRows, type MongoServer } from '../support/mongo.js';
import { groupsOf, idsOf, markAt, searchOf, traceId, traceRow } from '../support/record-rows.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

const thing = (key: string, body: unknown = key) => ({
  key,
  scope: 'here',
  fields: { name: null, created_at: null, size: null, is_red: null, owner: null },
  body,
});
const bodies = async (documents: Documents): Promise<readonly unknown[]> =>
  (await dumpAll(documents, sampleCollection)).map(({ key, value }) => [
    key,
    (value as { body: unknown }).body,
  ]);

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );

const insertsRows = (command: Stored): boolean => isOfRows(command['insert']);
const closesRows = (command: Stored): boolean => isOfRows(command['update']);
const commits = (command: Stored): boolean => command['update'] === 'models';

withMongo('batches on MongoDB', (server) => {
  let database: string;
  let wire: MongoProxy;
  /** Through the wire. */
  let first: Documents;
  let second: Documents;
  beforeEach(async () => {
    database = `faults-${process.pid}-${performance.now().toFixed(0)}`;
    wire = await openMongoProxy(server(), database);
    first = await openMongoDocuments({ url: wire.url });
    second = await openMongoDocuments({ url: server().url(database) });
    await first.apply(sampleCollection, writesOf(thing('a', 1), thing('b', 1)), checkpointAt(1));
  });
  afterEach(async () => {
    await first.close();
    await second.close();
    await wire.close();
    await dropDatabase(server().url(database));
  });

  const steps = {
    'before its rows': closesRows,
    'amid its rows': insertsRows,
    'before its mark': commits,
  };
  for (const [when, step] of Object.entries(steps)) {
    it(`show nothing if they break off ${when}, and are complete when repeated`, async () => {
      const writes = [...writesOf(thing('a', 2), thing('c', 2)), { key: 'b', document: null }];
      const held = holdFirst(wire, step);
      const broken = first.apply(sampleCollection, writes, checkpointAt(2));
      await held.came;
      expect(await bodies(second)).to.deep.equal([
        ['a', 1],
        ['b', 1],
      ]);
      held.release('cut');
      expect(await codeOf(broken)).to.equal('unavailable');
      expect(await second.checkpoint(sampleCollection)).to.equal(positionAt(1));
      expect(await bodies(second)).to.deep.equal([
        ['a', 1],
        ['b', 1],
      ]);
      await first.apply(sampleCollection, writes, checkpointAt(2));
      expect(await second.checkpoint(sampleCollection)).to.equal(positionAt(2));
      expect(await bodies(second)).to.deep.equal([
        ['a', 2],
        ['c', 2],
      ]);
    });

    it(`never show if their projector is replaced ${when}, however late`, async () => {
      const held = holdFirst(wire, step);
      const late = first.apply(
        sampleCollection,
        writesOf(thing('a', 'late'), thing('x', 'late')),
        checkpointAt(2, 1),
      );
      await held.came;
      await second.apply(sampleCollection, writesOf(thing('a', 2)), checkpointAt(3, 2));
      held.release('pass');
      expect(await codeOf(late)).to.equal('conflict');
      expect(await bodies(second)).to.deep.equal([
        ['a', 2],
        ['b', 1],
      ]);
      await second.apply(sampleCollection, writesOf(thing('c', 3)), checkpointAt(4, 2));
      expect(await bodies(first)).to.deep.equal([
        ['a', 2],
        ['b', 1],
        ['c', 3],
      ]);
    });
  }

  it('are not folded onto a server that lost the last one, until reopened', async () => {
    await first.apply(sampleCollection, writesOf(thing('a', 2)), checkpointAt(2));
    const client = await MongoClient.connect(server().url(database));
    const forgotten = { seq: 1, reserved: 1, position: positionAt(1), dead: [] };
    await client.db().collection('models').updateMany({}, { $set: forgotten });
    await client.close();
    const next = () => first.apply(sampleCollection, writesOf(thing('c', 3)), checkpointAt(3));
    expect(await codeOf(next())).to.equal('conflict');
    expect(await codeOf(next())).to.equal('conflict');
    const anew = await openMongoDocuments({ url: server().url(database) });
    expect(await anew.checkpoint(sampleCollection)).to.equal(positionAt(1));
    await anew.close();
  });

  it('show a reader the state of one moment, while many more are written', async () => {
    const keys = Array.from({ length: 50 }, (_, key) => `k${key}`);
    const last = 40;
    const write = async () => {
      for (let position = 2; position <= last; position += 1) {
        const all = keys.map((key) => thing(key, position));
        await first.apply(sampleCollection, writesOf(...all), checkpointAt(position));
      }
    };
    const writing = write();
    const seen: number[] = [];
    while (seen.at(-1) !== last) {
      const loaded = await second.load(sampleCollection, keys);
      const states = new Set([...loaded.values()].map(({ body }) => Number(body)));
      expect(states.size).to.be.at.most(1);
      seen.push(...states);
    }
    await writing;
    expect(seen).to.deep.equal(seen.toSorted((one, other) => one - other));
  });
});

withMongo('what MongoDB keeps', (server) => {
  it('is what can be seen, once the time for readers and late writers is over', async () => {
    const url = server().url();
    const keeping = { replaced: 0, dead: 0, copies: 0, sweepEvery: 0 };
    const documents = await openMongoDocuments({ url, keeping });
    const wire = await openMongoProxy(server(), new URL(url).pathname.slice(1));
    const broken = await openMongoDocuments({ url: wire.url });
    for (let place = 1; place <= 5; place += 1) {
      await documents.apply(
        sampleCollection,
        writesOf(thing('a', place), thing('b', place)),
        checkpointAt(place),
      );
    }
    wire.decideEach((command) => (commits(command) ? 'cut' : 'pass'));
    const late = broken.apply(sampleCollection, writesOf(thing('a', 'late')), checkpointAt(6));
    expect(await codeOf(late)).to.equal('unavailable');
    await documents.shadow(sampleCollection);
    const copy = await documents.shadow(sampleCollection);
    await copy.model.apply(sampleCollection, writesOf(thing('a', 'new')), checkpointAt(6));
    await documents.apply(sampleCollection, [], checkpointAt(6));
    const client = await MongoClient.connect(url);
    const rows = async (): Promise<number[]> => {
      const all = await client.db().listCollections().toArray();
      const names = all.map(({ name }) => name).filter(isOfRows);
      return Promise.all(names.map((name) => client.db().collection(name).countDocuments()));
    };
    // What was there when the sweep before the last one ended is still kept.
    await documents.apply(sampleCollection, writesOf(thing('a', 7)), checkpointAt(7));
    await documents.apply(sampleCollection, writesOf(thing('a', 8)), checkpointAt(8));
    expect(Math.max(...(await rows()))).to.be.at.most(4);
    expect(await bodies(documents)).to.deep.equal([
      ['a', 8],
      ['b', 5],
    ]);
    const models = await client.db().collection('models').find().toArray();
    expect(models.flatMap(({ dead }) => dead as unknown[])).to.deep.equal([]);
    await client.close();
    await broken.close();
    await wire.close();
    await documents.close();
    await dropDatabase(url);
  });
});

withMongo('a MongoDB that goes away', (server) => {
  it('is a Fault within seconds; all is there when it is back, not reopened', async function () {
    const mongo: MongoServer = server();
    if (!mongo.isOurs) this.skip();
    const url = mongo.url();
    const documents = await openMongoDocuments({ url });
    const records: Records = await openMongoRecords({ url });
    await documents.apply(sampleCollection, writesOf(thing('a')), checkpointAt(1));
    const writes = { groups: groupsOf([traceRow(1)]), deletedRuns: [], deletedProjects: [] };
    await records.apply(writes, markAt(1));
    await mongo.kill();
    const waited = idleAwareClock();
    const questions: readonly (() => Promise<unknown>)[] = [
      () => documents.get(sampleCollection, 'a'),
      () => documents.apply(sampleCollection, writesOf(thing('b')), checkpointAt(2)),
      () => records.search(searchOf()),
      () => records.checkpoint(),
    ];
    const codes = await Promise.all(questions.map((ask) => codeOf(ask())));
    expect(codes).to.deep.equal(questions.map(() => 'unavailable'));
    expect(waited()).to.be.lessThan(10_000);
    await mongo.restart();
    expect((await documents.get(sampleCollection, 'a'))?.body).to.equal('a');
    await documents.apply(sampleCollection, writesOf(thing('b')), checkpointAt(2));
    expect(await documents.checkpoint(sampleCollection)).to.equal(positionAt(2) satisfies Position);
    expect(idsOf((await records.search(searchOf())).rows)).to.deep.equal([traceId(1)]);
    await documents.close();
    await records.close();
  });
});
