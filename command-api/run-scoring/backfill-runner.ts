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

/** Which traces a job is about, as the read model has them. */
export type BackfillTraces = {
  readonly count: (asked: PastScoringRequested, signal: AbortSignal) => Promise<number>;
  /** Some of them, from a place on; `next` null: there are no more. Throws Fault `invalid`. */
  readonly page: (
    asked: PastScoringRequested,
    from: string | null,
    limit: number,
    signal: AbortSignal,
  ) => Promise<{ readonly traces: readonly TraceId[]; readonly next: string | null }>;
};
type BackfillNeeds = ScoringRoundNeeds & { readonly backfillTraces: BackfillTraces };

/** Traces of one event of progress: a kill costs no more than a look at so many. */
const pageTraces = 100;
/** Of turns in which nothing of a stretch could be done, as when its traces cannot be read. */
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
  /** What its stream said last: it grows with each stretch, and is not read twice. */
  loaded: StreamState<ScoringBackfill | null>;
  page: BackfillPage | null;
};
const backfillStreamOf = ({ run_id: run, scorer_id: scorer }: PastScoringRequested): StreamName =>
  scoringBackfillStream(run, scorer);

/** What a turn came to. */
type RoundOutcome = { readonly isIdle: boolean; readonly scored: number };

/**
 * Jobs that score what a run held already: turn by turn, as what changes is scored, and derived
 * from the log and the place that it says, so a kill costs a second look at one stretch.
 */
export const openBackfills = (needs: BackfillNeeds) => {
  const board = openBackfillQueue(needs);
  const turnOf = async (job: OpenBackfill, signal: AbortSignal): Promise<RoundOutcome> => {
    const { request } = job;
    const { state } = await refreshState(needs, job);
    if (state === null || state.isEnded || state.request.job_id !== request.job_id) {
      board.done(request);
      return idleOutcome;
    }
    const active = await backfillScorer(needs, request);
    if (typeof active === 'string') return board.ended(job, active);
    try {
      if (!state.isStarted) {
        const traces = await needs.backfillTraces.count(request, signal);
        await transactBackfill(needs, job, beginBackfill(request, traces, needs.clock.now()));
      }
      if (state.isScanned) return await board.ended(job, null);
      job.page ??= await loadPage(needs, state, signal);
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid')
        return board.ended(job, error.message);
      throw error;
    }
    const turned = await scorePage(needs, job.page, { asked: request, active, board }, signal);
    if (job.page.remaining.size === 0) {
      await recordPage(needs, job, job.page);
      const isLast = job.page.next === null;
      job.page = null;
      if (isLast) await board.ended(job, null);
    }
    return turned;
  };
  return {
    look: board.look,
    waiting: board.waiting,
    /** A turn of the job of that project that waits longest. */
    turn: async (project: ProjectId, signal: AbortSignal): Promise<RoundOutcome> => {
      const job = board.next(project);
      return job === null ? idleOutcome : turnOf(job, signal);
    },
  };
};

const idleOutcome: RoundOutcome = { isIdle: false, scored: 0 };

/** The jobs that are not over: all streams once, then what the log adds. */
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
  const lookAtAll = async (): Promise<void> => {
    const head = await log.head();
    for await (const stream of streamNames(log, scoringBackfillPrefix)) await note(stream);
    position = head;
  };
  const jobDone = (asked: PastScoringRequested): void => void open.delete(backfillStreamOf(asked));
  return {
    /** Whether there is anything new. */
    look: async (): Promise<boolean> => {
      if (position === null) {
        await lookAtAll();
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
    has: (asked: PastScoringRequested): boolean =>
      open.get(backfillStreamOf(asked))?.request.job_id === asked.job_id,
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
  // Gone with its run or project.
  const isErased = (await log.last(stream)) === null;
  job.loaded = isErased
    ? emptyStreamState(scoringBackfills)
    : await catchUpState(log, stream, scoringBackfills, job.loaded);
  return job.loaded;
};

/** Or why the job cannot go on. */
const backfillScorer = async (
  { log, newest }: BackfillNeeds,
  asked: PastScoringRequested,
): Promise<ActiveScorer | string> => {
  if ((await liveRun(log, asked.project_id, asked.run_id)) === null) return 'The run was deleted';
  const scorer = await newest(asked.scorer_id);
  if (scorer?.live !== true) return 'The scorer was deleted';
  if (scorer.versions.length !== asked.version) {
    return `Version ${scorer.versions.length} of the scorer came: ask again to score with it`;
  }
  const chosen = { scoreable_node_types: asked.scoreable_node_types };
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
  readonly asked: PastScoringRequested;
  readonly active: ActiveScorer;
  readonly board: BackfillQueue;
};

const scorePage = async (
  needs: BackfillNeeds,
  stretch: BackfillPage,
  { asked, active, board }: BackfillContext,
  signal: AbortSignal,
): Promise<RoundOutcome> => {
  const { outcomes } = stretch;
  const plan: ScoringRoundPlan = {
    jobId: asked.job_id,
    mayContinue: () => board.has(asked),
    activeScorers: async () => [active],
    targetsOf: (trace) => {
      // Told of another run since it was found, or of none.
      if (trace.runId !== asked.run_id) return [];
      const { targets, settled } = backfillTargets(trace, active, asked.job_id);
      for (const [record, outcome] of settled) {
        // What was made a moment ago stays what it is.
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
  const turn = await runScoringRound(needs, plan, asked.project_id, [...stretch.remaining], signal);
  stretch.remaining = turn.first.union(turn.last);
  // A log that does not answer only delays; it is nothing that these traces are given up for.
  if (turn.scored > 0 || turn.first.size > 0) stretch.fruitlessRounds = 0;
  else if (!turn.isLogUnavailable) stretch.fruitlessRounds += 1;
  if (stretch.fruitlessRounds >= fruitlessRoundsMax) abandonPage(stretch);
  return turn;
};

/** Traces that could not be read, or changed faster than they were scored. */
const abandonPage = (stretch: BackfillPage): void => {
  for (const stream of stretch.remaining) {
    const id = stream.slice(-uuidLength) as TraceId;
    stretch.outcomes.set(
      `${id} ${id}`,
      failedOutcome(
        { trace: { id }, record: id },
        { code: unreadableCode, message: 'The trace could not be scored', reason: 'unreadable' },
      ),
    );
  }
  stretch.remaining = new Set();
};
const uuidLength = 36;
/** Contract 3.9: of the service and not of the scorer. */
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
