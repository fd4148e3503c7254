import { expect } from 'chai';
import { openScorerRunner } from '../../command-api/run-scoring/scorer-runner.js';
import { scoringBudgets } from '../../command-api/run-scoring/budgets.js';
import { openScorerCache } from '../../command-api/run-scoring/scorer-cache.js';
import { openBackfills } from '../../command-api/run-scoring/backfill-runner.js';
import { scoringBackfillStream } from '../../command-api/facts/scoring-backfill.js';
import { runScoringStream } from '../../command-api/facts/run-scoring.js';
import { traceStream } from '../../command-api/facts/traces.js';
import { scoringJob, type Job, type RunScoringFacts } from '../../contract/jobs.js';
import { systemClock } from '../../engines/node/clock.js';
import { randomIds } from '../../engines/node/ids.js';
import type { PastScoringAdvanced } from '../../events/past-scoring.js';
import type { Document } from '../../kernel/documents.js';
import { Fault } from '../../kernel/fault.js';
import { logStart, streamNameOf, type EventLog, type StoredEvent } from '../../kernel/ports.js';
import { textForm } from '../../kernel/records/text-form.js';
import type { RunId, TraceId } from '../../kernel/schema-types.js';
import { appendEvents } from '../../kernel/transact.js';
import { runScoringList } from '../../projections/run-scoring-list.js';
import { authorAt, instantAfter, remoteTestLog, testLog } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';
import { inProcessSandbox } from '../support/sandboxes.js';
import {
  recordsFromLog,
  openScoringFixture,
  type ScoringFixture,
} from '../support/scoring-fixture.js';
import { pollUntil } from '../support/poll-until.js';

const unused = 'def scorer_fn(**kwargs) -> str:\n    return ""';
/** A trace without output cannot be scored. */
const sandbox = inProcessSandbox(({ output }) => textForm(output)?.slice(0, 4) || null);
/** A turn is one process of two records. */
const small = { turnMs: 0, stepsMax: 2 };

/** The job of the run as the read model has it that folds from here on: each call goes on. */
const openReadModel = (log: EventLog, run: RunId) => {
  let document: Document<RunScoringFacts> | null = null;
  let at = logStart;
  return async (): Promise<Job | null> => {
    for (;;) {
      const page = await log.page(at, 500, Object.keys(runScoringList.events));
      for (const one of page.events) {
        const event = one as Parameters<typeof runScoringList.evolve>[1];
        if (runScoringList.keys(event).includes(run)) {
          document = runScoringList.evolve(document, event, run);
        }
      }
      if (page.through === at) return document && scoringJob(document.body);
      at = page.through;
    }
  };
};
const jobOf = (log: EventLog, run: RunId): Promise<Job | null> => openReadModel(log, run)();

for (const [name, openLog] of [
  ['the embedded log', testLog],
  ['EventStoreDB', remoteTestLog],
] as const) {
  describe(`the job of a run on ${name}`, function () {
    let world: ScoringFixture;
    beforeEach(async () => {
      world = await openScoringFixture(null, await openLog());
    });
    afterEach(() => world.close());

    const logged = async (run: RunId, outputs: readonly string[]): Promise<readonly TraceId[]> => {
      const traces: TraceId[] = [];
      for (const output of outputs) traces.push(await world.trace(1, run, output));
      return traces;
    };
    const over = async (
      run: RunId,
      job: () => Promise<Job | null> = openReadModel(world.log, run),
    ): Promise<Job | null> => {
      await pollUntil('the end of the job', 60_000, async () =>
        ['completed', 'failed'].includes((await job())?.status ?? ''),
      );
      return job();
    };
    const positionsOf = async (events: Promise<readonly StoredEvent[]>, type: string) =>
      (await events).filter((one) => one.type === type).map(({ position }) => position);

    it('completes only after all traces of the run were read', async () => {
      const run = await world.run(1, [await world.scorer('good', unused)]);
      const traces = await logged(run, ['a', 'b', 'c', '', 'e', '', 'g']);
      expect(await jobOf(world.log, run)).to.include({ status: 'unstarted' });
      world.startWorker({ sandbox, budgets: small });
      const job = await over(run);
      expect(job).to.deep.include({
        status: 'completed',
        progress_percent: 100,
        steps_completed: 7,
        steps_total: 7,
        retries: 0,
        counts: { eligible: 7, waiting: 0, scored: 5, skipped: 0, failed: { exception: 2 } },
      });
      const ends = await positionsOf(world.log.read(runScoringStream(run)), 'RunScoringEnded');
      expect(ends).to.have.length(1);
      for (const trace of traces) {
        const name = traceStream(projectId(1), trace);
        const [scored = ''] = await positionsOf(world.log.read(name), 'ScoresRecorded');
        expect(scored < String(ends[0])).to.equal(true);
      }
      await logged(run, ['late']);
      expect(await jobOf(world.log, run)).to.include({ status: 'in_progress' });
      expect((await over(run))?.counts).to.include({ eligible: 8, waiting: 0, scored: 6 });
      expect(world.errors).to.deep.equal([]);
    });

    it('counts each record once when the worker is killed between rounds', async () => {
      const run = await world.run(1, [await world.scorer('good', unused)]);
      await logged(run, ['a', 'b', 'c', 'd', '', 'f', 'g', 'h', 'i']);
      let left = 3;
      // From the third process on nothing that it does arrives.
      const dying: EventLog['append'] = (batch) =>
        left > 0
          ? world.log.append(batch)
          : Promise.reject(new Fault('unavailable', 'the process is dead'));
      const counted = inProcessSandbox(({ output }) => {
        left -= 1;
        return textForm(output) || null;
      });
      const log = { ...world.log, append: dying };
      const first = world.startWorker({ sandbox: counted, budgets: small, log });
      await pollUntil('the death of the worker', 30_000, async () => left <= 0);
      await first.stop();
      expect(await jobOf(world.log, run)).to.include({ status: 'in_progress' });
      world.startWorker({ sandbox, budgets: small, worker: 'two', path: `${world.dir}/another` });
      expect(await over(run)).to.deep.include({
        retries: 1,
        counts: { eligible: 9, waiting: 0, scored: 8, skipped: 0, failed: { exception: 1 } },
      });
    });

    it('waits for a trace that cannot be read, and ends when it can', async () => {
      const run = await world.run(1, [await world.scorer('good', unused)]);
      const [away] = await logged(run, ['a', 'b', 'c']);
      let refused = 0;
      const read: EventLog['read'] = (stream, reading) => {
        if (stream !== traceStream(projectId(1), away as TraceId) || refused >= 2) {
          return world.log.read(stream, reading);
        }
        refused += 1;
        return Promise.reject(new Fault('unavailable', 'too much to do'));
      };
      world.startWorker({ sandbox, log: { ...world.log, read } });
      await pollUntil('the scores of others', 30_000, async () => refused > 0);
      const job = await over(run);
      expect(refused).to.equal(2);
      expect(job?.counts).to.deep.include({ eligible: 3, waiting: 0, scored: 3 });
    });

    it('ends when its queued traces are erased, and is equal after a rebuild', async () => {
      const run = await world.run(1, [await world.scorer('good', unused)]);
      const [first, gone] = await logged(run, ['a', 'b']);
      const live = openReadModel(world.log, run);
      expect(await live()).to.include({ status: 'unstarted' });
      const erased = async (trace: TraceId | undefined): Promise<void> => {
        const deletion = randomIds.next('DeletionId');
        const place = { deletion_id: deletion, project_id: projectId(1), session_ids: [] };
        await world.append(streamNameOf('deletion', deletion), {
          type: 'RecordsErased',
          data: { ...place, trace_ids: [trace] },
        });
        await world.log.erase(traceStream(projectId(1), trace as TraceId));
      };
      await erased(gone);
      world.startWorker({ sandbox });
      const counts = { eligible: 1, waiting: 0, scored: 1, skipped: 0, failed: {} };
      expect(await over(run, live)).to.deep.include({ status: 'completed', counts });
      await erased(first);
      expect(await jobOf(world.log, run)).to.deep.equal(await live());
    });
  });
}

