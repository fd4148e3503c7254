import { expect } from 'chai';
import {
  currentVersion,
  datasets,
  datasetStream,
  rowsStream,
  type Dataset,
} from '../../command-api/facts/datasets.js';
import { mappingOf } from '../../command-api/datasets/column-mapping.js';
import {
  createVersion,
  type VersionChange,
  type PrepareVersion,
} from '../../command-api/datasets/versions.js';
import { loadChunks } from '../../command-api/datasets/row-storage.js';
import { randomIds } from '../../engines/node/ids.js';
import type { DatasetEvent } from '../../events/datasets.js';
import type { ContentId, ContentRow } from '../../kernel/dataset-content.js';
import { Fault } from '../../kernel/fault.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { authorAt, instantAfter, testLog, type TestLog } from '../support/test-log.js';
import { organization, userId } from '../support/access-events.js';

const id = 'dddddddd-0000-4000-8000-000000000001' as DatasetId;
const none = {
  rows_added: 0,
  rows_removed: 0,
  rows_edited: 0,
  columns_added: 0,
  columns_removed: 0,
  columns_renamed: 0,
};
const created: DatasetEvent = {
  type: 'DatasetCreated',
  data: {
    dataset_id: id,
    organization_id: organization,
    name: 'set',
    draft: false,
    project_id: null,
    created_by: userId(1),
    created_at: instantAfter(0),
  },
};
const first: DatasetEvent = {
  type: 'DatasetContentChanged',
  data: {
    dataset_id: id,
    version_index: 1,
    content_id: 'ffffffff-0000-4000-8000-000000000001' as ContentId,
    source: 'file',
    name: 'set',
    created_by: userId(1),
    created_at: instantAfter(0),
    columns: [{ key: 0, name: 'a' }],
    parts: [],
    num_rows: 0,
    ...none,
  },
};

