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
  (asked: ScorerTaskRequest): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null ? [{ type: 'ScorerValidationRequested', data: asked }] : [];

/** A lost worker's task is taken again, at most this often in all. */
export const attemptsMax = 3;

/** Taken by this worker; quiet when the task has ended or was tried too often. */
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

/** Quiet when it has ended, or when another worker has it by now: one outcome is enough. */
export const endTask =
  (outcome: Outcome, worker: string): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null || task.isEnded || task.worker !== worker ? [] : [outcome];

/** Ends a task that no worker has. */
export const abandonTask =
  (outcome: Outcome): Decide<ScorerTask | null, ScorerTaskEvent> =>
  (task) =>
    task === null || task.isEnded ? [] : [outcome];

/** Tasks that were let in and not seen to be finished, with when. */
type ScorerQueue = ReadonlyMap<ScorerTaskId, Instant>;

export const scorerQueues: Fold<ScorerQueue, ScorerQueueEvent> = {
  initial: new Map(),
  evolve: (queue, { data }) =>
    new Map([
      ...[...queue].filter(([task]) => !data.left.includes(task)),
      [data.task_id, data.queued_at],
    ]),
};

/** `left`: those of the queue that are finished. */
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

/** Quiet when the same is known already. */
export const recordValidFile =
  (found: ScorerFile): Decide<ScorerFile | null, ScorerFileEvent> =>
  (known) =>
    known !== null && isSame(known, found) ? [] : [{ type: 'ScorerFileValidated', data: found }];

const isSame = (one: ScorerFile, other: ScorerFile): boolean =>
  one.score_type === other.score_type &&
  one.chain_aggregation === other.chain_aggregation &&
  one.scoreable_node_types.join() === other.scoreable_node_types.join();
