import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { orgJobs, orgJobStream } from '../../command-api/facts/org-jobs.js';
import { deletions } from '../../command-api/work/record-deletions.js';
import {
  requestOrgJob,
  beginOrgJob,
  completeOrgJob,
  failOrgJob,
} from '../../command-api/org-jobs/org-jobs.js';
import { runJob, type OrgJobWork } from '../../command-api/org-jobs/worker.js';
import type { OrgJobEvent, OrgJobRequested } from '../../events/org-jobs.js';
import { randomIds } from '../../engines/node/ids.js';
import { textSeal } from '../../engines/node/text-seal.js';
import { streamNameOf, type EventLog, type StreamName } from '../../kernel/ports.js';
import type { OrgJobId, ProjectId, SessionId, TraceId } from '../../kernel/schema-types.js';
import { loadStreamState } from '../../kernel/transact.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter, testClock, testLog, type TestLog } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';

const id = '3d4e5f60-1a2b-4c3d-8e9f-0a1b2c3d4e5f' as OrgJobId;
const seal = textSeal(new Uint8Array(32).fill(7));
const asked: OrgJobRequested = {
  job_id: id,
  organization_id: organization,
  job_name: 'delete_by_metadata',
  metadata_key: 'user',
  value_sealed: seal.seal('ada', id),
  immediate: false,
  created_by: userId(1),
  created_at: instantAfter(0),
};

describe('an org job', () => {
  const given = deciderSpec(orgJobs);
  const requested: OrgJobEvent = { type: 'OrgJobRequested', data: asked };
  const started: OrgJobEvent = { type: 'OrgJobStarted', data: { job_id: id } };
  const result = { projects: 1, sessions: 0, traces: 2, spans: 3 };
  const completed: OrgJobEvent = { type: 'OrgJobCompleted', data: { job_id: id, ...result } };
  const failed: OrgJobEvent = { type: 'OrgJobFailed', data: { job_id: id, reason: 'no' } };

  it('is requested, starts and completes, each once', () => {
    given().when(requestOrgJob(asked)).then(requested);
    given(requested).when(beginOrgJob(id)).then(started);
    given(requested, started).when(completeOrgJob(id, result)).then(completed);
    given(requested).when(completeOrgJob(id, result)).thenNothing();
    given().when(beginOrgJob(id)).thenNothing();
  });

  it('may fail, but not after it is over', () => {
    given(requested).when(failOrgJob(id, 'no')).then(failed);
    given(requested, started).when(failOrgJob(id, 'no')).then(failed);
    given(requested, started, completed).when(failOrgJob(id, 'no')).thenNothing();
  });
});

describe('the worker of org jobs', function () {
  let world: TestLog;
  let traces: Map<string, ProjectId>;
  beforeEach(async () => {
    world = await testLog();
    traces = new Map();
    await world.append(orgJobStream(id), { type: 'OrgJobRequested', data: asked });
    for (let number = 0; number < 30; number += 1) {
      const trace = randomUUID();
      const project = projectId(1 + (number % 2));
      traces.set(trace, project);
      await world.append(streamNameOf('trace', project, trace), {
        type: 'TraceLogged',
        data: { project_id: project, trace_id: trace, trace: { input: 'secret' }, spans: [] },
      });
    }
  });
  afterEach(() => world.close());

  /** A read model that knows what the log knows: traces without a tombstone and not erased. */
  const workOn = (log: EventLog): OrgJobWork => ({
    log,
    clock: testClock(),
    ids: randomIds,
    secrets: { jobValues: seal },
    projectsOf: async () => [projectId(1), projectId(2)],
    matching: async (project, entry) => {
      expect(entry).to.deep.equal({ key: 'user', value: 'ada' });
      const alive: TraceId[] = [];
      for (const [trace, of] of traces) {
        const events = of === project ? await world.log.read(streamNameOf('trace', of, trace)) : [];
        if (events.length === 1) alive.push(trace as TraceId);
      }
      const traceIds = alive.slice(0, 2);
      return { sessionIds: [] as readonly SessionId[], traceIds, spans: traceIds.length };
    },
    onError: () => undefined,
  });
  const eventsOf = (name: StreamName) => world.eventsOf(name);

  it('resumes after a kill at any step without double counting', async () => {
    let kills = 0;
    for (let calls = 1, over = false; !over; calls += 1) {
      let left = 1 + (calls % 8);
      const dying = async <T>(work: () => Promise<T>, afterwards: boolean): Promise<T> => {
        left -= 1;
        const isLast = left === 0;
        if (isLast && !afterwards) throw new Error('killed before it wrote');
        const answer = await work();
        if (isLast) throw new Error('killed before it learnt that it had written');
        return answer;
      };
      const log: EventLog = {
        ...world.log,
        append: (batch) => dying(() => world.log.append(batch), calls % 2 === 0),
        erase: (name) => dying(() => world.log.erase(name), calls % 2 === 0),
      };
      over = await runJob(workOn(log), asked, new AbortController().signal).catch(() => {
        kills += 1;
        return false;
      });
    }
    expect(kills).to.be.greaterThan(20);
    expect((await eventsOf(orgJobStream(id))).at(-1)).to.deep.equal({
      type: 'OrgJobCompleted',
      data: { job_id: id, projects: 2, sessions: 0, traces: 30, spans: 30 },
    });
    for (const [trace, project] of traces) {
      expect(await world.log.read(streamNameOf('trace', project, trace))).to.deep.equal([]);
    }
  });

  it('records what each step deleted', async () => {
    await runJob(workOn(world.log), asked, new AbortController().signal);
    const first = streamNameOf('deletion', randomIds.derive('DeletionId', id, '0'));
    const { state } = await loadStreamState(world.log, first, deletions);
    expect(state?.erased).to.equal(true);
    expect(state?.deleted.trace_ids).to.have.length(2);
    expect(state?.deleted.job_id).to.equal(id);
  });

  it('stops between steps when aborted', async () => {
    const stop = new AbortController();
    stop.abort();
    expect(await runJob(workOn(world.log), asked, stop.signal)).to.equal(false);
    expect((await eventsOf(orgJobStream(id))).at(-1)?.type).to.equal('OrgJobStarted');
  });

  it('fails when the value cannot be read any more', async () => {
    const other = textSeal(new Uint8Array(32).fill(8));
    const work = { ...workOn(world.log), secrets: { jobValues: other } };
    expect(await runJob(work, asked, new AbortController().signal)).to.equal(true);
    expect((await eventsOf(orgJobStream(id))).at(-1)?.type).to.equal('OrgJobFailed');
  });
});
