import { expect } from 'chai';
import {
  scoringBackfills,
  scoringBackfillStream,
} from '../../command-api/facts/scoring-backfill.js';
import { traceStream } from '../../command-api/facts/traces.js';
import {
  advanceBackfill,
  beginBackfill,
  cancelBackfill,
  endBackfill,
  requestBackfill,
} from '../../command-api/run-scoring/backfill-jobs.js';
import { errorLocation } from '../../command-api/run-scoring/backfill-targets.js';
import { openBackfills } from '../../command-api/run-scoring/backfill-runner.js';
import { openScorerCache } from '../../command-api/run-scoring/scorer-cache.js';
import { scoringBudgets } from '../../command-api/run-scoring/budgets.js';
import { scorerStream } from '../../command-api/facts/scorers.js';
import { systemClock } from '../../engines/node/clock.js';
import { randomIds } from '../../engines/node/ids.js';
import type {
  PastScoringAdvanced,
  PastScoringEvent,
  PastScoringRequested,
} from '../../events/past-scoring.js';
import type { Decide } from '../../kernel/decision.js';
import { textForm } from '../../kernel/records/text-form.js';
import type { ScoringBackfill } from '../../command-api/facts/scoring-backfill.js';
import type { JobId, RunId, ScorerId, TraceId } from '../../kernel/schema-types.js';
import { instantAfter, remoteTestLog } from '../support/test-log.js';
import { organization, projectId, userId } from '../support/access-events.js';
import { openScoringFixture, type ScoringFixture } from '../support/scoring-fixture.js';
import { isLongRun } from '../support/runs.js';
import { inProcessSandbox, neverEnds } from '../support/sandboxes.js';
import { pollUntil } from '../support/poll-until.js';

const plain = 'def scorer_fn(*, node_output, **kwargs) -> str:\n    return node_output[:4]';
const picky = `
def scorer_fn(*, node_output, **kwargs) -> str:
    if node_output == "bad":
        raise KeyError("no such thing")
    if node_output == "hang":
        ${neverEnds}
    return node_output
`;
/** Scores as `plain` does, where a test is about the job and not about the sandbox. */
const plainSandbox = inProcessSandbox(({ output }) => textForm(output)?.slice(0, 4) ?? null);
/** Several records have long enough for a process to begin on a busy machine, one has longer. */
const budgets = { batchMs: 3_000, recordMs: 6_000, turnMs: 500 };

const asked = (
  project: number,
  run: RunId,
  scorer: ScorerId,
  changes: Partial<PastScoringRequested> = {},
): PastScoringRequested => ({
  job_id: randomIds.next('JobId'),
  project_id: projectId(project),
  run_id: run,
  scorer_id: scorer,
  organization_id: organization,
  scorer_name: 'one',
  version: 1,
  selection: {},
  scoreable_node_types: null,
  created_by: userId(1),
  created_at: instantAfter(0),
  ...changes,
});

/** Result of the job by its events. */
type Sum = Pick<PastScoringAdvanced, 'traces' | 'scored' | 'skipped' | 'failed'> & {
  readonly failures: PastScoringAdvanced['failures'];
  readonly over: string | null;
};

