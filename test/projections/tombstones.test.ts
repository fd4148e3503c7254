import { expect } from 'chai';
import { openDocuments } from '../../engines/sqlite/documents.js';
import { nounOfEvent } from '../../events/all.js';
import type { StoredEvent } from '../../kernel/ports.js';
import type { Documents } from '../../kernel/documents.js';
import { projections } from '../../projections/projection-registry.js';
import { documentsReadModel, type AnyProjection } from '../../projections/documents-model.js';
import { experimentMembers } from '../../projections/experiment-members.js';
import { logStreamList } from '../../projections/log-stream-list.js';
import { projectList } from '../../projections/project-list.js';
import { temporaryFolder } from '../support/folder.js';
import { recordedAt } from '../support/test-log.js';
import { projectId, projectCreated, userId } from '../support/access-events.js';

const [project, other] = [projectId(1), projectId(2)];
const runId = (number: number) => `eeeeeeee-0000-4000-8000-00000000000${number}`;
const made = (number: number, of: string) => ({
  type: 'LogStreamCreated',
  data: { run_id: runId(number), project_id: of, name: `stream ${number}` },
});
const erased = (type: string, deleted: string, id: string) => ({
  type,
  data: { deleted, deleted_id: id, project_id: project },
});

describe('rows of a deleted run or project', () => {
  let documents: Documents;
  let close: () => Promise<void>;
  let place = 0;
  beforeEach(async () => {
    const { dir, remove } = await temporaryFolder();
    documents = await openDocuments({ dir });
    place = 0;
    close = async () => {
      await documents.close();
      await remove();
    };
  });
  afterEach(() => close());

  /** One batch of events; answers the keys that are left. */
  const after = async (
    projection: AnyProjection,
    ...events: readonly { readonly type: string; readonly data: unknown }[]
  ): Promise<readonly string[]> => {
    const source = documentsReadModel(documents, projection);
    const batch = events.map((event): StoredEvent => recordedAt((place += 1), event));
    const folded = await source.fold(batch, null, []);
    expect(folded.poisons).to.deep.equal([]);
    await folded.apply({ position: batch.at(-1)?.position as StoredEvent['position'], fence: 1 });
    return Array.fromAsync(source.dump(), ({ key }) => key);
  };
  const gone = { type: 'ProjectDeleted', data: { project_id: project } };

  it('are deleted with the project, in this batch and from earlier ones', async () => {
    await after(logStreamList, made(1, project), made(2, other));
    expect(await after(logStreamList, made(3, project), gone)).to.deep.equal([runId(2)]);
  });

  it('are deleted by the erasure where the deletion event was erased meanwhile', async () => {
    for (const type of ['ErasureBegun', 'ErasureCompleted']) {
      await after(logStreamList, made(1, project), made(2, other));
      const left = await after(logStreamList, erased(type, 'project', project), made(3, other));
      expect(left).to.deep.equal([runId(2), runId(3)]);
    }
  });

  it('are deleted with the run, and others stay', async () => {
    await after(logStreamList, made(1, project), made(2, project));
    const left = await after(logStreamList, erased('ErasureBegun', 'run', runId(1)));
    expect(left).to.deep.equal([runId(2)]);
    await after(experimentMembers, {
      type: 'ExperimentCreated',
      data: { run_id: runId(1), project_id: project, group: null },
    });
    const [part] = await after(experimentMembers, erased('ErasureBegun', 'run', runId(1)));
    expect((await documents.get(experimentMembers.collection, part ?? ''))?.body).to.deep.equal({});
  });

  it("include the project's own row", async () => {
    await after(projectList, projectCreated(1, userId(1)), projectCreated(2, userId(1)));
    const left = await after(projectList, erased('ErasureCompleted', 'project', project));
    expect(left).to.deep.equal([other]);
  });

  it('stay where records alone were erased', async () => {
    await after(logStreamList, made(1, project));
    const left = await after(logStreamList, erased('ErasureCompleted', 'records', project));
    expect(left).to.deep.equal([runId(1)]);
  });

  it('are covered by a rule in each projection of events that are erased with either', () => {
    for (const { collection, events, deletedWith } of projections) {
      const ends = Object.keys(events).map((type) => nounOfEvent(type)?.stream.erasedWith);
      const isErased = ends.includes('run') || ends.includes('project');
      expect(deletedWith !== undefined, collection.name).to.equal(isErased);
    }
  });
});
