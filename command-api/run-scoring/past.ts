import type { PastScoringEvent, PastScoringRequested } from '../../events/past-scoring.js';
import type { Decide } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { Position, Recorded, StreamName } from '../../kernel/ports.js';
import type { ProjectId, TraceId } from '../../kernel/shapes.js';
import { broughtForward, load, nothing, transact, type Loaded } from '../../kernel/transact.js';
import {
  pastScoringPrefix,
  pastScorings,
  pastScoringStream,
  type PastScoring,
} from '../facts/past-scoring.js';
import { runOf } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import { advance, begin, end, placeOf } from './past-jobs.js';
import { byItself } from '../work/service-author.js';
import { streamNames } from '../work/stream-names.js';
import { failedAt, outcomeOf, pastTargets, summed, type Outcome } from './past-targets.js';
import { activeScorer, type ActiveScorer } from './scoring.js';
import { takeTurn, type TurnNeeds, type TurnPlan } from './turn.js';

/** Which traces a job is about, as the read model has them. */
export type PastRecords = {
  readonly count: (asked: PastScoringRequested, signal: AbortSignal) => Promise<number>;
  /** Some of them, from a place on; `next` null: there are no more. Throws Fault `invalid`. */
  readonly stretch: (
    asked: PastScoringRequested,
    from: string | null,
    limit: number,
    signal: AbortSignal,
  ) => Promise<{ readonly traces: readonly TraceId[]; readonly next: string | null }>;
};
type PastNeeds = TurnNeeds & { readonly past: PastRecords };

/** Traces of one event of progress: a kill costs no more than a look at so many. */
const stretchTraces = 100;
/** Of turns in which nothing of a stretch could be done, as when its traces cannot be read. */
const triesMax = 20;

type Stretch = {
  readonly from: string | null;
  readonly next: string | null;
  readonly traces: readonly StreamName[];
  readonly outcomes: Map<string, Outcome>;
  left: ReadonlySet<StreamName>;
  tries: number;
};
type OpenJob = {
  readonly asked: PastScoringRequested;
  /** What its stream said last: it grows with each stretch, and is not read twice. */
  known: Loaded<PastScoring | null>;
  stretch: Stretch | null;
};
const streamOf = ({ run_id: run, scorer_id: scorer }: PastScoringRequested): StreamName =>
  pastScoringStream(run, scorer);

/** What a turn came to. */
type Turned = { readonly isIdle: boolean; readonly scored: number };

/**
 * Jobs that score what a run held already: turn by turn, as what changes is scored, and derived
 * from the log and the place that it says, so a kill costs a second look at one stretch.
 */
export const openPast = (needs: PastNeeds) => {
  const board = openBoard(needs);
  const turnOf = async (job: OpenJob, signal: AbortSignal): Promise<Turned> => {
    const { asked } = job;
    const { state } = await broughtUp(needs, job);
    if (state === null || state.over || state.asked.job_id !== asked.job_id) {
      board.done(asked);
      return done;
    }
    const active = await activeFor(needs, asked);
    if (typeof active === 'string') return board.ended(job, active);
    try {
      if (!state.started) {
        const traces = await needs.past.count(asked, signal);
        await tell(needs, job, begin(asked, traces, needs.clock.now()));
      }
      if (state.through) return await board.ended(job, null);
      job.stretch ??= await stretchFrom(needs, state, signal);
    } catch (error) {
      if (error instanceof Fault && error.code === 'invalid')
        return board.ended(job, error.message);
      throw error;
    }
    const turned = await worked(needs, job.stretch, { asked, active, board }, signal);
    if (job.stretch.left.size === 0) {
      await advanced(needs, job, job.stretch);
      const isLast = job.stretch.next === null;
      job.stretch = null;
      if (isLast) await board.ended(job, null);
    }
    return turned;
  };
  return {
    look: board.look,
    waiting: board.waiting,
    /** A turn of the job of that project that waits longest. */
    turn: async (project: ProjectId, signal: AbortSignal): Promise<Turned> => {
      const job = board.next(project);
      return job === null ? done : turnOf(job, signal);
    },
  };
};

const done: Turned = { isIdle: false, scored: 0 };

/** The jobs that are not over: all streams once, then what the log adds. */
const openBoard = (needs: PastNeeds) => {
  const { log } = needs;
  const open = new Map<StreamName, OpenJob>();
  let position: Position | null = null;
  const note = async (stream: StreamName): Promise<void> => {
    const last = await log.last(stream);
    const isOver = last === null || endings.includes(last.type);
    const known = isOver ? null : await load(log, stream, pastScorings);
    const job = known?.state ?? null;
    if (known === null || job === null || job.over) open.delete(stream);
    else if (open.get(stream)?.asked.job_id !== job.asked.job_id) {
      open.set(stream, { asked: job.asked, known, stretch: null });
    }
  };
  const lookAtAll = async (): Promise<void> => {
    const head = await log.head();
    for await (const stream of streamNames(log, pastScoringPrefix)) await note(stream);
    position = head;
  };
  const jobDone = (asked: PastScoringRequested): void => void open.delete(streamOf(asked));
  return {
    /** Whether there is anything new. */
    look: async (): Promise<boolean> => {
      if (position === null) {
        await lookAtAll();
        return true;
      }
      const page = await log.page(position, lookEvents, [
        'PastScoringRequested',
        'PastScoringCancelled',
      ]);
      for (const { stream } of page.events as readonly Recorded[]) await note(stream);
      const moved = page.through > position;
      position = page.through;
      return moved;
    },
    waiting: (): readonly ProjectId[] => [...open.values()].map(({ asked }) => asked.project_id),
    has: (asked: PastScoringRequested): boolean =>
      open.get(streamOf(asked))?.asked.job_id === asked.job_id,
    next: (project: ProjectId): OpenJob | null => {
      for (const [stream, job] of open) {
        if (job.asked.project_id !== project) continue;
        open.delete(stream);
        open.set(stream, job);
        return job;
      }
      return null;
    },
    done: jobDone,
    ended: async (job: OpenJob, reason: string | null): Promise<Turned> => {
      await tell(needs, job, end(job.asked, reason, needs.clock.now()));
      jobDone(job.asked);
      return done;
    },
  };
};
type Board = ReturnType<typeof openBoard>;
const lookEvents = 2_000;
const endings: readonly string[] = [
  'PastScoringEnded',
  'PastScoringCancelled',
] satisfies readonly PastScoringEvent['type'][];

