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
import { nextFairTask, markServed } from '../../kernel/fair-tasks.js';
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
  /** Path of the stored cursor; without it the log is scanned again. */
  readonly path: string;
  /** Unique name of this process. */
  readonly worker: string;
  /** Number of tasks that this process runs concurrently. */
  readonly atOnce: number;
  /** Reports a failure, which is retried. */
  readonly onError: (error: unknown) => void;
};

/** Polling interval; a notification wakes the worker earlier. */
const pollEveryMs = 1_000;
/** Interval of the sweep that retries open tasks, including those of lost workers. */
const sweepEveryMs = 10_000;
/** Lease time: a worker that misses its heartbeats for so long counts as lost. */
const leaseMs = 15_000;
const renewEveryMs = 5_000;
const pageEvents = 2_000;
/** Limit of running tasks per project (contract 1.11); one person may have tasks in several. */
const shares = { ownerMax: runningTasksMax, creatorMax: runningTasksMax };
const taskTypes: readonly ScorerTaskEvent['type'][] = [
  'ScorerValidationRequested',
  'ScorerValidationCompleted',
  'ScorerValidationFailed',
];

/** A requested task that has not ended, as of the log read so far. */
type OpenTask = {
  readonly owner: string;
  readonly creator: string;
  readonly cursorBefore: Position;
};

/**
 * Starts the validation worker, which runs until `stop`. The log says which tasks are open; a
 * worker takes a task under a lease and by an append at the revision that it read (optimistic
 * concurrency), so two never end the same one. A task whose worker was killed is retried,
 * `attemptsMax` times in all.
 */
export const startValidationWorker = (needs: ValidationWorkerNeeds): Worker => {
  const { log, bus, clock, onError } = needs;
  const ending = new AbortController();
  const open = new Map<string, OpenTask>();
  const running = new Map<string, Promise<void>>();
  /** Tasks not retried before the next sweep: another worker has them, or they could not run. */
  const tried = new Set<string>();
  const cursor = openWorkerCursor(needs);
  /** Creators in the order in which they were served, for fair scheduling. */
  let served: readonly string[] = [];
  let through: Position | null = null;
  let sweptAt = -Infinity;
  const wake = openWakeup(clock);
  const unsubscribe = bus.subscribe(taskSubject, () => wake.now());

  const readLog = async (): Promise<void> => {
    through = await readTaskEvents(open, log, through ?? (await cursor.read()));
    const oldest = [through, ...[...open.values()].map(({ cursorBefore }) => cursorBefore)];
    await cursor.write(
      oldest.reduce(minPosition),
      ending.signal.aborted ? Infinity : clock.milliseconds(),
    );
  };
  const begin = (): void => {
    while (running.size < needs.atOnce) {
      const next = nextTask(open, running, tried, served);
      if (next === null) return;
      served = markServed(served, next.creator);
      startTask(next.task);
    }
  };
  const startTask = (task: string): void => {
    tried.add(task);
    const done = handleTask(needs, task, ending.signal)
      .then((isOver) => {
        if (!isOver) return;
        open.delete(task);
        tried.delete(task);
      })
      .catch(onError)
      .finally(() => {
        running.delete(task);
        wake.now();
      });
    running.set(task, done);
  };
  const round = async (): Promise<void> => {
    await readLog();
    const now = clock.milliseconds();
    if (now - sweptAt >= sweepEveryMs) [sweptAt] = [now, tried.clear()];
    begin();
  };
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await round().catch(onError);
      await wake.wait(pollEveryMs, ending.signal);
    }
  };
  const ended = loop();
  return {
    stop: async () => {
      ending.abort();
      unsubscribe();
      await ended;
      await Promise.all(running.values());
      await readLog().catch(onError);
    },
  };
};

/** Fair scheduling: the next task among those that do not run. */
const nextTask = (
  open: ReadonlyMap<string, OpenTask>,
  inProgress: ReadonlyMap<string, unknown>,
  tried: ReadonlySet<string>,
  served: readonly string[],
) => {
  const claims = [...open].map(([task, { owner, creator }]) => ({ task, owner, creator }));
  const running = claims.filter(({ task }) => inProgress.has(task));
  const waiting = claims.filter(({ task }) => !inProgress.has(task) && !tried.has(task));
  return nextFairTask(waiting, running, served, shares);
};

const minPosition = (one: Position, other: Position): Position => (one < other ? one : other);

/** Applies the log's events from a position on; returns the position it reached. */
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

/** Runs one attempt; returns true if the task has ended, here or in another process. */
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

/** Retries the append of an outcome: without it the whole validation is repeated. */
const appendWithRetry = async (
  { clock, onError }: ValidationWorkerNeeds,
  append: () => Promise<{ readonly state: ScorerTask | null }>,
): Promise<boolean> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await append()).state?.isEnded === true;
    } catch (error) {
      if (attempt >= appendAttempts) throw error;
      onError(error);
      await clock.wait(pollEveryMs, new AbortController().signal);
    }
  }
};
const appendAttempts = 5;

const heartbeatLease = async (
  { clock, leases, worker, onError }: ValidationWorkerNeeds,
  lease: string,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    await clock.wait(renewEveryMs, signal);
    if (signal.aborted) return;
    await leases.acquire(lease, worker, leaseMs).catch(onError);
  }
};

const authorshipOf = (needs: ValidationWorkerNeeds, { request }: ScorerTask): Authorship =>
  serviceAuthorship(needs, request.organization_id, request.task_id);

/** Throttle interval of progress notifications. */
const publishEveryMs = 200;

const progressPublisher = ({ bus, clock }: ValidationWorkerNeeds, task: string) => {
  let publishedAt = -Infinity;
  return ({ steps, percent }: TaskProgress): void => {
    const now = clock.milliseconds();
    if (now - publishedAt < publishEveryMs) return;
    publishedAt = now;
    bus.publish(progressSubject, taskProgressMessage({ task, steps, percent }));
  };
};

/** Wakeup: `wait` returns after a call of `now`, or at the timeout. */
const openWakeup = (clock: Clock) => {
  let wakeup: AbortController | null = null;
  let isPending = false;
  return {
    now: (): void => {
      isPending = true;
      wakeup?.abort();
    },
    wait: async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      if (!isPending) {
        wakeup = new AbortController();
        await clock.wait(milliseconds, AbortSignal.any([wakeup.signal, signal]));
        wakeup = null;
      }
      isPending = false;
    },
  };
};
