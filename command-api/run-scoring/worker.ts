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
  /** Where the bookmark is kept; without it the log is looked through once more. */
  readonly path: string;
  readonly worker: string;
  /** How many projects have their turn at once. */
  readonly atOnce: number;
  readonly budgets?: Partial<ScoringBudgets>;
  /** Which traces a job of past scoring is about. */
  readonly backfillTraces: BackfillTraces;
  /** Told why something failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

const restMs = 500;
/** One process of a service scores runs; another takes over when it is silent for so long. */
const leaseMs = 30_000;
const leaseName = 'run-scoring';
/** Traces of one turn. */
const tracesMax = 400;
/** After a turn that came to nothing the project waits so long: a log or a sandbox was away. */
const pauseMs = 1_000;

/**
 * Scores traces of the runs whose settings ask for it, as they come (contract 5.10). All of it is
 * derived from the log: which runs have scorers, which records changed since they were scored. So a
 * kill costs a second look, and a record is scored once for each change of it. Projects take turns.
 */
export const startRunScoringWorker = (needs: RunScoringNeeds): Worker => {
  const { clock, leases, worker, trouble } = needs;
  const backlog = openBacklog();
  const following = openScoringFeed(needs, backlog);
  const budgets = { ...scoringBudgets, ...needs.budgets };
  const judge = openScorerRunner({ ...needs, budgets });
  const turning = { ...needs, budgets, judge, newest: openScorerCache(needs.log) };
  const past = openBackfills(turning);
  const turns = openProjectRounds(turning, { backlog, following, past });
  const inHand = new Map<ProjectId, Promise<void>>();
  const pauses = new Map<ProjectId, number>();
  const order = openRoundRobin(needs.atOnce);

  const next = (): ProjectId | null => {
    const now = clock.milliseconds();
    for (const [project, until] of pauses) if (until <= now) pauses.delete(project);
    return order.begin(turns.waiting().filter((project) => !pauses.has(project)));
  };
  const hold = (project: ProjectId, signal: AbortSignal): void => {
    const begun = clock.milliseconds();
    let scored = 0;
    const turn = turns
      .take(project, signal)
      .then((made) => {
        scored = made.scored;
        if (made.isIdle) pauses.set(project, clock.milliseconds() + pauseMs);
      })
      .catch((error: unknown) => {
        pauses.set(project, clock.milliseconds() + pauseMs);
        trouble(error);
      })
      .finally(() => {
        const tookMs = clock.milliseconds() - begun;
        order.end(project, scored === 0 && tookMs > budgets.crashMs);
        inHand.delete(project);
      });
    inHand.set(project, turn);
  };
  const step = async (signal: AbortSignal): Promise<boolean> => {
    if ((await leases.acquire(leaseName, worker, leaseMs)) === null) return false;
    const grew = [await following.look(), await past.look()].includes(true);
    await following.keep(clock.milliseconds());
    let begun = 0;
    for (let place = inHand.size; place < needs.atOnce; place += 1) {
      const project = next();
      if (project === null) break;
      hold(project, signal);
      begun += 1;
    }
    if (grew || begun > 0) return true;
    if (inHand.size === 0) return false;
    await Promise.race([...inHand.values(), clock.wait(restMs, signal)]);
    return true;
  };
  return startWorker({ clock, trouble, restMs }, step, async () => {
    await Promise.all(inHand.values());
    await following.keep(Infinity).catch(trouble);
    await leases.release(leaseName, worker);
  });
};

type RoundSources = {
  readonly backlog: Backlog;
  readonly following: ScoringFeed;
  readonly past: ReturnType<typeof openBackfills>;
};

/** What changed in a project and what was asked for of it have turns one after the other. */
const openProjectRounds = (
  needs: ScoringRoundNeeds,
  { backlog, following, past }: RoundSources,
) => {
  const hadPast = new Set<ProjectId>();
  const open: OpenRunJobs = new Map();
  const isPastNext = (project: ProjectId): boolean => {
    const isPast =
      past.waiting().includes(project) &&
      !(hadPast.has(project) && backlog.waiting().includes(project));
    if (isPast) hadPast.add(project);
    else hadPast.delete(project);
    return isPast;
  };
  const changedTurn = async (project: ProjectId, signal: AbortSignal) => {
    const taken = backlog.take(project, tracesMax);
    const streams = taken.map(([stream]) => stream);
    try {
      const jobs = openRoundJobs(needs, {
        project,
        runs: new Map(taken.map(([stream, { run }]) => [stream, run])),
        scannedThrough: (run) => (backlog.holds(project, run) ? null : following.through()),
        open,
      });
      const plan = changesPlan(needs, following.settings, jobs);
      const turn = await runScoringRound(needs, plan, project, streams, signal);
      backlog.giveBack(taken, turn.first, turn.last);
      return turn;
    } catch (error) {
      backlog.giveBack(taken, new Set(), new Set(streams));
      throw error;
    }
  };
  return {
    waiting: (): readonly ProjectId[] => [...new Set([...backlog.waiting(), ...past.waiting()])],
    take: (project: ProjectId, signal: AbortSignal) =>
      isPastNext(project) ? past.turn(project, signal) : changedTurn(project, signal),
  };
};