describe('a new version of a dataset', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
    await world.append(datasetStream(id), created, first);
  });
  afterEach(() => world.close());

  /** One row more than the version before has. */
  const oneMore =
    (text: string): PrepareVersion =>
    async (dataset, content) => {
      const chunks = await loadChunks(world.log, currentVersion(dataset));
      const row: ContentRow = {
        id: randomIds.derive('RowId', content),
        made: dataset.versions.length + 1,
        edited: dataset.versions.length + 1,
        cells: [text],
      };
      return {
        source: 'edits',
        columns: [{ key: 0, name: 'a' }],
        stretches: [...chunks, [row]],
        counts: { ...none, rows_added: 1 },
        renamedColumns: new Map(),
      };
    };
  const changing = (seed = randomIds.next('Seed') as string): VersionChange => {
    let minted = 0;
    const eventId: VersionChange['cause']['eventId'] = (stream, revision) =>
      randomIds.derive('EventId', seed, stream, String(revision));
    return {
      id,
      userId: userId(1),
      ifMatch: null,
      cause: { ...authorAt(), eventId },
      mint: () => {
        minted += 1;
        return randomIds.derive('ContentId', seed, String(minted));
      },
    };
  };
  const needs = () => ({ log: world.log, ids: randomIds });
  /** Another process: it shares no mutex with this one. */
  const elsewhere = () => ({ log: { ...world.log }, ids: randomIds });
  const now = async (): Promise<Dataset> => {
    const { state } = await loadStreamState(world.log, datasetStream(id), datasets);
    if (state === null) throw new Error('the dataset was created');
    return state;
  };
  const texts = async () =>
    (await loadChunks(world.log, currentVersion(await now()))).flatMap(({ rows }) =>
      rows.map(({ cells }) => Object.values(cells)[0]),
    );

  it('is prepared again after a concurrent version', async () => {
    let others = 2;
    const interrupted: PrepareVersion = async (dataset, content) => {
      const prepared = await oneMore('mine')(dataset, content);
      others -= 1;
      if (others >= 0) {
        await createVersion(elsewhere(), changing(), oneMore(`other ${others}`));
      }
      return prepared;
    };
    const { version } = await createVersion(needs(), changing(), interrupted);
    expect(version).to.equal(4);
    expect(await texts()).to.deep.equal(['other 1', 'other 0', 'mine']);
  });

  it('is prepared once while another process renames and maps the dataset', async () => {
    const mapped = (column: string): DatasetEvent => ({
      type: 'ColumnMappingChanged',
      data: { dataset_id: id, column_mapping: mappingOf({ input: [column] }) },
    });
    await world.append(datasetStream(id), mapped('b'));
    let times = 0;
    const interrupted: PrepareVersion = async (dataset, content) => {
      times += 1;
      const renamed = { type: 'DatasetRenamed', data: { dataset_id: id, name: 'new' } };
      await world.append(datasetStream(id), renamed, mapped('a'));
      return oneMore('mine')(dataset, content);
    };
    await createVersion(needs(), changing(), interrupted);
    const { mapping } = await now();
    expect([times, currentVersion(await now()).name]).to.deep.equal([1, 'new']);
    expect(mapping).to.deep.equal(mappingOf({ input: ['a'] }));
  });

  it('waits for the version before it, and then is prepared once', async () => {
    const times: number[] = [];
    const counted: PrepareVersion = (dataset, content) => {
      times.push(dataset.versions.length);
      return oneMore('row')(dataset, content);
    };
    const many = Array.from({ length: 6 }, () => createVersion(needs(), changing(), counted));
    expect((await Promise.all(many)).map(({ version }) => version)).to.deep.equal([
      2, 3, 4, 5, 6, 7,
    ]);
    expect(times).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('is refused with 409 after three retries, and with 412 under If-Match at once', async () => {
    const always: PrepareVersion = async (dataset, content) => {
      await createVersion(elsewhere(), changing(), oneMore('other'));
      return oneMore('mine')(dataset, content);
    };
    const refusal = async (ifMatch: VersionChange['ifMatch']) =>
      createVersion(needs(), { ...changing(), ifMatch }, always).catch((error: unknown) => error);
    expect(await refusal(null))
      .to.be.instanceOf(Fault)
      .and.include({ code: 'conflict' });
    expect(await texts()).to.deep.equal(Array(4).fill('other'));
    expect(await refusal(['content-5'])).to.include({ code: 'precondition-failed' });
    expect(await texts()).to.deep.equal(Array(5).fill('other'));
  });

  it('is made once, however often its request is repeated', async () => {
    const done = await createVersion(needs(), changing('seed'), oneMore('keyed'));
    const again = await createVersion(needs(), changing('seed'), oneMore('keyed'));
    expect(again).to.deep.equal(done);
    await createVersion(needs(), changing(), oneMore('other'));
    const later = await createVersion(needs(), changing('seed'), oneMore('keyed'));
    expect(later.version).to.equal(3);
    expect(await texts()).to.deep.equal(['keyed', 'other']);
  });

  it('reuses the rows that a killed attempt stored, or stores others', async () => {
    const { mint, cause } = changing('seed');
    const content = mint('ContentId');
    const stream = rowsStream(id, content);
    const row = { id: randomIds.derive<'RowId'>('RowId', content), made: 9, edited: 9, cells: [1] };
    const data = { dataset_id: id, content_id: content, chunk: 0, rows: [row] };
    const event = { type: 'DatasetRowsStored', data, id: cause.eventId(stream, 0) };
    const { eventId: _eventId, ...author } = authorAt();
    const metadata = {
      actor: author.actor,
      request_id: author.requestId,
      correlation_id: author.correlationId,
      causation_id: null,
      at: author.at,
      schema: 1,
    };
    await world.log.append([{ stream, expected: 'none', events: [{ ...event, metadata }] }]);
    const { version } = await createVersion(needs(), changing('seed'), oneMore('keyed'));
    expect(version).to.equal(2);
    expect(await texts()).to.deep.equal(['keyed']);
    expect(currentVersion(await now()).content_id).not.to.equal(content);
  });
});
