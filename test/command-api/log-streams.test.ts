import { expect } from 'chai';
import {
  runs,
  ensureDefaultLogStream,
  logStreamNames,
  liveRun,
  runStream,
} from '../../command-api/facts/runs.js';
import { create, remove, rename } from '../../command-api/log-streams/log-streams.js';
import { randomIds } from '../../engines/node/ids.js';
import type { LogStreamEvent } from '../../events/log-streams.js';
import { Fault } from '../../kernel/fault.js';
import type { RunId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { authorAt, instantAfter, testLog, type TestLog } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';

const given = deciderSpec(runs);
const id = 'eeeeeeee-0000-4000-8000-000000000001' as RunId;
const [project, other] = [projectId(1), projectId(2)];
const creation = {
  run_id: id,
  project_id: project,
  organization_id: organization,
  name: 'stream',
  created_by: userId(1),
  created_at: instantAfter(0),
};
const made: LogStreamEvent = { type: 'LogStreamCreated', data: creation };
const renamed: LogStreamEvent = {
  type: 'LogStreamRenamed',
  data: { run_id: id, project_id: project, name: 'new' },
};
const deleted: LogStreamEvent = {
  type: 'LogStreamDeleted',
  data: { run_id: id, project_id: project },
};

describe('deciding on log streams', () => {
  it('creates one', () => given().when(create(creation)).then(made));
  it('renames', () =>
    given(made)
      .when(rename(id, project, 'new'))
      .then(renamed));
  it('does nothing when the name is already so', () =>
    given(made)
      .when(rename(id, project, 'stream'))
      .thenNothing());
  it('deletes once', () => given(made).when(remove(id, project)).then(deleted));

  it('refuses to rename one that is unknown, deleted or of another project', () => {
    given()
      .when(rename(id, project, 'new'))
      .thenRejected('not-found');
    given(made, deleted)
      .when(rename(id, project, 'new'))
      .thenRejected('not-found');
    given(made)
      .when(rename(id, other, 'new'))
      .thenRejected('not-found');
  });

  it('does not delete from another project', () =>
    given(made).when(remove(id, other)).thenNothing());
});

describe('the log stream default', () => {
  let world: TestLog;
  beforeEach(async () => {
    world = await testLog();
  });
  afterEach(() => world.close());

  const ensure = () =>
    ensureDefaultLogStream(
      world.log,
      randomIds,
      { projectId: project, organizationId: organization },
      userId(1),
      authorAt(),
    );
  const happen = (run: RunId, type: string, more: object = {}) =>
    world.append(runStream(run), {
      type,
      data: { run_id: run, project_id: project, ...more },
    });

  it('is the same for concurrent requests', async () => {
    const found = await Promise.all(Array.from({ length: 8 }, ensure));
    expect(new Set(found.map((run) => run.id)).size).to.equal(1);
    expect(found[0]).to.include({ name: 'default', live: true });
  });

  it('is made again after it is deleted', async () => {
    const first = await ensure();
    await happen(first.id, 'LogStreamDeleted');
    const second = await ensure();
    expect(second.id).not.to.equal(first.id);
    expect(await liveRun(world.log, project, second.id)).to.deep.equal(second);
    expect((await ensure()).id).to.equal(second.id);
  });

  const giveNameBack = (run: RunId) =>
    logStreamNames.release(
      { log: world.log, ids: randomIds },
      { scope: project, name: 'default' },
      run,
      authorAt(),
    );

  it('is made again after it is renamed, and the renamed one stays', async () => {
    const first = await ensure();
    await happen(first.id, 'LogStreamRenamed', { name: 'mine' });
    await giveNameBack(first.id);
    const second = await ensure();
    expect(second.id).not.to.equal(first.id);
    expect((await liveRun(world.log, project, first.id))?.name).to.equal('mine');
  });

  it('is never one that is being renamed: no stream of another name is written to', async () => {
    const first = await ensure();
    await happen(first.id, 'LogStreamRenamed', { name: 'mine' });
    const refused = await ensure().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Fault).and.include({ code: 'conflict' });
  });
});
