import type { RunScoringEvent, RunScoringStarted } from '../../events/run-scoring.js';
import type { Decide } from '../../kernel/decision.js';
import type { Clock, EventLog, Ids, Position, StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId } from '../../kernel/schema-types.js';
import {
  catchUpState,
  loadStreamState,
  emptyStreamState,
  transact,
  type Authorship,
  type StreamState,
} from '../../kernel/transact.js';
import { runs as runFacts, runStream } from '../facts/runs.js';
import { runScoringStream } from '../facts/run-scoring.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import {
  advanceRunJob,
  beginRunJob,
  finishRunJob,
  runScoringJobs,
  type RunScoringJob,
} from './run-jobs.js';
import {
  sandboxMissingCode,
  type ActiveScorer,
  type ScoreResult,
  type ScoringTarget,
} from './scorer-steps.js';
import {
  uncountedOutcomes,
  resumeRunJob,
  openScoringCounter,
  type OpenRunJobs,
  type ScoringCounter,
} from './scoring-counter.js';
import type { ScoredTrace } from './scored-trace.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
};

/** Job bookkeeping of a round. */
export type RoundJobs = {
  /** Counts these records of the trace as waiting for the scorer. */
  readonly addWaiting: (
    trace: ScoredTrace,
    active: ActiveScorer,
    targets: readonly ScoringTarget[],
  ) => Promise<void>;
  readonly begin: () => Promise<void>;
  /** Counts the outcome of a record; null: its trace was deleted meanwhile. */
  readonly recordOutcome: (
    target: ScoringTarget,
    active: ActiveScorer,
    made: ScoreResult | null,
  ) => void;
  /** `traces` have work left, `unread` could not be read. */
  readonly finish: (
    traces: readonly ScoredTrace[],
    unread: ReadonlySet<StreamName>,
  ) => Promise<void>;
};

/** Runs of the project of a round. */
type RoundRuns = {
  readonly project: ProjectId;
  /** The run of each trace of the round, if its change names it. */
  readonly runs: ReadonlyMap<StreamName, RunId | null>;
  /**
   * Position up to which all changes of the run were read, except the traces of this round; null
   * while some of them are queued.
   */
  readonly scannedThrough: (run: RunId) => Position | null;
  /** Jobs begun by this process and not ended. */
  readonly open: OpenRunJobs;
};

/**
 * Records in the log what is scored of which run, before and after a round (contract 5.13). A job
 * stays open from round to round and ends once its run has no queued traces.
 */
export const openRoundJobs = (needs: Needs, round: RoundRuns): RoundJobs => {
  const { project, runs, scannedThrough, open } = round;
  const counters = new Map<RunId, ScoringCounter>();
  const { clock } = needs;
  let organizationId: Authorship['organizationId'];
  const record = async (
    run: RunId,
    decide: Decide<RunScoringJob | null, RunScoringEvent>,
  ): Promise<void> => {
    const { position } = await transactJob(needs, { id: run, organizationId }, decide);
    const job = open.get(run);
    if (job?.uncounted?.until === null) job.uncounted.until = position;
  };
  const finishRun = async (run: RunId, through: Position | null): Promise<void> => {
    const place = { project_id: project, run_id: run };
    const outcomes = counters.get(run)?.outcomes() ?? {};
    if (through === null) {
      if (Object.keys(outcomes).length === 0) return;
      const waiting = counters.get(run)?.waiting() ?? {};
      await record(run, advanceRunJob({ ...place, outcomes, waiting, advanced_at: clock.now() }));
      return;
    }
    // Erased with its run: an erased stream takes no appends.
    if (!counters.has(run) && !(await isRunLive(needs, run))) return;
    const error = open.get(run)?.error ?? null;
    const ended = { ...place, error_message: error, outcomes, through, ended_at: clock.now() };
    await record(run, finishRunJob(ended));
    open.delete(run);
  };
  return {
    addWaiting: async (trace, active, targets) => {
      ({ organizationId } = trace);
      const { runId: run } = trace;
      const job = open.get(run) ?? (await resumeRunJob(needs, run));
      open.set(run, job);
      const counter = counters.get(run) ?? openScoringCounter();
      counters.set(run, counter);
      counter.wait(active, targets.length);
      for (const failure of uncountedOutcomes(job, trace, active)) {
        counter.settle(active.scorer.id, failure);
      }
    },
    recordOutcome: (target, { scorer }, made) => {
      const run = target.trace.runId;
      const failure = made === null ? 'skipped' : 'code' in made ? { reason: made.reason } : null;
      counters.get(run)?.judge(scorer.id, failure);
      const job = open.get(run);
      if (job === undefined || made === null || !('code' in made)) return;
      if (made.code === sandboxMissingCode) job.error = made.message;
    },
    begin: async () => {
      for (const [run, counter] of counters) {
        if (Object.keys(counter.waiting()).length === 0) continue;
        const job = open.get(run);
        const place = { project_id: project, run_id: run, started_at: clock.now() };
        await record(run, beginRunJob({ ...place, ...jobStartData(counter, job) }));
        if (job !== undefined) job.isBegun = true;
      }
    },
    /** Includes runs without work, whose jobs a lost worker may have left open. */
    finish: async (traces, unread) => {
      const waiting = new Set<RunId | null>(traces.map(({ runId }) => runId));
      for (const stream of unread) waiting.add(runs.get(stream) ?? null);
      for (const run of new Set([...runs.values(), ...counters.keys()])) {
        if (run === null) continue;
        await finishRun(run, waiting.has(null) || waiting.has(run) ? null : scannedThrough(run));
      }
    },
  };
};

const jobStartData = (
  counter: ScoringCounter,
  job: { readonly isBegun: boolean } | undefined,
): Omit<RunScoringStarted, 'project_id' | 'run_id' | 'started_at'> => {
  const waiting = counter.waiting();
  const steps = Object.values(waiting).reduce((sum, count) => sum + count, 0);
  return {
    scorers: counter.scorers(),
    steps,
    waiting,
    ...(job?.isBegun === true && { goes_on: true }),
  };
};

const isRunLive = async ({ log }: Needs, run: RunId): Promise<boolean> =>
  (await loadStreamState(log, runStream(run), runFacts)).state?.live === true;

const transactJob = async (
  needs: Needs,
  run: Pick<ScoredTrace, 'organizationId'> & { readonly id: RunId },
  decide: Decide<RunScoringJob | null, RunScoringEvent>,
): Promise<{ readonly position: Position }> => {
  const { log } = needs;
  const fold = { ...runScoringJobs, load: (stream: StreamName) => loadLastEvent(log, stream) };
  return transact(log, runScoringStream(run.id), fold, decide, scoringAuthorship(needs, run));
};

const loadLastEvent = async (
  log: EventLog,
  stream: StreamName,
): Promise<StreamState<RunScoringJob | null>> => {
  const none = emptyStreamState(runScoringJobs);
  const last = await log.last(stream);
  if (last === null) return none;
  const before = { ...none, revision: last.revision - 1 };
  const loaded = await catchUpState(log, stream, runScoringJobs, before);
  // Erased since: an erased stream takes no appends.
  return loaded === before ? none : loaded;
};

export const scoringAuthorship = (
  needs: Pick<Needs, 'clock' | 'ids'>,
  { id, organizationId }: Pick<ScoredTrace, 'organizationId'> & { readonly id: string },
): Authorship => serviceAuthorship(needs, organizationId, id, 'score');
