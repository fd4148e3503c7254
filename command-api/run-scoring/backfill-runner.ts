import type { PastScoringEvent, PastScoringRequested } from '../../events/past-scoring.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { Position, StoredEvent, StreamName } from '../../kernel/ports.js';
import type { ProjectId, TraceId } from '../../kernel/schema-types.js';
import {
  catchUpState,
  loadStreamState,
  emptyStreamState,
  transact,
  type StreamState,
} from '../../kernel/transact.js';
import {
  scoringBackfillPrefix,
  scoringBackfills,
  scoringBackfillStream,
  type ScoringBackfill,
} from '../facts/scoring-backfill.js';
import { liveRun } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import { advanceBackfill, beginBackfill, endBackfill, backfillJobKey } from './backfill-jobs.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import { streamNames } from '../work/stream-names.js';
import {
  failedOutcome,
  outcomeOf,
  backfillTargets,
  summarizeOutcomes,
  type BackfillOutcome,
} from './backfill-targets.js';
import { activeScorer, type ActiveScorer } from './scorer-steps.js';
import { runScoringRound, type ScoringRoundNeeds, type ScoringRoundPlan } from './scoring-round.js';

/** Traces of a backfill job, from the read model. */
export type BackfillTraces = {
  readonly count: (request: PastScoringRequested, signal: AbortSignal) => Promise<number>;
  /** A page of traces after a cursor; `next` is null at the end. Throws Fault `invalid`. */
  readonly page: (
    request: PastScoringRequested,
    from: string | null,
    limit: number,
    signal: AbortSignal,
  ) => Promise<{ readonly traces: readonly TraceId[]; readonly next: string | null }>;
};
type BackfillNeeds = ScoringRoundNeeds & { readonly backfillTraces: BackfillTraces };

/** Page size, one progress event each: a kill repeats at most one page. */
const pageTraces = 100;
/** Limit of rounds in a row without progress on a page, as when its traces cannot be read. */
const fruitlessRoundsMax = 20;

type BackfillPage = {
  readonly from: string | null;
  readonly next: string | null;
  readonly traces: readonly StreamName[];
  readonly outcomes: Map<string, BackfillOutcome>;
  remaining: ReadonlySet<StreamName>;
  fruitlessRounds: number;
};
type OpenBackfill = {
  readonly request: PastScoringRequested;
  /** State of the job's stream, caught up incrementally: it grows with each page. */
  loaded: StreamState<ScoringBackfill | null>;
  page: BackfillPage | null;
};
const backfillStreamOf = ({ run_id: run, scorer_id: scorer }: PastScoringRequested): StreamName =>
  scoringBackfillStream(run, scorer);

/** Result of a round. */
type RoundOutcome = { readonly isIdle: boolean; readonly scored: number };

/**
 * Scoring backfill: jobs that score the existing records of a run, in rounds that alternate with
 * those of new changes. Their state is derived from the log with a cursor, so a kill repeats at
 * most one page.
 */
export const openBackfills = (needs: BackfillNeeds) => {
  const queue = openBackfillQueue(needs);
  const runRound = async (job: OpenBackfill, signal: AbortSignal): Promise<RoundOutcome> => {
    const { request } = job;
    const { state } = await refreshState(needs, job);
    if (state === null || state.isEnded || state.request.job_id !== request.job_id) {
      queue.done(request);
      return idleOutcome;
    }
    const active = await backfillScorer(needs, request);
    if (typeof active === 'string') return queue.ended(job, active);
    try {
      if (!state.isStarted) {
        const traces = await needs.backfillTraces.count(request, signal);
        await transactBackfill(needs, job, beginBackfill(request, traces, needs.clock.now()));
      }
      if (state.isScanned) return await queue.ended(job, null);
      job.page ??= await loadPage(needs, state, signal);
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid')
        return queue.ended(job, error.message);
      throw error;
    }
    const result = await scorePage(needs, job.page, { request, active, queue }, signal);
    if (job.page.remaining.size === 0) {
      await recordPage(needs, job, job.page);
      const isLast = job.page.next === null;
      job.page = null;
      if (isLast) await queue.ended(job, null);
    }
    return result;
  };
  return {
    look: queue.look,
    waiting: queue.waiting,
    /** Runs a round of the project's longest waiting job (round robin). */
    turn: async (project: ProjectId, signal: AbortSignal): Promise<RoundOutcome> => {
      const job = queue.next(project);
      return job === null ? idleOutcome : runRound(job, signal);
    },
  };
};

