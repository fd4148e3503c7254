import { expect } from 'chai';
import { openMongoDocuments } from '../../engines/mongodb/documents.js';
import { openMongoRecords } from '../../engines/mongodb/records.js';
import { documentsSuite } from '../suites/documents.js';
import { recordsSuite } from '../suites/records.js';
import { putRows, scopeOf, searchOf, traceId, traceRow } from '../support/record-rows.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

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

  it('keeps records as large as a request can make them, and finds them by their texts', async () => {
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
    expect((await records.groups([trace.group])).get(trace.group)).to.deep.equal([trace]);
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