const broughtUp = async ({ log }: PastNeeds, job: OpenJob): Promise<Loaded<PastScoring | null>> => {
  const stream = streamOf(job.asked);
  // Gone with its run or project.
  const isErased = (await log.last(stream)) === null;
  job.known = isErased
    ? nothing(pastScorings)
    : await broughtForward(log, stream, pastScorings, job.known);
  return job.known;
};

/** Or why the job cannot go on. */
const activeFor = async (
  { log, newest }: PastNeeds,
  asked: PastScoringRequested,
): Promise<ActiveScorer | string> => {
  if ((await runOf(log, asked.project_id, asked.run_id)) === null) return 'The run was deleted';
  const scorer = await newest(asked.scorer_id);
  if (scorer?.live !== true) return 'The scorer was deleted';
  if (scorer.versions.length !== asked.version) {
    return `Version ${scorer.versions.length} of the scorer came: ask again to score with it`;
  }
  const chosen = { scoreable_node_types: asked.scoreable_node_types };
  return activeScorer(scorer, chosen) ?? 'The scorer has no version';
};

const stretchFrom = async (
  { past }: PastNeeds,
  { asked, place }: PastScoring,
  signal: AbortSignal,
): Promise<Stretch> => {
  const { traces: ids, next } = await past.stretch(asked, place, stretchTraces, signal);
  const traces = ids.map((id) => traceStream(asked.project_id, id));
  return { from: place, next, traces, outcomes: new Map(), left: new Set(traces), tries: 0 };
};

type Working = {
  readonly asked: PastScoringRequested;
  readonly active: ActiveScorer;
  readonly board: Board;
};

const worked = async (
  needs: PastNeeds,
  stretch: Stretch,
  { asked, active, board }: Working,
  signal: AbortSignal,
): Promise<Turned> => {
  const { outcomes } = stretch;
  const plan: TurnPlan = {
    jobId: asked.job_id,
    mayGoOn: () => board.has(asked),
    activeFor: async () => [active],
    targetsOf: (trace) => {
      // Told of another run since it was found, or of none.
      if (trace.runId !== asked.run_id) return [];
      const { targets, known } = pastTargets(trace, active, asked.job_id);
      for (const [record, outcome] of known) {
        // What was made a moment ago stays what it is.
        outcomes.set(`${trace.id} ${record}`, outcome);
      }
      return targets;
    },
    jobs: {
      note: async () => undefined,
      begin: async () => undefined,
      judged: (target, _active, made) => {
        const outcome = made === null ? 'skipped' : outcomeOf(target, made);
        outcomes.set(`${target.trace.id} ${target.record}`, outcome);
      },
      finish: async () => undefined,
    },
  };
  const turn = await takeTurn(needs, plan, asked.project_id, [...stretch.left], signal);
  stretch.left = turn.first.union(turn.last);
  // A log that does not answer only delays; it is nothing that these traces are given up for.
  if (turn.scored > 0 || turn.first.size > 0) stretch.tries = 0;
  else if (!turn.isAway) stretch.tries += 1;
  if (stretch.tries >= triesMax) giveUp(stretch);
  return turn;
};

/** Traces that could not be read, or changed faster than they were scored. */
const giveUp = (stretch: Stretch): void => {
  for (const stream of stretch.left) {
    const id = stream.slice(-uuidLength) as TraceId;
    stretch.outcomes.set(
      `${id} ${id}`,
      failedAt(
        { trace: { id }, record: id },
        { code: unreadable, message: 'The trace could not be scored', reason: 'unreadable' },
      ),
    );
  }
  stretch.left = new Set();
};
const uuidLength = 36;
/** Contract 3.9: of the service and not of the scorer. */
const unreadable = 1_004;

const advanced = (
  needs: PastNeeds,
  job: OpenJob,
  { from, next, traces, outcomes }: Stretch,
): Promise<unknown> =>
  tell(
    needs,
    job,
    advance(from, {
      ...placeOf(job.asked),
      place: next,
      traces: traces.length,
      ...summed(outcomes.values()),
      advanced_at: needs.clock.now(),
    }),
  );

const tell = (
  needs: PastNeeds,
  job: OpenJob,
  decide: Decide<PastScoring | null, PastScoringEvent>,
): Promise<unknown> => {
  const { job_id: id, organization_id: organization } = job.asked;
  const fold = { ...pastScorings, load: () => broughtUp(needs, job) };
  const by = byItself(needs, organization, id, id);
  return transact(needs.log, streamOf(job.asked), fold, decide, by);
};
