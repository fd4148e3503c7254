import type { Clock, EventLog, Files, Ids, Leases } from '../../kernel/ports.js';
import type { OverlapComputer } from '../../kernel/records/overlap-metrics.js';
import type { Sandbox } from '../../kernel/sandbox.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { startWorker, type Worker } from '../work/polling-loop.js';
import { openBacklog, type Backlog } from './backlog.js';
import { openScorerRunner } from './scorer-runner.js';
import { scoringBudgets, type ScoringBudgets } from './budgets.js';
import { openScoringFeed, type ScoringFeed } from './scoring-feed.js';
import { openRoundJobs } from './job-events.js';
import { openScorerCache } from './scorer-cache.js';
import { openRoundRobin } from './round-robin.js';
import { openBackfills, type BackfillTraces } from './backfill-runner.js';
import type { OpenRunJobs } from './scoring-counter.js';
import { changesPlan, runScoringRound, type ScoringRoundNeeds } from './scoring-round.js';

export type RunScoringNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly leases: Leases;
  readonly sandbox: Sandbox;
  readonly overlaps: OverlapComputer;
  readonly files: Files;
  /** Path of the stored cursor; without it the log is scanned again. */
  readonly path: string;
  readonly worker: string;
  /** Number of projects scored concurrently. */
  readonly atOnce: number;
  readonly budgets?: Partial<ScoringBudgets>;
  /** Traces of backfill jobs. */
  readonly backfillTraces: BackfillTraces;
  /** Reports a failure, which is retried. */
  readonly onError: (error: unknown) => void;
};

const restMs = 500;
/** Lease: one process of an installation scores runs; another takes over after this silence. */
const leaseMs = 30_000;
const leaseName = 'run-scoring';
/** Traces per round. */
const tracesMax = 400;
/** Pause of a project after a fruitless round: the log or the sandbox was unavailable. */
const pauseMs = 1_000;

/**
 * Starts the scoring worker: scores new traces of runs whose settings name scorers (contract 5.10).
 * Its state is derived from the log: which runs have scorers, which records changed since their
 * scores. So a kill costs a second scan, and a record is scored once per change. Rounds alternate
 * between projects (round robin).
 */
export const startRunScoringWorker = (needs: RunScoringNeeds): Worker => {
  const { clock, leases, worker, onError } = needs;
  const backlog = openBacklog();
  const feed = openScoringFeed(needs, backlog);
  const budgets = { ...scoringBudgets, ...needs.budgets };
  const judge = openScorerRunner({ ...needs, budgets });
  const roundNeeds = { ...needs, budgets, judge, newest: openScorerCache(needs.log) };
  const backfills = openBackfills(roundNeeds);
  const rounds = openProjectRounds(roundNeeds, { backlog, feed, backfills });
  const running = new Map<ProjectId, Promise<void>>();
  const pauses = new Map<ProjectId, number>();
  const order = openRoundRobin(needs.atOnce);

  const next = (): ProjectId | null => {
    const now = clock.milliseconds();
    for (const [project, until] of pauses) if (until <= now) pauses.delete(project);
    return order.begin(rounds.waiting().filter((project) => !pauses.has(project)));
  };
  const startRound = (project: ProjectId, signal: AbortSignal): void => {
    const begun = clock.milliseconds();
    let scored = 0;
    const round = rounds
      .take(project, signal)
      .then((made) => {
        scored = made.scored;
        if (made.isIdle) pauses.set(project, clock.milliseconds() + pauseMs);
      })
      .catch((error: unknown) => {
        pauses.set(project, clock.milliseconds() + pauseMs);
        onError(error);
      })
      .finally(() => {
        const tookMs = clock.milliseconds() - begun;
        order.end(project, scored === 0 && tookMs > budgets.crashMs);
        running.delete(project);
      });
    running.set(project, round);
  };
  const step = async (signal: AbortSignal): Promise<boolean> => {
    if ((await leases.acquire(leaseName, worker, leaseMs)) === null) return false;
    const grew = [await feed.look(), await backfills.look()].includes(true);
    await feed.keep(clock.milliseconds());
    let begun = 0;
    for (let place = running.size; place < needs.atOnce; place += 1) {
      const project = next();
      if (project === null) break;
      startRound(project, signal);
      begun += 1;
    }
    if (grew || begun > 0) return true;
    if (running.size === 0) return false;
    await Promise.race([...running.values(), clock.wait(restMs, signal)]);
    return true;
  };
  return startWorker({ clock, onError, restMs }, step, async () => {
    await Promise.all(running.values());
    await feed.keep(Infinity).catch(onError);
    await leases.release(leaseName, worker);
  });
};

type RoundSources = {
  readonly backlog: Backlog;
  readonly feed: ScoringFeed;
  readonly backfills: ReturnType<typeof openBackfills>;
};

/** Rounds of a project: changed traces and backfill jobs alternate. */
const openProjectRounds = (
  needs: ScoringRoundNeeds,
  { backlog, feed, backfills }: RoundSources,
) => {
  const hadBackfill = new Set<ProjectId>();
  const open: OpenRunJobs = new Map();
  const isBackfillNext = (project: ProjectId): boolean => {
    const isBackfill =
      backfills.waiting().includes(project) &&
      !(hadBackfill.has(project) && backlog.waiting().includes(project));
    if (isBackfill) hadBackfill.add(project);
    else hadBackfill.delete(project);
    return isBackfill;
  };
  const changesRound = async (project: ProjectId, signal: AbortSignal) => {
    const taken = backlog.take(project, tracesMax);
    const streams = taken.map(([stream]) => stream);
    try {
      const jobs = openRoundJobs(needs, {
        project,
        runs: new Map(taken.map(([stream, { run }]) => [stream, run])),
        scannedThrough: (run) => (backlog.holds(project, run) ? null : feed.through()),
        open,
      });
      const plan = changesPlan(needs, feed.settings, jobs);
      const round = await runScoringRound(needs, plan, project, streams, signal);
      backlog.giveBack(taken, round.first, round.last);
      return round;
    } catch (error) {
      backlog.giveBack(taken, new Set(), new Set(streams));
      throw error;
    }
  };
  return {
    waiting: (): readonly ProjectId[] => [
      ...new Set([...backlog.waiting(), ...backfills.waiting()]),
    ],
    take: (project: ProjectId, signal: AbortSignal) =>
      isBackfillNext(project) ? backfills.turn(project, signal) : changesRound(project, signal),
  };
};
