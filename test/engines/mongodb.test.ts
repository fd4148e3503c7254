import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoDocuments } from '../../engines/mongodb/documents.js';
import { openModelStates, type ModelDocument } from '../../engines/mongodb/model-state.js';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import { documentsSuite } from '../suites/documents.js';
import { recordsSuite } from '../suites/records.js';
import {
  positionAt,
  faultOf,
  checkpointAt,
  sampleCollection,
  writesOf,
} from '../suites/sample-documents.js';
import { putRows, scopeOf, searchOf, traceId, traceRow } from '../support/record-rows.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

const thing = (key: string) => ({ key, scope: 'here', fields: {}, body: null });

withMongo('MongoDB', (server) => {
  documentsSuite('MongoDB', async () => {
    const url = server().url();
    let documents = await openMongoDocuments({ url });
    return {
      documents,
      reader: () => openMongoDocuments({ url }),
      reopen: async () => {
        await documents.close();
        documents = await openMongoDocuments({ url });
        return documents;
      },
      close: async () => {
        await documents.close();
        await dropDatabase(url);
      },
    };
  });

  recordsSuite('MongoDB', async () => {
    const url = server().url();
    let records = await openMongoRecords({ url });
    return {
      records,
      reopen: async () => {
        await records.close();
        records = await openMongoRecords({ url });
        return records;
      },
      close: async () => {
        await records.close();
        await dropDatabase(url);
      },
    };
  });

  it('names its collections and continues with unnamed older ones', async () => {
    const url = server().url();
    let documents = await openMongoDocuments({ url });
    let records = await openMongoRecords({ url });
    const reopen = async (): Promise<void> => {
      await Promise.all([documents.close(), records.close()]);
      documents = await openMongoDocuments({ url });
      records = await openMongoRecords({ url });
    };
    await documents.apply(sampleCollection, writesOf(thing('a')), checkpointAt(1));
    await putRows(records, [traceRow(1)]);
    const client = await MongoClient.connect(url);
    const db = client.db();
    const names = async (): Promise<readonly string[]> =>
      (await db.listCollections().toArray()).map(({ name }) => name).sort();
    const isNamed = /^models,records_v\d+_[0-9a-f]{12},things_v1_[0-9a-f]{12}$/;
    expect((await names()).join()).to.match(isNamed);

    for (const { _id, generation } of await db.collection('models').find().toArray()) {
      const old = randomUUID();
      await db.renameCollection(String(generation), `rows_${old}`);
      await db.collection('models').updateOne({ _id }, { $set: { generation: old } });
    }
    await reopen();
    expect(await records.count(scopeOf())).to.equal(1);
    await documents.apply(sampleCollection, writesOf(thing('b')), checkpointAt(2));
    expect((await documents.load(sampleCollection, ['a', 'b'])).size).to.equal(2);
    expect((await names()).join()).to.match(/^models,rows_[-0-9a-f]{36},rows_[-0-9a-f]{36}$/);

    const copies = [await documents.shadow(sampleCollection), await records.shadow()];
    for (const copy of copies) await copy.promote();
    const left = (await names()).filter((name) => !name.startsWith('rows_'));
    expect(left.join()).to.match(isNamed);
    await client.close();
    await reopen();
    expect((await documents.load(sampleCollection, ['a', 'b'])).size).to.equal(0);
    await Promise.all([documents.close(), records.close()]);
    await dropDatabase(url);
  });

  it('does not resume a copy that a crash left promoted', async () => {
    const url = server().url();
    const documents = await openMongoDocuments({ url });
    await documents.apply(sampleCollection, writesOf(thing('a')), checkpointAt(1));
    const copy = await documents.shadow(sampleCollection, { durable: true });
    const client = await MongoClient.connect(url);
    const models = client.db().collection<{ _id: string }>('models');
    const named = await models.findOne({ _id: copy.id });
    await copy.model.apply(sampleCollection, writesOf(thing('b')), checkpointAt(2));
    await copy.promote();
    if (named !== null) await models.insertOne(named);
    expect(await documents.resume(sampleCollection, copy.id)).to.equal(null);
    await copy.discard();
    expect(await models.findOne({ _id: copy.id })).to.equal(null);
    expect((await documents.load(sampleCollection, ['b'])).size).to.equal(1);
    await Promise.all([client.close(), documents.close()]);
    await dropDatabase(url);
  });

  it('refuses batches, also empty ones, after the server lost writes', async () => {
    const url = server().url();
    const documents = await openMongoDocuments({ url });
    await documents.apply(sampleCollection, writesOf(thing('a')), checkpointAt(1));
    const client = await MongoClient.connect(url);
    const models = client.db().collection<{ _id: string }>('models');
    const [before] = await models.find().toArray();
    await documents.apply(sampleCollection, writesOf(thing('b')), checkpointAt(2));
    await documents.apply(sampleCollection, [], checkpointAt(3));
    await models.replaceOne({}, { ...before });
    for (const writes of [[], writesOf(thing('c'))]) {
      expect(await faultOf(documents.apply(sampleCollection, writes, checkpointAt(4)))).to.equal(
        'conflict',
      );
    }
    await Promise.all([client.close(), documents.close()]);
    await dropDatabase(url);
  });

  it('batches state look-ups and checkpoint moves of all read models', async () => {
    const client = await MongoClient.connect(server().url(), { monitorCommands: true });
    const states = openModelStates(client.db());
    const all = Array.from({ length: 20 }, (_, index) => `model ${index}`);
    const rest = { generation: 'one', seq: 3, fence: 1, position: positionAt(1) };
    await states.documents.insertMany(all.map((_id) => ({ _id, ...rest }) as ModelDocument));
    let requests = 0;
    client.on('commandStarted', () => {
      requests += 1;
    });
    const found = await Promise.all(['none', ...all].map((id) => states.find(id)));
    expect(found.map((state) => state?.position)).to.deep.equal([
      undefined,
      ...all.map(() => positionAt(1)),
    ]);
    const committed = { generation: 'one', reserved: 3 };
    const advances = all.map((id) =>
      states.advance({ id, committed, checkpoint: checkpointAt(2) }),
    );
    expect(new Set(await Promise.all(advances))).to.deep.equal(new Set([true]));
    expect(requests).to.equal(2);
    expect((await states.find('model 7'))?.position).to.equal(positionAt(2));
    await client.close();
    await dropDatabase(server().url());
  });

  it('stores the largest records of a request and finds them by text', async () => {
    const url = server().url();
    const records = await openMongoRecords({ url });
    // A megabyte each, nearly all of it beyond ASCII and changed by folding.
    const text = (end: string) => `${'É'.repeat(524_288 - end.length)}${end}`;
    const columns = ['input', 'output', 'dataset_input', 'dataset_output'];
    const trace = traceRow(1, {
      values: Object.fromEntries(columns.map((column) => [column, text(column)])),
      metrics: Object.fromEntries(
        ['a', 'b', 'c'].map((name) => [name, { value: text(name), rolledUp: false }]),
      ),
      body: { input: [{ role: 'user', content: text('message') }], long: 'ABC '.repeat(500_000) },
    });
    const ascii = traceRow(2, { values: { input: 'ABC '.repeat(2_000) } });
    await putRows(records, [trace, ascii]);
    const { rows } = await records.search(searchOf({ bytesMax: 100_000_000 }));
    expect(rows.map(({ values }) => values['id'])).to.deep.equal([traceId(2), traceId(1)]);
    expect(rows[1]).to.deep.equal(trace);
    expect((await records.rowsByGroup([trace.group])).get(trace.group)).to.deep.equal([trace]);
    const holding = (value: string, caseSensitive: boolean) =>
      records.count(
        scopeOf({
          filter: {
            kind: 'text',
            column: 'input',
            operator: 'contains',
            values: [value],
            caseSensitive,
          },
        }),
      );
    expect(await holding('INPUT', false)).to.equal(1);
    expect(await holding('INPUT', true)).to.equal(0);
    expect(await holding('c aB', false)).to.equal(1);
    expect(await holding('c aB', true)).to.equal(0);
    await records.close();
    await dropDatabase(url);
  }).timeout(30_000);
});
