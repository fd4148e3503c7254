import { expect } from 'chai';
import { rowsOfVersion } from '../../command-api/scorer-tasks/dataset-rows.js';
import { rowsStream } from '../../command-api/facts/datasets.js';
import type { ContentChanged, DatasetRowsEvent } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import type { EventLog } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { testLog, type TestLog } from '../support/test-log.js';

const dataset = 'f1111111-0000-4000-8000-000000000001' as DatasetId;
const content = 'f2222222-0000-4000-8000-000000000001' as ContentId;

describe('rows of a version', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  it('cost only the requested range, however large the version', async () => {
    const chunk = (number: number): DatasetRowsEvent => ({
      type: 'DatasetRowsStored',
      data: {
        dataset_id: dataset,
        content_id: content,
        chunk: number,
        rows: [0, 1].map((at) => ({ id: `${number}.${at}`, cells: [] })),
      } as unknown as DatasetRowsEvent['data'],
    });
    await world.append(rowsStream(dataset, content), chunk(0), chunk(1), chunk(2), chunk(3));
    let events = 0;
    const read: EventLog['read'] = async (stream, reading) => {
      const found = await world.log.read(stream, reading);
      events += found.length;
      return found;
    };
    const parts = [{ content, first: 0, sizes: [2, 2, 2, 2] }];
    const version = { dataset_id: dataset, parts } as unknown as ContentChanged;
    const found = await Array.fromAsync(rowsOfVersion({ ...world.log, read }, version, 3, 2));
    expect(found.map((rows) => rows?.map(({ id }) => id))).to.deep.equal([['1.1'], ['2.0']]);
    expect(events).to.equal(2);
  });
});
