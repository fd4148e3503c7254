import { expect } from 'chai';
import { readConfig, withRoles } from '../../config.js';
import { withPartition } from '../../config/records-settings.js';

const elsewhere = {
  ASSAY_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  ASSAY_MONGODB_URL: 'mongodb://localhost',
  ASSAY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
};

describe('the settings of records', () => {
  it('keep records with the other read models by default', () => {
    expect(readConfig({})).to.include({ records: 'shared', recordsMemoryMb: 300 });
    const replica = { ...elsewhere, ASSAY_RECORDS: 'replica', ASSAY_RECORDS_MEMORY_MB: '1000' };
    expect(readConfig(replica)).to.include({ records: 'replica', recordsMemoryMb: 1_000 });
  });

  it('name the allowed values', () => {
    const records = (text: string) => () => readConfig({ ...elsewhere, ASSAY_RECORDS: text });
    expect(records('mongodb')).to.throw('ASSAY_RECORDS must be one of shared, replica');
    for (const wrong of ['255', '65537', '4e2', 'much'])
      expect(() => readConfig({ ASSAY_RECORDS_MEMORY_MB: wrong }), wrong).to.throw(
        'ASSAY_RECORDS_MEMORY_MB must be 256 to 65536',
      );
  });

  it('partition records of a service on several machines', () => {
    const parts = (text: string) => readConfig({ ...elsewhere, ASSAY_RECORDS_PARTITIONS: text });
    expect([readConfig({}), parts('4')].map((one) => one.recordsPartitions)).to.deep.equal([1, 4]);
    for (const wrong of ['0', '65', '1.5', 'two'])
      expect(() => parts(wrong), wrong).to.throw('ASSAY_RECORDS_PARTITIONS must be 1 to 64');
    expect(() => readConfig({ ASSAY_RECORDS_PARTITIONS: '2' })).to.throw(
      'records are folded in parts by a service on several machines only: set ' +
        'ASSAY_EVENTSTORE_URL and ASSAY_MONGODB_URL, or leave ASSAY_RECORDS_PARTITIONS and ' +
        '--partition out',
    );
    expect(() =>
      readConfig({ ...elsewhere, ASSAY_RECORDS: 'replica', ASSAY_RECORDS_PARTITIONS: '2' }),
    ).to.throw(
      'ASSAY_RECORDS=replica folds all records in each process: leave it at shared, or leave ' +
        'ASSAY_RECORDS_PARTITIONS and --partition out',
    );
    const folds = withRoles(parts('4'), 'projections');
    expect(withPartition(folds, '2/4').partition).to.deep.equal({ index: 2, count: 4 });
    expect(withPartition(folds, undefined).partition).to.equal(null);
    const alone = withPartition(withRoles(parts('1'), 'projections'), '3/3');
    expect(alone.recordsPartitions).to.equal(3);
    expect(() => withPartition(folds, '1/3')).to.throw('ASSAY_RECORDS_PARTITIONS says 4');
    for (const wrong of ['0/4', '5/4', '1/1', '1', '1/65', 'a/b', '01/2', '1/02'])
      expect(() => withPartition(folds, wrong), wrong).to.throw('--partition is I/N');
    for (const roles of ['query', 'projections,worker'])
      expect(() => withPartition(withRoles(parts('4'), roles), '2/4'), roles).to.throw(
        '--roles projections alone',
      );
  });

  it('refuse replicas where one process runs everything', () => {
    for (const missing of ['ASSAY_EVENTSTORE_URL', 'ASSAY_MONGODB_URL'])
      expect(
        () => readConfig({ ...elsewhere, [missing]: '', ASSAY_RECORDS: 'replica' }),
        missing,
      ).to.throw('ASSAY_RECORDS=replica is for a service on several machines');
  });
});
