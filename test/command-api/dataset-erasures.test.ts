import { expect } from 'chai';
import {
  datasets,
  datasetStream,
  rowsPrefix,
  rowsStream,
  type Dataset,
} from '../../command-api/facts/datasets.js';
import { remove } from '../../command-api/datasets/datasets.js';
import {
  completeDatasetErasure,
  recordRowsErased,
  deletedDatasets,
} from '../../command-api/erasures/dataset-erasures.js';
import { openResourceErasures } from '../../command-api/erasures/resource-erasures.js';
import { lateWritesSeconds } from '../../command-api/erasures/run-and-project-erasures.js';
import { randomIds } from '../../engines/node/ids.js';
import type { DatasetEvent } from '../../events/datasets.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import { logStart, type Position } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter, testClock, testLog, type TestLog } from '../support/test-log.js';
import { organization, userId } from '../support/access-events.js';

const [gone, kept] = [1, 2].map(
  (number) => `dddddddd-0000-4000-8000-00000000000${number}` as DatasetId,
) as [DatasetId, DatasetId];
const contentId = (number: number) =>
  `ffffffff-0000-4000-8000-${String(number).padStart(12, '0')}` as ContentId;

const created = (id: DatasetId): DatasetEvent => ({
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
});
const version = (id: DatasetId, chunks: number): DatasetEvent => ({
  type: 'DatasetContentChanged',
  data: {
    dataset_id: id,
    version_index: 1,
    content_id: contentId(0),
    source: 'file',
    name: 'set',
    created_by: userId(1),
    created_at: instantAfter(0),
    columns: [],
    parts: [{ content: contentId(0), first: 0, sizes: Array<number>(chunks).fill(1) }],
    num_rows: chunks,
    rows_added: chunks,
    rows_removed: 0,
    rows_edited: 0,
    columns_added: 0,
    columns_removed: 0,
    columns_renamed: 0,
  },
});
const stored = (id: DatasetId, content: number, chunk: number) => ({
  type: 'DatasetRowsStored',
  data: { dataset_id: id, content_id: contentId(content), chunk, rows: [] },
});
const deleted: DatasetEvent = { type: 'DatasetDeleted', data: { dataset_id: gone, versions: 1 } };
const erased = (...numbers: readonly number[]): DatasetEvent => ({
  type: 'DatasetRowsErased',
  data: {
    dataset_id: gone,
    contents: numbers.map((number) => ({ content_id: contentId(number), chunks: 1 })),
  },
});

describe('erasing the rows of a deleted dataset', () => {
  let world: TestLog;
  let clock: ReturnType<typeof testClock>;
  beforeEach(async () => {
    world = await testLog();
    clock = testClock();
    for (const id of [gone, kept]) {
      await world.append(datasetStream(id), created(id), version(id, 2));
      await world.append(rowsStream(id, contentId(0)), stored(id, 0, 0), stored(id, 0, 1));
    }
    // Rows of tries that others overtook: no version names them.
    for (let content = 1; content <= 30; content += 1) {
      await world.append(rowsStream(gone, contentId(content)), stored(gone, content, 0));
    }
  });
  afterEach(() => world.close());

  const open = (after: Position = logStart) =>
    openResourceErasures(
      { log: world.log, clock, ids: randomIds, after },
      deletedDatasets(world.log),
    );
  const finish = async (erasures: ReturnType<typeof open>): Promise<void> => {
    while (await erasures.step());
  };
  const left = async (id: DatasetId): Promise<number> =>
    (await world.log.streams(rowsPrefix(id), null, 100)).length;
  const facts = async () =>
    (await world.eventsOf(datasetStream(gone))).slice(3) as readonly DatasetEvent[];

  it('erases every stream of the rows, names the erased chunks, and touches no other', async () => {
    await world.append(datasetStream(gone), deleted);
    await finish(open());
    expect([await left(gone), await left(kept)]).to.deep.equal([0, 1]);
    const told = (await facts()).flatMap((event) =>
      event.type === 'DatasetRowsErased' ? event.data.contents : [],
    );
    expect(told).to.have.length(31);
    expect(told[0]).to.deep.equal({ content_id: contentId(0), chunks: 2 });
  });

  it('runs a second pass after the grace period for late writes, then completes', async () => {
    await world.append(datasetStream(gone), deleted);
    const erasures = open();
    await finish(erasures);
    await world.append(rowsStream(gone, contentId(99)), stored(gone, 99, 0));
    expect((await facts()).at(-1)?.type).to.equal('DatasetRowsErased');
    expect(erasures.cursor() < (await world.log.head())).to.equal(true);
    clock.move(lateWritesSeconds);
    await finish(erasures);
    expect(await left(gone)).to.equal(0);
    expect((await facts()).at(-1)?.type).to.equal('DatasetErased');
    expect(erasures.cursor()).to.equal(await world.log.head());
  });

  it('completes a minute after it saw the deletion, even if the clock was set back', async () => {
    await world.append(datasetStream(gone), deleted);
    let seconds = 0;
    const setBack = {
      now: () => instantAfter(seconds - 7_200),
      milliseconds: () => seconds * 1_000,
    };
    const of = { log: world.log, clock: setBack, ids: randomIds, after: logStart };
    const erasures = openResourceErasures(of, deletedDatasets(world.log));
    await finish(erasures);
    expect((await facts()).at(-1)?.type).to.equal('DatasetRowsErased');
    seconds = lateWritesSeconds;
    await finish(erasures);
    expect((await facts()).at(-1)?.type).to.equal('DatasetErased');
  });

  it('resumes after a kill at any step, and idles when complete', async () => {
    await world.append(datasetStream(gone), deleted);
    let bookmark = logStart;
    for (let steps = 0; (await facts()).at(-1)?.type !== 'DatasetErased'; steps += 1) {
      const erasures = open(bookmark);
      for (let step = 0; step < steps; step += 1) await erasures.step();
      bookmark = erasures.cursor();
      clock.move(lateWritesSeconds);
    }
    expect(await left(gone)).to.equal(0);
    const before = (await facts()).length;
    await finish(open());
    expect(await facts()).to.have.length(before);
  });

  it('names each content once, and nothing of a live dataset', () => {
    const given = deciderSpec<Dataset | null, DatasetEvent>(datasets);
    const there = [created(gone), version(gone, 1)] as const;
    const contents = [0, 1].map((number) => ({ content_id: contentId(number), chunks: 1 }));
    given(...there, deleted)
      .when(recordRowsErased(contents))
      .then(erased(0, 1));
    given(...there, deleted, erased(0))
      .when(recordRowsErased(contents))
      .then(erased(1));
    given(...there, deleted)
      .when(completeDatasetErasure())
      .then({ type: 'DatasetErased', data: { dataset_id: gone } });
    for (const decide of [recordRowsErased(contents), completeDatasetErasure()]) {
      given(...there)
        .when(decide)
        .thenRejected('conflict');
    }
    given(...there, deleted)
      .when(remove())
      .thenNothing();
  });
});
