import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { experimentWrites } from '../../command-api/experiments/routes.js';
import { datasets, datasetStream } from '../../command-api/facts/datasets.js';
import { experimentNames, runStream } from '../../command-api/facts/runs.js';
import { createExperiment } from '../../contract/experiments.js';
import { randomIds } from '../../engines/node/ids.js';
import type { Fault } from '../../kernel/fault.js';
import type { EventLog } from '../../kernel/ports.js';
import { loadStreamState } from '../../kernel/transact.js';
import { experimentDatasets } from '../../named-queries/experiment-datasets.js';
import { organization, projectId, userId } from '../support/access-events.js';
import { authorAt, remoteTestLog, testLog, type TestLog } from '../support/test-log.js';

const project = projectId(1);
const scope = { project_id: project, organization_id: organization };
const names = (name: string) => ({ scope: project, name });
const datasetId = randomUUID();
const created = {
  type: 'DatasetCreated',
  data: { ...scope, dataset_id: datasetId, name: 'set', draft: false, created_by: userId(1) },
};

for (const [engine, open] of [
  ['SQLite', testLog],
  ['an EventStoreDB test server', remoteTestLog],
] as const) {
  describe(`the creation of an experiment on ${engine}`, () => {
    let world: TestLog;
    beforeEach(async () => {
      world = await open();
      await world.append(datasetStream(datasetId), created);
    });
    afterEach(() => world.close());

    /** Creates an experiment that uses the dataset. */
    const create = (name: string, log = world.log): Promise<unknown> => {
      const authorizer = { visibleProject: async () => null };
      const [route] = experimentWrites({
        log,
        ids: randomIds,
        ...experimentDatasets({ log, authorizer }),
        datasetVersion: async () => ({ name: 'set', numRows: 1, mayLink: true }),
        unlinkDataset: async () => null,
        experimentShown: () => Promise.reject(new Error('not read')),
      });
      const request = {
        body: { name, dataset: { dataset_id: datasetId, version_index: 1 } },
        params: { project_id: project },
        principal: { userId: userId(1), organizationId: organization, key: null },
        cause: authorAt(),
        mint: (name: string) => randomIds.next(name),
      };
      expect(route?.operation.operationId).to.equal(createExperiment.operationId);
      return route?.handle(request as never) ?? Promise.resolve();
    };
    const links = async () => {
      const { state } = await loadStreamState(world.log, datasetStream(datasetId), datasets);
      return [...(state?.links.get(project) ?? [])];
    };
    const holderOf = async (name: string) =>
      (await experimentNames.find({ log: world.log, ids: randomIds }, names(name)))?.id;

    it('is one append of its name, its link and itself', async () => {
      const batches: string[][] = [];
      const append: EventLog['append'] = (batch) => {
        batches.push(batch.map(({ stream }) => stream));
        return world.log.append(batch);
      };
      await create('first', { ...world.log, append });
      const id = (await holderOf('first')) ?? '';
      const reservation = experimentNames.stream({ ids: randomIds }, names('first'));
      expect(batches).to.deep.equal([[reservation, datasetStream(datasetId), runStream(id)]]);
      expect(await links()).to.deep.equal([id]);
    });

    it('takes neither name nor link where either is refused', async () => {
      await create('first');
      const codeOf = (work: Promise<unknown>) => work.catch((error: Fault) => error.code);
      expect(await codeOf(create('first'))).to.equal('already-exists');
      expect(await links()).to.have.length(1);
      const data = { dataset_id: datasetId, versions: 0 };
      await world.append(datasetStream(datasetId), { type: 'DatasetDeleted', data });
      expect(await codeOf(create('second'))).to.equal('not-found');
      expect(await holderOf('second')).to.equal(undefined);
    });

    it('loses no race to others that use the same dataset', async () => {
      const many = Array.from({ length: 12 }, (_, at) => create(`experiment ${at}`));
      await Promise.all(many);
      expect(await links()).to.have.length(12);
    });
  });
}