const idleOutcome: RoundOutcome = { isIdle: false, scored: 0 };

/** Queue of the open jobs: all job streams once, then new events of the log. */
const openBackfillQueue = (needs: BackfillNeeds) => {
  const { log } = needs;
  const open = new Map<StreamName, OpenBackfill>();
  let position: Position | null = null;
  const note = async (stream: StreamName): Promise<void> => {
    const last = await log.last(stream);
    const isOver = last === null || endEventTypes.includes(last.type);
    const known = isOver ? null : await loadStreamState(log, stream, scoringBackfills);
    const job = known?.state ?? null;
    if (known === null || job === null || job.isEnded) open.delete(stream);
    else if (open.get(stream)?.request.job_id !== job.request.job_id) {
      open.set(stream, { request: job.request, loaded: known, page: null });
    }
  };
  const scanAll = async (): Promise<void> => {
    const head = await log.head();
    for await (const stream of streamNames(log, scoringBackfillPrefix)) await note(stream);
    position = head;
  };
  const jobDone = (request: PastScoringRequested): void =>
    void open.delete(backfillStreamOf(request));
  return {
    /** True if the log had new events. */
    look: async (): Promise<boolean> => {
      if (position === null) {
        await scanAll();
        return true;
      }
      const page = await log.page(position, scanEvents, [
        'PastScoringRequested',
        'PastScoringCancelled',
      ]);
      for (const { stream } of page.events as readonly StoredEvent[]) await note(stream);
      const moved = page.through > position;
      position = page.through;
      return moved;
    },
    waiting: (): readonly ProjectId[] =>
      [...open.values()].map(({ request }) => request.project_id),
    has: (request: PastScoringRequested): boolean =>
      open.get(backfillStreamOf(request))?.request.job_id === request.job_id,
    next: (project: ProjectId): OpenBackfill | null => {
      for (const [stream, job] of open) {
        if (job.request.project_id !== project) continue;
        open.delete(stream);
        open.set(stream, job);
        return job;
      }
      return null;
    },
    done: jobDone,
    ended: async (job: OpenBackfill, reason: string | null): Promise<RoundOutcome> => {
      await transactBackfill(needs, job, endBackfill(job.request, reason, needs.clock.now()));
      jobDone(job.request);
      return idleOutcome;
    },
  };
};
type BackfillQueue = ReturnType<typeof openBackfillQueue>;
const scanEvents = 2_000;
const endEventTypes: readonly string[] = [
  'PastScoringEnded',
  'PastScoringCancelled',
] satisfies readonly PastScoringEvent['type'][];

const refreshState = async (
  { log }: BackfillNeeds,
  job: OpenBackfill,
): Promise<StreamState<ScoringBackfill | null>> => {
  const stream = backfillStreamOf(job.request);
  // Erased with its run or project.
  const isErased = (await log.last(stream)) === null;
  job.loaded = isErased
    ? emptyStreamState(scoringBackfills)
    : await catchUpState(log, stream, scoringBackfills, job.loaded);
  return job.loaded;
};

/** The job's scorer, or the reason why the job ends. */
const backfillScorer = async (
  { log, newest }: BackfillNeeds,
  request: PastScoringRequested,
): Promise<ActiveScorer | string> => {
  if ((await liveRun(log, request.project_id, request.run_id)) === null)
    return 'The run was deleted';
  const scorer = await newest(request.scorer_id);
  if (scorer?.live !== true) return 'The scorer was deleted';
  if (scorer.versions.length !== request.version) {
    const version = `Version ${scorer.versions.length} of the scorer`;
    return `${version} was added: request another job to score with it`;
  }
  const chosen = { scoreable_node_types: request.scoreable_node_types };
  return activeScorer(scorer, chosen) ?? 'The scorer has no version';
};

