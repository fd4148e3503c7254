import { Type, type Static } from 'typebox';
import { nodeTypes, scoreTypes } from '../kernel/sandbox.js';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type Instant,
  type Json,
  type JsonObject,
  type OrganizationId,
  type ProjectId,
  type RunId,
  type ScorerTaskId,
  type UserId,
} from '../kernel/schema-types.js';
import { exampleIds } from './example-ids.js';
import { operation } from './operation.js';

/** Limits of contract 1.11. */
export const scorerFileBytesMax = 262_144;
export const validationRowsMax = 1_000;
export const runningTasksMax = 2;
export const waitingTasksMax = 20;
const requiredScorersMax = 100;
const scorerNameMax = 128;

const parts = {
  required_scorers: nullish(
    Type.Array(Type.String({ minLength: 1, maxLength: scorerNameMax }), {
      maxItems: requiredScorersMax,
    }),
  ),
  scoreable_node_types: nullish(Type.Array(oneOf(nodeTypes), { maxItems: nodeTypes.length })),
  score_type: nullish(oneOf(scoreTypes)),
};
const file = { file: { required: true, bytesMax: scorerFileBytesMax } };

export const validateScorerOnDataset = operation({
  operationId: 'validateScorerOnDataset',
  summary: 'Validate a code scorer against rows of a dataset',
  description: 'Runs in the background, in a sandbox: poll the task for the result.',
  example: { dataset_id: exampleIds.dataset_id, score_type: 'float', limit: 10 },
  section: '4.11',
  method: 'POST',
  path: '/v2/scorers/code/validate/dataset',
  requires: 'signed-in',
  form: {
    files: file,
    parts: Type.Object({
      dataset_id: id('DatasetId'),
      dataset_version_index: nullish(Type.Integer()),
      limit: nullish(Type.Integer({ minimum: 1, maximum: validationRowsMax })),
      starting_token: nullish(Type.Integer({ minimum: 0 })),
      ...parts,
    }),
    otherFiles: 'refused',
  },
  response: Type.Object({
    metrics_experiment_id: id('RunId'),
    project_id: id('ProjectId'),
    task_id: id('ScorerTaskId'),
  }),
  faults: ['not-found', 'forbidden', 'already-exists'],
});

export const validateScorer = operation({
  operationId: 'validateScorer',
  summary: 'Validate a code scorer on one sample',
  description:
    'One sample for each type of node. Runs in the background, in a sandbox: poll the task.',
  example: { test_input: 'a flight, please', test_output: 'booked', score_type: 'float' },
  section: '5.10',
  method: 'POST',
  path: '/v2/scorers/code/validate',
  requires: 'creator',
  form: {
    files: file,
    parts: Type.Object({
      test_input: nullish(Type.String()),
      test_output: nullish(Type.String()),
      ...parts,
    }),
    otherFiles: 'refused',
  },
  response: Type.Object({ task_id: id('ScorerTaskId') }),
});

/** Result of a validation; a version of the scorer is added with it. */
export const scorerTaskResult = namedSchema(
  'ScorerTaskResult',
  Type.Object({
    result: Type.Unsafe<JsonObject>(Type.Object({}, { additionalProperties: true })),
  }),
);
const task = namedSchema(
  'ScorerTask',
  Type.Object({
    id: id('ScorerTaskId'),
    created_at: instant,
    updated_at: instant,
    status: oneOf(['pending', 'completed', 'failed']),
    result: nullable(scorerTaskResult),
    metrics_experiment_id: nullable(id('RunId')),
    project_id: nullable(id('ProjectId')),
    progress_percent: Type.Number(),
  }),
);

export const pollScorerValidation = operation({
  operationId: 'pollScorerValidation',
  summary: 'A validation task of a code scorer',
  description:
    '`result` is null until the task is completed or failed. `unknown_parameters` in it names ' +
    'parameters of `scorer_fn` that nothing is passed for, `known_parameters` all that are passed.',
  section: '4.13',
  method: 'GET',
  path: '/v2/scorers/code/validate/{task_id}',
  requires: 'scorer-task',
  /** Also the id of the validation's run. */
  response: task,
});

export const scorerValidationOperations = [
  validateScorerOnDataset,
  validateScorer,
  pollScorerValidation,
];

/** Task as folded from the log. */
export type ScorerTaskFacts = {
  readonly id: ScorerTaskId;
  readonly organization_id: OrganizationId;
  readonly project_id: ProjectId | null;
  readonly run_id: RunId | null;
  readonly created_by: UserId;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly status: 'unstarted' | 'in_progress' | 'completed' | 'failed';
  /** Number of rows; 1 for a sample. */
  readonly steps_total: number;
  readonly attempts: number;
  readonly processing_started: Instant | null;
  readonly ended_at: Instant | null;
  readonly result: JsonObject | null;
  readonly error_message: string | null;
  /** Request members without the file. */
  readonly request_data: JsonObject;
};

/** Progress, kept out of events: finished `steps` of the task, and their share in percent. */
export type TaskProgress = { readonly steps: number; readonly percent: number };

export const scorerTaskAnswer = (
  facts: ScorerTaskFacts,
  progress: TaskProgress | null,
): Static<typeof task> => {
  const isEnded = facts.status === 'completed' || facts.status === 'failed';
  return {
    id: facts.id,
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    status: isEnded ? facts.status : 'pending',
    result: facts.result === null ? null : { result: facts.result },
    metrics_experiment_id: facts.run_id,
    project_id: facts.project_id,
    progress_percent: isEnded ? 100 : (progress?.percent ?? 0),
  };
};

/** `result.result` of a task whose file is invalid or that could not run. */
export const invalidResult = (message: string): JsonObject => ({
  result_type: 'invalid',
  error_message: message,
});

/**
 * Notification subjects from workers to request handlers (`NotificationBus`): a new task, and the
 * progress of one.
 */
export const taskSubject = 'scorer-task';
export const progressSubject = 'scorer-progress';
export type TaskProgressMessage = { readonly task: string } & TaskProgress;
export const taskProgressMessage = (progress: TaskProgressMessage): Json => ({ ...progress });
