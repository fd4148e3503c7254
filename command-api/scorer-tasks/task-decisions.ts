import { runningTasksMax, waitingTasksMax } from '../../contract/scorer-validation.js';
import type {
  ScorerFileEvent,
  ScorerQueueEvent,
  ScorerTaskEvent,
  ScorerTaskRequest,
} from '../../events/scorer-tasks.js';
import { reject, type Decide, type Fold } from '../../kernel/decision.js';
import type { Instant, ScorerTaskId } from '../../kernel/schema-types.js';
import type { ScorerFile } from '../facts/scorer-files.js';
import type { ScorerTask } from '../facts/scorer-tasks.js';

export const requestValidation =
  (request: ScorerTaskRequest): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null ? [{ type: 'ScorerValidationRequested', data: request }] : [];

/** Limit of attempts: a lost worker's task is retried up to this many in all. */
export const attemptsMax = 3;

/** Starts an attempt by this worker; no event when the task has ended or reached `attemptsMax`. */
export const startAttempt =
  (worker: string, at: Instant): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null || task.isEnded || task.attempts >= attemptsMax
      ? []
      : [
          {
            type: 'ScorerValidationStarted',
            data: {
              task_id: task.request.task_id,
              attempt: task.attempts + 1,
              worker,
              started_at: at,
            },
          },
        ];

type Outcome = Extract<
  ScorerTaskEvent,
  { readonly type: 'ScorerValidationCompleted' | 'ScorerValidationFailed' }
>;

/**
 * Ends a task; no event when it has ended, or another worker has taken over: one outcome is enough.
 */
export const endTask =
  (outcome: Outcome, worker: string): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null || task.isEnded || task.worker !== worker ? [] : [outcome];

/** Ends a task without a worker. */
export const abandonTask =
  (outcome: Outcome): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null || task.isEnded ? [] : [outcome];

/** Admitted tasks that are not known to be finished, with the time of admission. */
type ScorerQueue = ReadonlyMap<ScorerTaskId, Instant>;

export const scorerQueues: Fold<ScorerQueue, ScorerQueueEvent> = {
  initial: new Map(),
  evolve: (queue, { data }) =>
    new Map([
      ...[...queue].filter(([task]) => !data.left.includes(task)),
      [data.task_id, data.queued_at],
    ]),
};

/** Admits a task, unless the queue is full. `left`: its finished tasks. */
export const enqueueScorerTask =
  (
    owner: string,
    task: ScorerTaskId,
    left: readonly ScorerTaskId[],
    at: Instant,
  ): Decide<ScorerQueue, ScorerQueueEvent> =>
  (queue) => {
    if (queue.has(task)) return [];
    const open = [...queue.keys()].filter((one) => !left.includes(one)).length;
    if (open >= runningTasksMax + waitingTasksMax) {
      return reject('too-many', 'Too many validations are running and waiting here', {
        retryAfterSeconds: 10,
      });
    }
    return [
      {
        type: 'ScorerTaskQueued',
        data: { owner_id: owner, task_id: task, left: [...left], queued_at: at },
      },
    ];
  };

/** Records a valid file; no event when the same is recorded. */
export const recordValidFile =
  (found: ScorerFile): Decide<ScorerFile | null, ScorerFileEvent> =>
  (known) =>
    known !== null && isSame(known, found) ? [] : [{ type: 'ScorerFileValidated', data: found }];

const isSame = (one: ScorerFile, other: ScorerFile): boolean =>
  one.score_type === other.score_type &&
  one.chain_aggregation === other.chain_aggregation &&
  one.scoreable_node_types.join() === other.scoreable_node_types.join();
