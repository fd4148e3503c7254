import { scorerTasks } from '../../command-api/facts/scorer-tasks.js';
import { scorerFiles } from '../../command-api/facts/scorer-files.js';
import {
  attemptsMax,
  endTask,
  enqueueScorerTask,
  abandonTask,
  scorerQueues,
  requestValidation,
  startAttempt,
  recordValidFile,
} from '../../command-api/scorer-tasks/task-decisions.js';
import type {
  ScorerFileEvent,
  ScorerQueueEvent,
  ScorerTaskEvent,
  ScorerTaskRequest,
} from '../../events/scorer-tasks.js';
import type { ScorerTaskId } from '../../kernel/schema-types.js';
import { deciderSpec } from '../support/decider-spec.js';
import { instantAfter } from '../support/test-log.js';
import { organization, userId } from '../support/access-events.js';

const task = (number: number): ScorerTaskId =>
  `f0000000-0000-4000-8000-${String(number).padStart(12, '0')}` as ScorerTaskId;
const at = instantAfter(5);
const asked: ScorerTaskRequest = {
  task_id: task(1),
  organization_id: organization,
  project_id: null,
  run_id: null,
  source: 'x = 1',
  sha256: 'ab',
  dataset: null,
  sample: { input: 'a', output: 'b' },
  required_scorers: [],
  scoreable_node_types: null,
  score_type: null,
  created_by: userId(1),
  created_at: instantAfter(0),
};
const requested: ScorerTaskEvent = { type: 'ScorerValidationRequested', data: asked };
const started = (attempt: number, worker = 'one'): ScorerTaskEvent => ({
  type: 'ScorerValidationStarted',
  data: { task_id: task(1), attempt, worker, started_at: at },
});
const completed = {
  type: 'ScorerValidationCompleted',
  data: { task_id: task(1), sandbox: 'strict', result: {}, completed_at: at },
} as const;
const failed = {
  type: 'ScorerValidationFailed',
  data: { task_id: task(1), message: 'gave_up: three attempts', failed_at: at },
} as const;

describe('a validation task', () => {
  const given = deciderSpec(scorerTasks);

  it('is requested once', () => {
    given().when(requestValidation(asked)).then(requested);
    given(requested).when(requestValidation(asked)).thenNothing();
  });

  it('is retried after its worker was lost, three attempts in all', () => {
    // Whether the last worker is lost is for its lease to say; each worker takes it under a name
    // of its own, so a decision to take repeats only as another attempt.
    const isTaken = (...events: readonly ScorerTaskEvent[]) => {
      const state = events.reduce(scorerTasks.evolve, scorerTasks.initial);
      return startAttempt('two', at)(state);
    };
    deciderSpec(scorerTasks)(requested, started(1), started(2), started(attemptsMax))
      .when(startAttempt('two', at))
      .thenNothing();
    if (JSON.stringify(isTaken(requested, started(1))) !== JSON.stringify([started(2, 'two')])) {
      throw new Error('the second attempt is not the second');
    }
    given(requested, started(1), completed).when(startAttempt('two', at)).thenNothing();
    given().when(startAttempt('two', at)).thenNothing();
  });

  it('ends once, by the worker that has it', () => {
    given(requested, started(1)).when(endTask(completed, 'one')).then(completed);
    given(requested, started(1), started(2, 'two')).when(endTask(completed, 'one')).thenNothing();
    given(requested, started(1), failed).when(endTask(completed, 'one')).thenNothing();
  });

  it('is given up by the worker that finds it tried too often', () => {
    given(requested, started(3)).when(abandonTask(failed)).then(failed);
    given(requested, started(1), completed).when(abandonTask(failed)).thenNothing();
  });
});

describe('the queue of validations', () => {
  const given = deciderSpec(scorerQueues);
  const queued = (number: number, left: readonly ScorerTaskId[] = []): ScorerQueueEvent => ({
    type: 'ScorerTaskQueued',
    data: { owner_id: 'p', task_id: task(number), left: [...left], queued_at: at },
  });
  const full = Array.from({ length: 22 }, (_, index) => queued(index));

  it('admits two that run and twenty that wait', () => {
    given(...full.slice(1))
      .when(enqueueScorerTask('p', task(99), [], at))
      .then(queued(99));
    given(...full)
      .when(enqueueScorerTask('p', task(99), [], at))
      .thenRejected('too-many');
    given(...full)
      .when(enqueueScorerTask('p', task(3), [], at))
      .thenNothing();
  });

  it('frees a place for each finished task', () => {
    given(...full)
      .when(enqueueScorerTask('p', task(99), [task(0)], at))
      .then(queued(99, [task(0)]));
  });
});

describe('validated scorer file', () => {
  const data: ScorerFileEvent['data'] = {
    organization_id: organization,
    sha256: 'ab',
    task_id: task(1),
    score_type: 'bool',
    scoreable_node_types: ['llm'],
    chain_aggregation: null,
  };

  it('is recorded once, until it changes', () => {
    const known: ScorerFileEvent = { type: 'ScorerFileValidated', data };
    deciderSpec(scorerFiles)().when(recordValidFile(data)).then(known);
    deciderSpec(scorerFiles)(known)
      .when(recordValidFile({ ...data, task_id: task(2) }))
      .thenNothing();
    const other = { ...data, score_type: 'int' as const };
    deciderSpec(scorerFiles)(known)
      .when(recordValidFile(other))
      .then({ type: 'ScorerFileValidated', data: other });
  });
});
