import {
  taskProgressMessage,
  progressSubject,
  runningTasksMax,
  taskSubject,
  type TaskProgress,
} from '../../contract/scorer-validation.js';
import type { ScorerTaskEvent } from '../../events/scorer-tasks.js';
import type {
  NotificationBus,
  Clock,
  EventLog,
  Files,
  Ids,
  Leases,
  Position,
  StoredEvent,
} from '../../kernel/ports.js';
import { nextFairTask, markServed } from '../../kernel/fair-semaphore.js';
import type { OverlapComputer } from '../../kernel/records/overlap-metrics.js';
import type { Sandbox } from '../../kernel/sandbox.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { openWorkerCursor } from '../work/worker-cursor.js';
import { scorerTasks, type ScorerTask, scorerTaskStream } from '../facts/scorer-tasks.js';
import { attemptsMax, endTask, abandonTask, startAttempt } from './task-decisions.js';
import { runValidation } from './validation.js';
import { serviceAuthorship } from '../work/service-authorship.js';
import type { Worker } from '../work/polling-loop.js';

type ValidationWorkerNeeds = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
  readonly bus: NotificationBus;
  readonly leases: Leases;
  readonly sandbox: Sandbox;
  readonly overlaps: OverlapComputer;
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
const pollEveryMs = 1_000;
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
type OpenTask = {
  readonly owner: string;
  readonly creator: string;
  readonly cursorBefore: Position;
};

/**
 * Does the validations that were asked for, from now until `stop`. The log says what there is to
 * do; a worker takes a task under a lease and by an append at the revision it read, so two never
 * end the same one. What a worker leaves behind when it is killed is taken again, `attemptsMax`
 * times in all.
 */