for (const [name, open] of [
  ['the embedded log', undefined],
  ['an EventStoreDB test server', remoteTestLog],
] as const) {
  describe(`scoring backfill on ${name}`, function () {
    let world: ScoringFixture;
    beforeEach(async () => {
      world = await openScoringFixture(null, await open?.());
    });
    afterEach(() => world.close());

    const ask = async (job: PastScoringRequested): Promise<PastScoringRequested> => {
      await world.append(scoringBackfillStream(job.run_id, job.scorer_id), {
        type: 'PastScoringRequested',
        data: job,
      });
      return job;
    };
    const sumOf = async (job: PastScoringRequested): Promise<Sum> => {
      const events = await world.eventsOf(scoringBackfillStream(job.run_id, job.scorer_id));
      let sum: Sum = { traces: 0, scored: 0, skipped: 0, failed: 0, failures: [], over: null };
      for (const { type, data } of events as readonly PastScoringEvent[]) {
        if (data.job_id !== job.job_id) continue;
        if (type === 'PastScoringEnded') sum = { ...sum, over: data.reason ?? 'completed' };
        if (type !== 'PastScoringAdvanced') continue;
        sum = {
          traces: sum.traces + data.traces,
          scored: sum.scored + data.scored,
          skipped: sum.skipped + data.skipped,
          failed: sum.failed + data.failed,
          failures: [...sum.failures, ...data.failures],
          over: sum.over,
        };
      }
      return sum;
    };
    const over = async (job: PastScoringRequested): Promise<Sum> => {
      await pollUntil('the end of the job', 60_000, async () => (await sumOf(job)).over !== null);
      return sumOf(job);
    };
    const logged = (project: number, run: RunId, outputs: readonly string[]) =>
      world.traces(project, run, outputs);
    const timesScored = async (project: number, trace: TraceId): Promise<number> =>
      (await world.eventsOf(traceStream(projectId(project), trace))).filter(
        ({ type }) => type === 'ScoresRecorded',
      ).length;

    it('resumes after a kill without scoring or counting anything twice', async () => {
      const scorer = await world.scorer('one', plain);
      const run = await world.run(1, []);
      const outputs = Array.from({ length: 130 }, (_, at) => `${at}`);
      const additions = await logged(1, run, outputs);
      const job = await ask(asked(1, run, scorer));
      // Each life ends as soon as it has recorded something.
      const small = { sandbox: plainSandbox, budgets: { ...budgets, stepsMax: 20, turnMs: 1 } };
      for (let life = 0; life < 3; life += 1) {
        const before = (await world.log.head()).toString();
        const worker = world.startWorker(small);
        await pollUntil(
          'something happened',
          30_000,
          async () => (await world.log.head()) > before,
        );
        await worker.stop();
      }
      world.startWorker({ sandbox: plainSandbox, budgets });
      expect(await over(job)).to.deep.equal({
        traces: 130,
        scored: 130,
        skipped: 0,
        failed: 0,
        failures: [],
        over: 'completed',
      });
      for (const trace of additions) expect(await timesScored(1, trace)).to.equal(1);
    });

    it('stops when it is cancelled', async () => {
      const scorer = await world.scorer('one', plain);
      const run = await world.run(1, []);
      await logged(
        1,
        run,
        Array.from({ length: 120 }, (_, at) => `${at}`),
      );
      const job = await ask(asked(1, run, scorer));
      const place = { job_id: job.job_id, project_id: job.project_id, run_id: run };
      await world.append(scoringBackfillStream(run, scorer), {
        type: 'PastScoringCancelled',
        data: {
          ...place,
          scorer_id: scorer,
          cancelled_by: userId(1),
          cancelled_at: instantAfter(0),
        },
      });
      const next = await ask(asked(1, run, scorer));
      world.startWorker({ sandbox: plainSandbox, budgets });
      expect(await over(next)).to.include({ scored: 120, skipped: 0 });
      expect(await sumOf(job)).to.include({ traces: 0, over: null });
    });

    // These two are about the sandbox, which knows nothing of the log.
    if (open !== undefined && !isLongRun) return;

    it('scores each record once per version, and reports failures with type and line', async () => {
      const scorer = await world.scorer('one', picky);
      const run = await world.run(1, []);
      const traces = await logged(1, run, ['a', 'bad', 'b', 'bad']);
      world.startWorker({ budgets });
      const first = await over(await ask(asked(1, run, scorer)));
      const [failure, ...others] = first.failures;
      expect(others).to.deep.equal([]);
      expect({ ...first, failures: [] }).to.deep.equal({
        traces: 4,
        scored: 2,
        skipped: 0,
        failed: 2,
        failures: [],
        over: 'completed',
      });
      expect(failure).to.include({ error_code: 1_001, type: 'KeyError', line: 4, count: 2 });
      expect([traces[1], traces[3]]).to.include(failure?.trace_id);
      expect(await world.scoresOf(1, traces[0] as TraceId)).to.deep.equal({ one: 'a' });
      const again = await over(await ask(asked(1, run, scorer)));
      expect(again).to.include({ scored: 0, skipped: 4, failed: 0 });
      await world.append(scorerStream(scorer), {
        type: 'ScorerVersionAdded',
        data: {
          scorer_id: scorer,
          version_id: randomIds.next('ScorerVersionId'),
          version: 2,
          source: plain,
          sha256: 'ab',
          score_type: 'str',
          scoreable_node_types: ['trace'],
          chain_aggregation: null,
          created_by: userId(1),
          created_at: instantAfter(1),
        },
      });
      const older = await over(await ask(asked(1, run, scorer)));
      expect(older).to.include({ traces: 0, scored: 0 });
      expect(older.over).to.match(/^Version 2 /);
      const newer = await over(await ask(asked(1, run, scorer, { version: 2 })));
      expect(newer).to.include({ scored: 4, skipped: 0, failed: 0, over: 'completed' });
      for (const trace of traces) expect(await timesScored(1, trace)).to.equal(2);
      expect(world.errors).to.deep.equal([]);
    });

    it('limits a record that hangs to its own timeout', async () => {
      const [slow, quick] = [await world.scorer('one', picky), await world.scorer('two', plain)];
      const [run, other] = [await world.run(1, []), await world.run(2, [quick])];
      await logged(1, run, ['a', 'hang', 'b', 'c']);
      const job = await ask(asked(1, run, slow));
      const [innocent] = await logged(2, other, ['fine']);
      world.startWorker({ atOnce: 1, budgets });
      await world.untilScored(2, innocent as TraceId, 'two');
      const sum = await over(job);
      expect(sum).to.include({ scored: 3, failed: 1, over: 'completed' });
      expect(sum.failures[0]).to.include({ error_code: 1_003, type: 'system_error', count: 1 });
    });
  });
}

