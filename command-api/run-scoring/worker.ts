import type { Clock, EventLog, Files, Ids, Leases } from '../../kernel/ports.js';
import type { Overlaps } from '../../kernel/records/overlaps.js';
import type { Sandbox } from '../../kernel/sandbox.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { startWorker, type Worker } from '../work/worker.js';
import { openBacklog, type Backlog } from './backlog.js';
import { openJudge } from './batch.js';
import { scoringBudgets, type ScoringBudgets } from './budgets.js';
import { openFollowing, type Following } from './following.js';
import { openTurnJobs } from './job-events.js';
import { openNewest } from './newest.js';
import { openOrder } from './order.js';
import { openPast, type PastRecords } from './past.js';
import type { OpenJobs } from './tally.js';
import { followingPlan, takeTurn, type TurnNeeds } from './turn.js';

export type RunScoringNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly leases: Leases;
  readonly sandbox: Sandbox;
  readonly overlaps: Overlaps;
  readonly files: Files;
  /** Where the bookmark is kept; without it the log is looked through once more. */
  readonly path: string;
  readonly worker: string;
  /** How many projects have their turn at once. */
  readonly atOnce: number;
  readonly budgets?: Partial<ScoringBudgets>;
  /** Which traces a job of past scoring is about. */
  readonly past: PastRecords;
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
export const startRunScoring = (needs: RunScoringNeeds): Worker => {
  const { clock, leases, worker, trouble } = needs;
  const backlog = openBacklog();
  const following = openFollowing(needs, backlog);
  const budgets = { ...scoringBudgets, ...needs.budgets };
  const judge = openJudge({ ...needs, budgets });
  const turning = { ...needs, budgets, judge, newest: openNewest(needs.log) };
  const past = openPast(turning);
  const turns = openTurns(turning, { backlog, following, past });
  const inHand = new Map<ProjectId, Promise<void>>();
  const pauses = new Map<ProjectId, number>();
  const order = openOrder(needs.atOnce);

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
    if ((await leases.take(leaseName, worker, leaseMs)) === null) return false;
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

type Waiting = {
  readonly backlog: Backlog;
  readonly following: Following;
  readonly past: ReturnType<typeof openPast>;
};

/** What changed in a project and what was asked for of it have turns one after the other. */
const openTurns = (needs: TurnNeeds, { backlog, following, past }: Waiting) => {
  const hadPast = new Set<ProjectId>();
  const open: OpenJobs = new Map();
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
      const jobs = openTurnJobs(needs, {
        project,
        runs: new Map(taken.map(([stream, { run }]) => [stream, run])),
        lookedAt: (run) => (backlog.holds(project, run) ? null : following.through()),
        open,
      });
      const plan = followingPlan(needs, following.settings, jobs);
      const turn = await takeTurn(needs, plan, project, streams, signal);
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
