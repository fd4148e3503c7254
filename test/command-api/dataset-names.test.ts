import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { change, create, remove } from '../../command-api/datasets/datasets.js';
import { datasetNames } from '../../command-api/datasets/names.js';
import { datasetWrites } from '../../command-api/datasets/routes.js';
import { datasets, datasetStream } from '../../command-api/facts/datasets.js';
import { changeDataset, createDataset } from '../../contract/datasets.js';
import type { Route } from '../../contract/operation.js';
import { randomIds } from '../../engines/node/ids.js';
import type { ContentId } from '../../kernel/dataset-content.js';
import { Fault } from '../../kernel/fault.js';
import { claimGraceSeconds } from '../../kernel/name-reservation.js';
import type { EventLog, StreamAppend, StreamName } from '../../kernel/ports.js';
import type { DatasetId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { organization, userId } from '../support/access-events.js';
import {
  authorAt,
  instantAfter,
  remoteTestLog,
  testLog,
  type TestLog,
} from '../support/test-log.js';

const creationOf = (id: DatasetId, name: string): Parameters<typeof create>[0] => {
  const made = { created_by: userId(1), created_at: instantAfter(0) };
  const counts = { rows_added: 0, rows_removed: 0, rows_edited: 0 };
  return {
    facts: {
      dataset_id: id,
      organization_id: organization,
      name,
      draft: false,
      project_id: null,
      ...made,
    },
    content: {
      dataset_id: id,
      version_index: 1,
      content_id: randomUUID() as string as ContentId,
      source: 'file',
      name,
      columns: [],
      parts: [],
      num_rows: 0,
      ...counts,
      columns_added: 0,
      columns_removed: 0,
      columns_renamed: 0,
      ...made,
    },
    mapping: null,
  };
};
const newId = (): DatasetId => randomUUID() as string as DatasetId;

const recordingLog = (log: EventLog) => {
  const batches: (readonly StreamAppend[])[] = [];
  const reads: StreamName[] = [];
  const append = (batch: readonly StreamAppend[]) => {
    batches.push(batch);
    return log.append(batch);
  };
  const portions: EventLog['portions'] = (stream, range) => {
    reads.push(stream);
    return log.portions(stream, range);
  };
  return { batches, reads, log: { ...log, append, portions } };
};

/** Log of a process that is killed during its first append, after `count` of its streams. */
const killedLog = (log: EventLog, count: number): EventLog => {
  let isKilled = false;
  return {
    ...log,
    append: async (batch) => {
      if (!isKilled) await log.append(batch.slice(0, count));
      isKilled = true;
      throw new Fault('unavailable', 'The process is gone');
    },
  };
};

const handle = (
  routes: readonly Route[],
  { operationId }: { readonly operationId: string },
  request: object,
) =>
  routes
    .find(({ operation }) => operation.operationId === operationId)
    ?.handle({
      files: {},
      query: {},
      ifMatch: null,
      principal: { userId: userId(1), organizationId: organization, key: null },
      cause: authorAt(),
      mint: (name: string) => randomIds.next(name),
      ...request,
    } as never);

const datasetRoutes = (log: EventLog) =>
  datasetWrites({
    log,
    ids: randomIds,
    readTable: async () => ({ columns: [], rows: [] }),
    visibleProject: async () => null,
  });

/** Log of another process: it shares no mutex with this one. */
const otherProcess = (log: EventLog): EventLog => ({ ...log });

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

for (const [engine, open] of [
  ['SQLite', testLog],
  ['an EventStoreDB test server', remoteTestLog],
] as const) {
  describe(`names of datasets on ${engine}`, () => {
    let world: TestLog;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const transactOn = (
      log: EventLog,
      id: DatasetId,
      decide: ReturnType<typeof remove>,
      seconds = 0,
    ) => datasetNames.transact({ log, ids: randomIds }, id, datasets, decide, authorAt(seconds));
    const rename = (id: DatasetId, name: string, { log = world.log, seconds = 0 } = {}) =>
      transactOn(log, id, change({ name, mapping: null, publish: false }), seconds);
    const make = (name: string, id = newId(), seconds = 0) =>
      transactOn(world.log, id, create(creationOf(id, name)), seconds);
    const made = async (name: string): Promise<DatasetId> => {
      const id = newId();
      await make(name, id);
      return id;
    };
    const nameOf = async (id: DatasetId) =>
      (await loadStreamState(world.log, datasetStream(id), datasets)).state?.name;
    const holderOf = async (name: string) => {
      const found = { scope: organization, name };
      return (await datasetNames.find({ log: world.log, ids: randomIds }, found))?.id ?? null;
    };
    const reservation = (name: string) =>
      datasetNames.stream({ ids: randomIds }, { scope: organization, name });

    it('change by one read and one append of the route', async () => {
      const id = await made('old');
      const { log, batches, reads } = recordingLog(world.log);
      const body = { name: 'new' };
      await handle(datasetRoutes(log), changeDataset, { body, params: { dataset_id: id } });
      expect(reads.filter((stream) => stream === datasetStream(id))).to.have.length(1);
      expect(batches.map((batch) => batch.map(({ stream }) => stream))).to.deep.equal([
        [reservation('new'), datasetStream(id), reservation('old')],
      ]);
      expect([await holderOf('new'), await holderOf('old')]).to.deep.equal([id, null]);
    });

    it('are claimed by the append that creates a dataset without rows', async () => {
      await made('set');
      const { log, batches } = recordingLog(world.log);
      const body = { name: 'set', append_suffix_if_duplicate: true };
      await handle(datasetRoutes(log), createDataset, { body });
      const id = await holderOf('set (1)');
      expect(batches.map((batch) => batch.map(({ stream }) => stream))).to.deep.equal([
        [reservation('set (1)'), datasetStream(id ?? '')],
      ]);
    });

    it('are free at once after a rename and a deletion', async () => {
      const id = await made('old');
      await rename(id, 'new');
      expect(await codeOf(make('new'))).to.equal('already-exists');
      expect(await codeOf(make('old'))).to.equal('done');
      await transactOn(world.log, id, remove());
      expect(await codeOf(make('new'))).to.equal('done');
    });

    it('change whole or not when the process is killed after or before its append', async () => {
      const id = await made('old');
      const all = Number.POSITIVE_INFINITY;
      expect(await codeOf(rename(id, 'new', { log: killedLog(world.log, all) }))).to.equal(
        'unavailable',
      );
      expect(await nameOf(id)).to.equal('new');
      expect(await codeOf(make('new'))).to.equal('already-exists');
      expect(await codeOf(make('old'))).to.equal('done');
      expect(await codeOf(rename(id, 'newer', { log: killedLog(world.log, 0) }))).to.equal(
        'unavailable',
      );
      expect(await nameOf(id)).to.equal('new');
      expect(await codeOf(make('newer'))).to.equal('done');
    });

    it('stay unique when an engine appends only the first of the streams', async () => {
      const id = await made('old');
      await codeOf(rename(id, 'new', { log: killedLog(world.log, 1) }));
      expect(await codeOf(make('old'))).to.equal('already-exists');
      expect(await codeOf(make('new', newId(), claimGraceSeconds - 1))).to.equal('already-exists');
      expect(await codeOf(rename(id, 'new'))).to.equal('done');
      expect(await holderOf('new')).to.equal(id);
      await codeOf(rename(id, 'newest', { log: killedLog(world.log, 1) }));
      expect(await codeOf(make('newest', newId(), claimGraceSeconds))).to.equal('done');
      expect(await codeOf(rename(id, 'newest'))).to.equal('already-exists');
      expect(await nameOf(id)).to.equal('new');
    });

    it('go to one of many that are renamed at once by two processes', async () => {
      const processes = [otherProcess(world.log), otherProcess(world.log)];
      const ids = await Promise.all(Array.from({ length: 8 }, (_, at) => made(`old ${at}`)));
      const codes = await Promise.all(
        ids.map((id, at) => {
          const log = processes[at % 2];
          return codeOf(rename(id, 'wanted', log === undefined ? {} : { log }));
        }),
      );
      expect(codes.filter((code) => code === 'done')).to.have.length(1);
      expect(codes.filter((code) => code === 'already-exists')).to.have.length(7);
      const names = await Promise.all(ids.map(nameOf));
      expect(names.filter((name) => name === 'wanted')).to.have.length(1);
      expect(new Set(names).size).to.equal(8);
    });

    it('are held by a dataset that two processes rename, under its last name only', async () => {
      const id = await made('old');
      const processes = [otherProcess(world.log), otherProcess(world.log)];
      await Promise.all(processes.map((log, at) => rename(id, `name ${at}`, { log })));
      const last = (await nameOf(id)) ?? '';
      for (const name of ['old', 'name 0', 'name 1']) {
        const later = claimGraceSeconds;
        const code = await codeOf(make(name, newId(), later));
        expect(code, name).to.equal(name === last ? 'already-exists' : 'done');
      }
    });

    it('are held as logs of before have them, claimed and released one by one', async () => {
      const claimed = (holder: string) => ({ type: 'NameClaimed', data: { holder } });
      const released = (holder: string) => ({ type: 'NameReleased', data: { holder } });
      const id = newId();
      await world.append(reservation('first'), claimed(id));
      const events = create(creationOf(id, 'first'))(null);
      if (!Array.isArray(events)) throw new Error('not created');
      await world.append(datasetStream(id), ...events);
      await world.append(reservation('second'), claimed(id));
      const data = { dataset_id: id, name: 'second' };
      await world.append(datasetStream(id), { type: 'DatasetRenamed', data });
      await world.append(reservation('first'), released(id));
      await world.append(reservation('half'), claimed(id));
      expect([await holderOf('second'), await holderOf('first')]).to.deep.equal([id, null]);
      const tries = ['second', 'first', 'half'].map((name) => codeOf(make(name)));
      expect(await Promise.all(tries)).to.deep.equal(['already-exists', 'done', 'already-exists']);
      expect(await codeOf(make('half', newId(), claimGraceSeconds))).to.equal('done');
      expect(await codeOf(rename(id, 'third'))).to.equal('done');
      expect([await holderOf('third'), await holderOf('second')]).to.deep.equal([id, null]);
    });
  });
}