describe('scoring backfill job of a deleted run', () => {
  it('is erased with the run', async () => {
    const world = await openScoringFixture();
    const { log } = world;
    const scorer = await world.scorer('one', plain);
    const run = await world.run(1, []);
    const job = asked(1, run, scorer);
    const stream = scoringBackfillStream(run, scorer);
    await world.append(stream, { type: 'PastScoringRequested', data: job });
    const past = openBackfills({
      log,
      clock: systemClock,
      ids: randomIds,
      budgets: scoringBudgets,
      newest: openScorerCache(log),
      // Of no traces nothing is judged.
      backfillTraces: { count: async () => 1, page: async () => ({ traces: [], next: 'more' }) },
      judge: () => Promise.reject(new Error('nothing is judged')),
      overlaps: { compute: async () => null, close: async () => undefined },
      onError: (error) => expect.fail(String(error)),
    });
    const { signal } = new AbortController();
    await past.look();
    await past.turn(job.project_id, signal);
    expect(past.waiting()).to.deep.equal([job.project_id]);
    await log.erase(stream);
    await past.turn(job.project_id, signal);
    expect(past.waiting()).to.deep.equal([]);
    await world.close();
  });
});

describe("error location in a scorer's message", () => {
  it("contains the exception and the line of the scorer's file", () => {
    const frames = 'Traceback (most recent call last):\n  File "scorer.py", line 4, in scorer_fn\n';
    const inner = '    f()\n  File "scorer.py", line 12, in f\n    raise ValueError("line 99")';
    for (const [code, message, type, line] of [
      [1_001, `ValueError: line 99\n${frames}${inner}`, 'ValueError', 12],
      [1_001, 'SyntaxError: invalid syntax (line 3)', 'SyntaxError', 3],
      [1_001, 'KeyError', 'KeyError', null],
      [1_001, 'the process ended', 'data_validation_error', null],
      [1_003, 'not run: the scorer rests', 'system_error', null],
    ] as const) {
      expect(errorLocation(code, message), message).to.deep.equal({ type, line });
    }
  });
});

describe('decisions on a scoring backfill job', () => {
  const [run, scorer] = [randomIds.next('RunId'), randomIds.next('ScorerId')];
  const job = asked(1, run, scorer);
  const at = instantAfter(1);
  const after = (...events: readonly PastScoringEvent[]): ScoringBackfill | null =>
    events.reduce(scoringBackfills.evolve, scoringBackfills.initial);
  const twice = (
    decide: Decide<ScoringBackfill | null, PastScoringEvent>,
    before: ScoringBackfill | null,
  ): readonly string[] => {
    const events = decide(before);
    if (!Array.isArray(events)) throw new Error(JSON.stringify(events));
    const made = events as readonly PastScoringEvent[];
    expect(decide(made.reduce(scoringBackfills.evolve, before))).to.deep.equal([]);
    return made.map(({ type }) => type);
  };
  const open = after({ type: 'PastScoringRequested', data: job });
  const made: PastScoringAdvanced = {
    job_id: job.job_id,
    project_id: job.project_id,
    run_id: run,
    scorer_id: scorer,
    place: 'x',
    traces: 1,
    scored: 1,
    skipped: 0,
    failed: 0,
    failures: [],
    advanced_at: at,
  };

  it('are idempotent', () => {
    expect(twice(requestBackfill(job), null)).to.deep.equal(['PastScoringRequested']);
    expect(twice(beginBackfill(job, 1, at), open)).to.deep.equal(['PastScoringStarted']);
    expect(twice(advanceBackfill(null, made), open)).to.deep.equal(['PastScoringAdvanced']);
    expect(twice(endBackfill(job, null, at), open)).to.deep.equal(['PastScoringEnded']);
    expect(twice(cancelBackfill(job, userId(1), at), open)).to.deep.equal(['PastScoringCancelled']);
  });

  it('refuse a second job while one is open, and ignore one that is not', () => {
    const other = { ...job, job_id: randomIds.next('JobId') as JobId, selection: { a: 1 } };
    expect(requestBackfill(other)(open)).to.include({ rejected: 'conflict' });
    expect(requestBackfill({ ...other, selection: {} })(open)).to.deep.equal([]);
    const done = after(
      { type: 'PastScoringRequested', data: job },
      { type: 'PastScoringEnded', data: { ...made, reason: null, ended_at: at } },
    );
    expect(twice(requestBackfill(other), done)).to.deep.equal(['PastScoringRequested']);
    expect(twice(beginBackfill(other, 1, at), open)).to.deep.equal([]);
    expect(twice(advanceBackfill('elsewhere', made), open)).to.deep.equal([]);
    expect(twice(cancelBackfill(job, userId(1), at), done)).to.deep.equal([]);
  });
});
