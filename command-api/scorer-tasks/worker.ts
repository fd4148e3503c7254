import {
  progressHint,
  progressSubject,
  runningTasksMax,
  taskSubject,
  type TaskProgress,
} from '../../contract/scorer-validation.js';
import type { ScorerTaskEvent } from '../../events/scorer-tasks.js';
import type {
  Bus,
  Clock,
  EventLog,
  Files,
  Ids,
  Leases,
  Position,
  Recorded,
} from '../../kernel/ports.js';
import { nextOf, servedLast } from '../../kernel/fair.js';
import type { Overlaps } from '../../kernel/records/overlaps.js';
import type { Sandbox } from '../../kernel/sandbox.js';
import { load, transact, type Authorship } from '../../kernel/transact.js';
import { openBookmark } from '../work/bookmark.js';
import { scorerTasks, type ScorerTask, scorerTaskStream } from '../facts/scorer-tasks.js';
import { attemptsMax, end, giveUp, take } from './tasks.js';
import { workOn } from './work.js';
import { byItself } from '../work/service-author.js';
import type { Worker } from '../work/worker.js';

type ScoringNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly bus: Bus;
  readonly leases: Leases;
  readonly sandbox: Sandbox;
  readonly overlaps: Overlaps;
  readonly files: Files;
  /** Where the bookmark is kept; without it the log is looked through once more. */
  readonly path: string;
  /** Names this process and no other. */
  readonly worker: string;
  /** How many tasks this process has in hand at once. */
  readonly atOnce: number;
  /** Told why something failed; it is tried again. */
  readonly trouble: (error: unknown) => void;
};

/** A hint wakes the worker at once; without one it looks this often. */
const lookEveryMs = 1_000;
/** How often all that is not ended is derived again: tasks of workers that were lost. */
const sweepEveryMs = 10_000;
/** A worker that is silent for so long is lost. */
const leaseMs = 15_000;
const renewEveryMs = 5_000;
const pageEvents = 2_000;
/** Contract 1.11 says it of a project; one person may have many. */
const shares = { ownerMax: runningTasksMax, creatorMax: runningTasksMax };
const taskTypes: readonly ScorerTaskEvent['type'][] = [
  'ScorerValidationRequested',
  'ScorerValidationCompleted',
  'ScorerValidationFailed',
];

/** A task that was asked for and has not ended, as far as the log was looked through. */
type Open = { readonly owner: string; readonly creator: string; readonly before: Position };

/**
 * Does the validations that were asked for, from now until `stop`. The log says what there is to
 * do; a worker takes a task under a lease and by an append at the revision it read, so two never
 * end the same one. What a worker leaves behind when it is killed is taken again, `attemptsMax`
 * times in all.
 */
export const startScoring = (needs: ScoringNeeds): Worker => {
  const { log, bus, clock, trouble } = needs;
  const ending = new AbortController();
  const open = new Map<string, Open>();
  const inHand = new Map<string, Promise<void>>();
  /** Not tried again before the next sweep: another worker has it, or it could not be run. */
  const tried = new Set<string>();
  const bookmark = openBookmark(needs);
  /** Creators as they were served, the last one last. */
  let turns: readonly string[] = [];
  let through: Position | null = null;
  let sweptAt = -Infinity;
  const wake = waker(clock);
  const unsubscribe = bus.subscribe(taskSubject, () => wake.now());

  const look = async (): Promise<void> => {
    through = await noteAll(open, log, through ?? (await bookmark.read()));
    const oldest = [...open.values()].reduce((low, { before }) => earlier(low, before), through);
    await bookmark.write(oldest, ending.signal.aborted ? Infinity : clock.milliseconds());
  };
  const begin = (): void => {
    while (inHand.size < needs.atOnce) {
      const next = nextTask(open, inHand, tried, turns);
      if (next === null) return;
      turns = servedLast(turns, next.creator);
      hold(next.task);
    }
  };
  const hold = (task: string): void => {
    tried.add(task);
    const done = handle(needs, task, ending.signal)
      .then((isOver) => {
        if (!isOver) return;
        open.delete(task);
        tried.delete(task);
      })
      .catch(trouble)
      .finally(() => {
        inHand.delete(task);
        wake.now();
      });
    inHand.set(task, done);
  };
  const turn = async (): Promise<void> => {
    await look();
    if (clock.milliseconds() - sweptAt >= sweepEveryMs) {
      sweptAt = clock.milliseconds();
      tried.clear();
    }
    begin();
  };
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await turn().catch(trouble);
      await wake.wait(lookEveryMs, ending.signal);
    }
  };
  const ended = loop();
  return {
    stop: async () => {
      ending.abort();
      unsubscribe();
      await ended;
      await Promise.all(inHand.values());
      await look().catch(trouble);
    },
  };
};

