import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { rowDocuments } from '../../engines/mongodb/record-encoding.js';
import { chooseScanHint } from '../../engines/mongodb/record-scan.js';
import { logStart } from '../../kernel/ports.js';
import { uuid } from '../support/record-generators.js';
import { run, scopeOf, traceRow } from '../support/record-rows.js';
import { dropDatabase, withMongo } from '../support/with-mongo.js';

withMongo('the way through records in MongoDB', (server) => {
  it('scans in natural order if most records are of the scope, else by its index', async () => {
    const url = server().url();
    const client = await MongoClient.connect(url);
    const rows = client.db().collection('rows');
    const others = { project_id: uuid(1, 2), run_id: uuid(2, 2) };
    const all = Array.from({ length: 1_000 }, (_, at) =>
      traceRow(at, at % 10 === 0 ? { values: others } : {}),
    );
    await rows.insertMany(
      all.flatMap(rowDocuments).map((one) => ({ ...one, from: 1, until: Number.MAX_SAFE_INTEGER })),
    );
    const visible = { from: { $lte: 1 }, until: { $gt: 1 } };
    const snapshot = { rows, visible, position: logStart, generation: 'g', seq: 1 };
    const elsewhere = scopeOf({ project: others.project_id });
    expect(await chooseScanHint(snapshot, scopeOf(), 1_000)).to.deep.equal({ $natural: 1 });
    expect(await chooseScanHint(snapshot, scopeOf({ run }), 1_000)).to.deep.equal({ $natural: 1 });
    expect(await chooseScanHint(snapshot, scopeOf(), 1_001)).to.equal('window');
    expect(await chooseScanHint(snapshot, scopeOf({ population: 'span' }), 1_000)).to.equal(
      'window',
    );
    expect(await chooseScanHint(snapshot, elsewhere, 1_000)).to.equal('window');
    expect(await chooseScanHint(snapshot, { ...elsewhere, run: others.run_id }, 1_000)).to.equal(
      'run',
    );
    await client.close();
    await dropDatabase(url);
  });
});