export const startValidationWorker = (needs: ValidationWorkerNeeds): Worker => {
  const { log, bus, clock, trouble } = needs;
  const ending = new AbortController();
  const open = new Map<string, OpenTask>();
  const inHand = new Map<string, Promise<void>>();
  /** Not tried again before the next sweep: another worker has it, or it could not be run. */
  const tried = new Set<string>();
  const bookmark = openWorkerCursor(needs);
  /** Creators as they were served, the last one last. */
  let turns: readonly string[] = [];
  let through: Position | null = null;
  let sweptAt = -Infinity;
  const wake = openWakeup(clock);
  const unsubscribe = bus.subscribe(taskSubject, () => wake.now());

  const look = async (): Promise<void> => {
    through = await readTaskEvents(open, log, through ?? (await bookmark.read()));
    const oldest = [through, ...[...open.values()].map(({ cursorBefore }) => cursorBefore)];
    await bookmark.write(
      oldest.reduce(minPosition),
      ending.signal.aborted ? Infinity : clock.milliseconds(),
    );
  };
  const begin = (): void => {
    while (inHand.size < needs.atOnce) {
      const next = nextTask(open, inHand, tried, turns);
      if (next === null) return;
      turns = markServed(turns, next.creator);
      hold(next.task);
    }
  };
  const hold = (task: string): void => {
    tried.add(task);
    const done = handleTask(needs, task, ending.signal)
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
  const round = async (): Promise<void> => {
    await look();
    const now = clock.milliseconds();
    if (now - sweptAt >= sweepEveryMs) [sweptAt] = [now, tried.clear()];
    begin();
  };
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await round().catch(trouble);
      await wake.wait(pollEveryMs, ending.signal);
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
  open: ReadonlyMap<string, OpenTask>,
  inHand: ReadonlyMap<string, unknown>,
  tried: ReadonlySet<string>,
  turns: readonly string[],
) => {
  const claims = [...open].map(([task, { owner, creator }]) => ({ task, owner, creator }));
  const running = claims.filter(({ task }) => inHand.has(task));
  const waiting = claims.filter(({ task }) => !inHand.has(task) && !tried.has(task));
  return nextFairTask(waiting, running, turns, shares);
};

const minPosition = (one: Position, other: Position): Position => (one < other ? one : other);

/** Notes what the log says from a position on; answers through where it was looked. */
const readTaskEvents = async (
  open: Map<string, OpenTask>,
  log: EventLog,
  from: Position,
): Promise<Position> => {
  for (let through = from; ;) {
    const page = await log.page(through, pageEvents, taskTypes);
    for (const event of page.events)
      applyTaskEvent(open, event as StoredEvent<ScorerTaskEvent>, through);
    if (page.through === through) return through;
    through = page.through;
  }
};

const applyTaskEvent = (
  open: Map<string, OpenTask>,
  { type, data }: StoredEvent<ScorerTaskEvent>,
  before: Position,
): void => {
  if (type === 'ScorerValidationRequested') {
    const { task_id: task, created_by: creator } = data;
    open.set(task, { owner: data.project_id ?? creator, creator, cursorBefore: before });
  } else if (type !== 'ScorerValidationStarted') open.delete(data.task_id);
};

/** True: the task has ended, by whomever. */
const handleTask = async (
  needs: ValidationWorkerNeeds,
  id: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { log, leases, worker } = needs;
  const lease = `scorer-task-${id}`;
  if ((await leases.acquire(lease, worker, leaseMs)) === null) return false;
  const renewing = new AbortController();
  const renewed = heartbeatLease(needs, lease, renewing.signal);
  try {
    const stream = scorerTaskStream(id);
    const { state: task } = await loadStreamState(log, stream, scorerTasks);
    if (task === null || task.isEnded) return true;
    const authorship = authorshipOf(needs, task);
    if (task.attempts >= attemptsMax) {
      const data = {
        task_id: task.request.task_id,
        message: 'gave_up: three attempts',
        failed_at: needs.clock.now(),
      };
      const outcome = { type: 'ScorerValidationFailed', data } as const;
      await transact(log, stream, scorerTasks, abandonTask(outcome), authorship);
      return true;
    }
    const me = `${worker} ${task.attempts + 1}`;
    await transact(log, stream, scorerTasks, startAttempt(me, needs.clock.now()), authorship);
    const { request } = task;
    const outcome = await runValidation(needs, {
      request,
      authorship,
      signal,
      onProgress: progressPublisher(needs, request.task_id),
    });
    if (outcome === null) return false;
    return await appendWithRetry(needs, () =>
      transact(log, stream, scorerTasks, endTask(outcome, me), authorshipOf(needs, task)),
    );
  } finally {
    renewing.abort();
    await renewed;
    await leases.release(lease, worker).catch(() => null);
  }
};

/** An outcome is worth some patience: without it all is done again. */
const appendWithRetry = async (
  { clock, trouble }: ValidationWorkerNeeds,
  append: () => Promise<{ readonly state: ScorerTask | null }>,
): Promise<boolean> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await append()).state?.isEnded === true;
    } catch (error) {
      if (attempt >= appendAttempts) throw error;
      trouble(error);
      await clock.wait(pollEveryMs, new AbortController().signal);
    }
  }
};
const appendAttempts = 5;

const heartbeatLease = async (
  { clock, leases, worker, trouble }: ValidationWorkerNeeds,
  lease: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    await clock.wait(renewEveryMs, signal);
    if (signal.aborted) return;
    await leases.acquire(lease, worker, leaseMs).catch(trouble);
  }
};

const authorshipOf = (needs: ValidationWorkerNeeds, { request }: ScorerTask): Authorship =>
  serviceAuthorship(needs, request.organization_id, request.task_id);

/** Hints are not worth more than some a second. */
const publishEveryMs = 200;

const progressPublisher = ({ bus, clock }: ValidationWorkerNeeds, task: string) => {
  let toldAt = -Infinity;
  return ({ steps, percent }: TaskProgress): void => {
    const now = clock.milliseconds();
    if (now - toldAt < publishEveryMs) return;
    toldAt = now;
    bus.publish(progressSubject, taskProgressMessage({ task, steps, percent }));
  };
};

/** Waits until somebody calls `now`, at most as long as it is told. */
const openWakeup = (clock: Clock) => {
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