const loadPage = async (
  { backfillTraces }: BackfillNeeds,
  { request, cursor }: ScoringBackfill,
  signal: AbortSignal,
): Promise<BackfillPage> => {
  const { traces: ids, next } = await backfillTraces.page(request, cursor, pageTraces, signal);
  const traces = ids.map((id) => traceStream(request.project_id, id));
  return {
    from: cursor,
    next,
    traces,
    outcomes: new Map(),
    remaining: new Set(traces),
    fruitlessRounds: 0,
  };
};

type BackfillContext = {
  readonly request: PastScoringRequested;
  readonly active: ActiveScorer;
  readonly queue: BackfillQueue;
};

const scorePage = async (
  needs: BackfillNeeds,
  page: BackfillPage,
  { request, active, queue }: BackfillContext,
  signal: AbortSignal,
): Promise<RoundOutcome> => {
  const { outcomes } = page;
  const plan: ScoringRoundPlan = {
    jobId: request.job_id,
    mayContinue: () => queue.has(request),
    activeScorers: async () => [active],
    targetsOf: (trace) => {
      // The trace moved to another run since the page was read, or lost its run.
      if (trace.runId !== request.run_id) return [];
      const { targets, settled } = backfillTargets(trace, active, request.job_id);
      for (const [record, outcome] of settled) {
        // Keeps outcomes recorded earlier in this job.
        outcomes.set(`${trace.id} ${record}`, outcome);
      }
      return targets;
    },
    jobs: {
      addWaiting: async () => undefined,
      begin: async () => undefined,
      recordOutcome: (target, _active, made) => {
        const outcome = made === null ? 'skipped' : outcomeOf(target, made);
        outcomes.set(`${target.trace.id} ${target.record}`, outcome);
      },
      finish: async () => undefined,
    },
  };
  const turn = await runScoringRound(needs, plan, request.project_id, [...page.remaining], signal);
  page.remaining = turn.first.union(turn.last);
  // An unavailable log only delays: it is no reason to give up these traces.
  if (turn.scored > 0 || turn.first.size > 0) page.fruitlessRounds = 0;
  else if (!turn.isLogUnavailable) page.fruitlessRounds += 1;
  if (page.fruitlessRounds >= fruitlessRoundsMax) abandonPage(page);
  return turn;
};

/** Gives up traces that could not be read, or changed faster than they were scored. */
const abandonPage = (page: BackfillPage): void => {
  for (const stream of page.remaining) {
    const id = stream.slice(-uuidLength) as TraceId;
    page.outcomes.set(
      `${id} ${id}`,
      failedOutcome(
        { trace: { id }, record: id },
        { code: unreadableCode, message: 'The trace could not be scored', reason: 'unreadable' },
      ),
    );
  }
  page.remaining = new Set();
};
const uuidLength = 36;
/** Error code of the service, not of the scorer (contract 3.9). */
const unreadableCode = 1_004;

const recordPage = (
  needs: BackfillNeeds,
  job: OpenBackfill,
  { from, next, traces, outcomes }: BackfillPage,
): Promise<unknown> =>
  transactBackfill(
    needs,
    job,
    advanceBackfill(from, {
      ...backfillJobKey(job.request),
      place: next,
      traces: traces.length,
      ...summarizeOutcomes(outcomes.values()),
      advanced_at: needs.clock.now(),
    }),
  );

const transactBackfill = (
  needs: BackfillNeeds,
  job: OpenBackfill,
  decide: Decide<ScoringBackfill | null, PastScoringEvent>,
): Promise<unknown> => {
  const { job_id: id, organization_id: organization } = job.request;
  const fold = { ...scoringBackfills, load: () => refreshState(needs, job) };
  const by = serviceAuthorship(needs, organization, id, id);
  return transact(needs.log, backfillStreamOf(job.request), fold, decide, by);
};
