import { expect } from 'chai';
import { readConfig } from '../../config.js';

const elsewhere = {
  ASSAY_EVENTSTORE_URL: 'esdb://localhost:2113?tls=false',
  ASSAY_MONGODB_URL: 'mongodb://localhost',
  ASSAY_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
};

describe('the settings of records', () => {
  it('keep them with the other read models unless told otherwise', () => {
    expect(readConfig({})).to.include({ records: 'shared', recordsMemoryMb: 400 });
    const replica = { ...elsewhere, ASSAY_RECORDS: 'replica', ASSAY_RECORDS_MEMORY_MB: '1000' };
    expect(readConfig(replica)).to.include({ records: 'replica', recordsMemoryMb: 1_000 });
  });

  it('say what is allowed', () => {
    const records = (text: string) => () => readConfig({ ...elsewhere, ASSAY_RECORDS: text });
    expect(records('mongodb')).to.throw('ASSAY_RECORDS must be one of shared, replica');
    for (const wrong of ['255', '65537', '4e2', 'much'])
      expect(() => readConfig({ ASSAY_RECORDS_MEMORY_MB: wrong }), wrong).to.throw(
        'ASSAY_RECORDS_MEMORY_MB must be 256 to 65536',
      );
  });

  it('have no replicas where one process has everything to itself', () => {
    for (const missing of ['ASSAY_EVENTSTORE_URL', 'ASSAY_MONGODB_URL'])
      expect(
        () => readConfig({ ...elsewhere, [missing]: '', ASSAY_RECORDS: 'replica' }),
        missing,
      ).to.throw('ASSAY_RECORDS=replica is for a service on several machines');
  });
});