describe('scoring backfill job', function () {
  let world: ScoringFixture;
  beforeEach(async () => {
    world = await openScoringFixture();
  });
  afterEach(() => world.close());

  const advanced = async (run: RunId, scorer: string): Promise<PastScoringAdvanced | null> => {
    const events = await world.eventsOf(scoringBackfillStream(run, scorer));
    const found = events.find(({ type }) => type === 'PastScoringAdvanced');
    return (found?.data as PastScoringAdvanced | undefined) ?? null;
  };
  const asked = async (run: RunId): Promise<string> => {
    const scorer = await world.scorer('good', unused);
    await world.append(scoringBackfillStream(run, scorer), {
      type: 'PastScoringRequested',
      data: {
        job_id: randomIds.next('JobId'),
        project_id: projectId(1),
        run_id: run,
        scorer_id: scorer,
        organization_id: organization,
        scorer_name: 'good',
        version: 1,
        selection: {},
        scoreable_node_types: null,
        created_by: userId(1),
        created_at: instantAfter(0),
      },
    });
    return scorer;
  };

  it('counts only recorded scores, and scores changed records again', async () => {
    const run = await world.run(1, []);
    const restless = await world.trace(1, run, 'rest');
    await world.trace(1, run, 'calm');
    const scorer = await asked(run);
    const name = traceStream(projectId(1), restless);
    let changes = 0;
    const changing = inProcessSandbox(async ({ output, id }) => {
      if (id === restless && changes === 0) {
        changes += 1;
        const place = { project_id: projectId(1), trace_id: restless, run_id: run };
        const event = { type: 'TraceUpdated', data: { ...place, changes: { output: 'new' } } };
        await appendEvents(world.log, [{ stream: name, expected: 0, events: [event] }], authorAt());
      }
      return textForm(output);
    });
    world.startWorker({ sandbox: changing });
    await pollUntil(
      'the end of the job',
      60_000,
      async () => (await advanced(run, scorer)) !== null,
    );
    expect(await advanced(run, scorer)).to.deep.include({ scored: 2, failed: 0, failed_by: {} });
    expect(await world.scoresOf(1, restless)).to.deep.equal({ good: 'new' });
  });

  it('gives up no trace while the log is unavailable', async () => {
    const run = await world.run(1, []);
    const trace = await world.trace(1, run, 'a');
    const scorer = await asked(run);
    let refused = 0;
    const read: EventLog['read'] = (stream, reading) => {
      if (stream !== traceStream(projectId(1), trace) || refused >= 25) {
        return world.log.read(stream, reading);
      }
      refused += 1;
      return Promise.reject(new Fault('unavailable', 'too much to do'));
    };
    const log = { ...world.log, read };
    const past = openBackfills({
      log,
      clock: systemClock,
      ids: randomIds,
      budgets: scoringBudgets,
      newest: openScorerCache(log),
      backfillTraces: recordsFromLog(world.log),
      judge: openScorerRunner({ sandbox, clock: systemClock, budgets: scoringBudgets }),
      overlaps: { compute: async () => null, close: async () => undefined },
      onError: () => undefined,
    });
    const { signal } = new AbortController();
    await past.look();
    for (let turn = 0; turn < 27; turn += 1) await past.turn(projectId(1), signal);
    expect(refused).to.equal(25);
    expect(await advanced(run, scorer)).to.include({ scored: 1, failed: 0 });
  });
});