/** Whose turn it is among those that are not in hand. */
const nextTask = (
  open: ReadonlyMap<string, Open>,
  inHand: ReadonlyMap<string, unknown>,
  tried: ReadonlySet<string>,
  turns: readonly string[],
) => {
  const claims = [...open].map(([task, { owner, creator }]) => ({ task, owner, creator }));
  const running = claims.filter(({ task }) => inHand.has(task));
  const waiting = claims.filter(({ task }) => !inHand.has(task) && !tried.has(task));
  return nextOf(waiting, running, turns, shares);
};

const earlier = (one: Position, other: Position): Position => (one < other ? one : other);

/** Notes what the log says from a position on; answers through where it was looked. */
const noteAll = async (
  open: Map<string, Open>,
  log: EventLog,
  from: Position,
): Promise<Position> => {
  for (let through = from; ;) {
    const page = await log.page(through, pageEvents, taskTypes);
    for (const event of page.events) note(open, event as Recorded<ScorerTaskEvent>, through);
    if (page.through === through) return through;
    through = page.through;
  }
};

const note = (
  open: Map<string, Open>,
  { type, data }: Recorded<ScorerTaskEvent>,
  before: Position,
): void => {
  if (type === 'ScorerValidationRequested') {
    const { task_id: task, created_by: creator } = data;
    open.set(task, { owner: data.project_id ?? creator, creator, before });
  } else if (type !== 'ScorerValidationStarted') open.delete(data.task_id);
};

/** True: the task has ended, by whomever. */
const handle = async (needs: ScoringNeeds, id: string, signal: AbortSignal): Promise<boolean> => {
  const { log, leases, worker } = needs;
  const lease = `scorer-task-${id}`;
  if ((await leases.take(lease, worker, leaseMs)) === null) return false;
  const renewing = new AbortController();
  const renewed = renew(needs, lease, renewing.signal);
  try {
    const stream = scorerTaskStream(id);
    const { state: task } = await load(log, stream, scorerTasks);
    if (task === null || task.ended) return true;
    const authorship = authorshipOf(needs, task);
    if (task.attempts >= attemptsMax) {
      const data = {
        task_id: task.request.task_id,
        message: 'gave_up: three attempts',
        failed_at: needs.clock.now(),
      };
      const outcome = { type: 'ScorerValidationFailed', data } as const;
      await transact(log, stream, scorerTasks, giveUp(outcome), authorship);
      return true;
    }
    const me = `${worker} ${task.attempts + 1}`;
    await transact(log, stream, scorerTasks, take(me, needs.clock.now()), authorship);
    const { request } = task;
    const outcome = await workOn(needs, {
      request,
      authorship,
      signal,
      onProgress: telling(needs, request.task_id),
    });
    if (outcome === null) return false;
    return await lastly(needs, () =>
      transact(log, stream, scorerTasks, end(outcome, me), authorshipOf(needs, task)),
    );
  } finally {
    renewing.abort();
    await renewed;
    await leases.release(lease, worker).catch(() => null);
  }
};

/** An outcome is worth some patience: without it all is done again. */
const lastly = async (
  { clock, trouble }: ScoringNeeds,
  append: () => Promise<{ readonly state: ScorerTask | null }>,
): Promise<boolean> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await append()).state?.ended === true;
    } catch (error) {
      if (attempt >= appendAttempts) throw error;
      trouble(error);
      await clock.wait(lookEveryMs, new AbortController().signal);
    }
  }
};
const appendAttempts = 5;

const renew = async (
  { clock, leases, worker, trouble }: ScoringNeeds,
  lease: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    await clock.wait(renewEveryMs, signal);
    if (signal.aborted) return;
    await leases.take(lease, worker, leaseMs).catch(trouble);
  }
};

const authorshipOf = (needs: ScoringNeeds, { request }: ScorerTask): Authorship =>
  byItself(needs, request.organization_id, request.task_id);

/** Hints are not worth more than some a second. */
const tellEveryMs = 200;

const telling = ({ bus, clock }: ScoringNeeds, task: string) => {
  let toldAt = -Infinity;
  return ({ steps, percent }: TaskProgress): void => {
    const now = clock.milliseconds();
    if (now - toldAt < tellEveryMs) return;
    toldAt = now;
    bus.publish(progressSubject, progressHint({ task, steps, percent }));
  };
};

/** Waits until somebody calls `now`, at most as long as it is told. */
const waker = (clock: Clock) => {
  let rouse: AbortController | null = null;
  let isDue = false;
  return {
    now: (): void => {
      isDue = true;
      rouse?.abort();
    },
    wait: async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      if (!isDue) {
        rouse = new AbortController();
        await clock.wait(milliseconds, AbortSignal.any([rouse.signal, signal]));
        rouse = null;
      }
      isDue = false;
    },
  };
};
