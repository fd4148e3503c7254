import { expect } from 'chai';
import { resolveAsOf } from '../../ledger/as-of-position.js';
import { datasetAsOf } from '../../named-queries/experiment-datasets.js';
import { datasetStream } from '../../command-api/facts/datasets.js';
import type { DatasetEvent } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { instantAfter, testLog, type TestLog } from '../support/test-log.js';
import { referenceChains } from '../support/reference-chains.js';
import { organization, userId } from '../support/access-events.js';

const id = 'dddddddd-0000-4000-8000-000000000001' as DatasetId;
const made = { name: 'set', created_by: userId(1), created_at: instantAfter(0) };
const created: DatasetEvent = {
  type: 'DatasetCreated',
  data: { ...made, dataset_id: id, organization_id: organization, draft: false, project_id: null },
};
const first: DatasetEvent = {
  type: 'DatasetContentChanged',
  data: {
    ...made,
    dataset_id: id,
    version_index: 1,
    content_id: 'ffffffff-0000-4000-8000-000000000001' as ContentId,
    source: 'file',
    columns: [{ key: 0, name: 'a' }],
    parts: [],
    num_rows: 0,
    rows_added: 0,
    rows_removed: 0,
    rows_edited: 0,
    columns_added: 1,
    columns_removed: 0,
    columns_renamed: 0,
  },
};

describe('a dataset as of a position', () => {
  let world: TestLog;
  before(async () => {
    world = await testLog();
    await world.append(datasetStream(id), created, first);
  });
  after(() => world.close());

  it('does not exist between its creation and its first version', async () => {
    const [begun, whole] = await world.log.read(datasetStream(id));
    if (begun === undefined || whole === undefined) throw new Error('two events were appended');
    const positionOf = resolveAsOf({
      log: world.log,
      chains: referenceChains(world.log),
      freshness: { waitUntilApplied: () => world.log.head() },
    });
    const at = datasetAsOf(world.log, positionOf);
    expect(await at(organization, id, { position: begun.position })).to.equal(null);
    const found = await at(organization, id, { position: whole.position });
    expect(found?.facts).to.deep.include({ name: 'set', current_version_index: 1 });
    expect(found?.position).to.equal(whole.position);
  });
});
