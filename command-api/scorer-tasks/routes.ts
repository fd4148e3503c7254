import { writeRoute, type Route, type Upload } from '../../contract/operation.js';
import type { Principal } from '../../contract/roles.js';
import {
  taskSubject,
  validateScorer,
  validateScorerOnDataset,
} from '../../contract/scorer-validation.js';
import type {
  MetricsTestingRunEvent,
  ScorerTaskEvent,
  ScorerTaskRequest,
} from '../../events/scorer-tasks.js';
import type { Decision } from '../../kernel/decision.js';
import { Fault } from '../../kernel/fault.js';
import type { EventLog, Position, StreamName } from '../../kernel/ports.js';
import { claimGraceSeconds } from '../../kernel/name-reservation.js';
import type { NodeType, ScoreType } from '../../kernel/sandbox.js';
import type { ProjectId, RunId, ScorerTaskId } from '../../kernel/schema-types.js';
import { loadStreamState, transact, type Authorship } from '../../kernel/transact.js';
import { visibleDataset } from '../access/dataset-visibility.js';
import { runs, type Run, runStream } from '../facts/runs.js';
import { scorerTasks, scorerQueueStream, scorerTaskStream } from '../facts/scorer-tasks.js';
import { sha256HexOf, fileComplaints, sourceOf } from '../facts/scorer-source.js';
import { checkRequiredScorers } from '../facts/required-scorers.js';
import { validationProject, requestedRows } from './requested-rows.js';
import { enqueueScorerTask, scorerQueues, requestValidation } from './task-decisions.js';
import type { ScorerTaskNeeds } from './needs.js';

/** Write routes of validations (contract 4.11, 5.10). */
export const scorerTaskWrites = (needs: ScorerTaskNeeds): readonly Route[] => [
  validateOnDatasetRoute(needs),
  validateScorerRoute(needs),
];

const validateOnDatasetRoute = (needs: ScorerTaskNeeds): Route =>
  writeRoute(
    validateScorerOnDataset,
    async ({ body, files, principal, cause, mint }) => {
      const seen = await visibleDataset(needs, principal, body.dataset_id);
      if (seen === null) throw new Fault('not-found', 'Dataset not found');
      const dataset = requestedRows(seen.dataset, body);
      const request = await taskRequestOf(needs, { body, files, principal, cause });
      const project = await validationProject(needs, principal, seen.dataset, cause);
      const task = mint('ScorerTaskId');
      const run = mint('RunId');
      await enqueueTask(needs, project, task, cause);
      await createTestingRun(needs, { run, project, task, principal }, cause);
      const sent = { ...request, task_id: task, project_id: project, run_id: run };
      const position = await requestTask(needs, { ...sent, dataset, sample: null }, cause);
      return {
        position,
        body: { metrics_experiment_id: run, project_id: project, task_id: task },
      };
    },
    ({ files }) => fileComplaints(files['file']),
  );

const validateScorerRoute = (needs: ScorerTaskNeeds): Route =>
  writeRoute(
    validateScorer,
    async ({ body, files, principal, cause, mint }) => {
      const request = await taskRequestOf(needs, { body, files, principal, cause });
      const task = mint('ScorerTaskId');
      await enqueueTask(needs, principal.userId, task, cause);
      const sample = {
        input: body.test_input ?? 'test input',
        output: body.test_output ?? 'test output',
      };
      const nowhere = { project_id: null, run_id: null, dataset: null };
      const position = await requestTask(
        needs,
        { ...request, ...nowhere, task_id: task, sample },
        cause,
      );
      return { position, body: { task_id: task } };
    },
    ({ files }) => fileComplaints(files['file']),
  );

type ValidationBody = {
  readonly body: {
    readonly required_scorers?: readonly string[] | null;
    readonly scoreable_node_types?: readonly NodeType[] | null;
    readonly score_type?: ScoreType | null;
  };
  readonly files: Readonly<Record<string, Upload>>;
  readonly principal: Principal;
  readonly cause: Authorship;
};

const taskRequestOf = async (
  needs: ScorerTaskNeeds,
  { body, files, principal, cause }: ValidationBody,
): Promise<Omit<ScorerTaskRequest, 'task_id' | 'project_id' | 'run_id' | 'dataset' | 'sample'>> => {
  const { file } = files;
  const source = file === undefined ? null : sourceOf(file);
  // Checked by the route's complaints.
  if (file === undefined || source === null)
    throw new Fault('malformed', 'The form has no part named file');
  const { organizationId } = principal;
  const required = await checkRequiredScorers(needs, organizationId, {
    names: body.required_scorers,
    isUsable: ({ versions }) => versions.length > 0,
  });
  const kinds = [...new Set(body.scoreable_node_types ?? [])];
  return {
    organization_id: principal.organizationId,
    source,
    sha256: await sha256HexOf(file.bytes),
    required_scorers: [...required],
    scoreable_node_types: kinds.length === 0 ? null : kinds,
    score_type: body.score_type ?? null,
    created_by: principal.userId,
    created_at: cause.at,
  };
};

/**
 * Admits a task to the queue. Throws Fault `too-many` when the queue of the project or person is
 * full (contract 1.11).
 */
const enqueueTask = async (
  { log, keyedMutex }: ScorerTaskNeeds,
  owner: string,
  task: ScorerTaskId,
  cause: Authorship,
): Promise<void> => {
  const stream = scorerQueueStream(owner);
  await keyedMutex([stream], () => appendToQueue({ log, stream, owner, task, cause }));
};

type QueueEntry = {
  readonly log: EventLog;
  readonly stream: StreamName;
  readonly owner: string;
  readonly task: ScorerTaskId;
  readonly cause: Authorship;
};

const endEventTypes: readonly string[] = [
  'ScorerValidationCompleted',
  'ScorerValidationFailed',
] satisfies readonly ScorerTaskEvent['type'][];

const appendToQueue = async ({ log, stream, owner, task, cause }: QueueEntry): Promise<void> => {
  const { state: queue } = await loadStreamState(log, stream, scorerQueues);
  const checked = await Promise.all(
    [...queue].map(async ([one, since]) => {
      // The type only: the content is a file, or results of a megabyte.
      const last = await log.last(scorerTaskStream(one));
      // Admitted by a request that was interrupted before it requested the task.
      const isLate = Date.parse(cause.at) - Date.parse(since) > claimGraceSeconds * 1_000;
      return { task: one, isOver: last === null ? isLate : endEventTypes.includes(last.type) };
    }),
  );
  const left = checked.filter(({ isOver }) => isOver).map((one) => one.task);
  await transact(log, stream, scorerQueues, enqueueScorerTask(owner, task, left, cause.at), cause);
};

type MetricsTestingRun = {
  readonly run: RunId;
  readonly project: ProjectId;
  readonly task: ScorerTaskId;
  readonly principal: Principal;
};

const createTestingRun = async (
  { log }: ScorerTaskNeeds,
  { run, project, task, principal }: MetricsTestingRun,
  cause: Authorship,
): Promise<void> => {
  const decide = (known: Run | null): Decision<MetricsTestingRunEvent> =>
    known !== null
      ? []
      : [
          {
            type: 'MetricsTestingRunCreated',
            data: {
              run_id: run,
              project_id: project,
              organization_id: principal.organizationId,
              task_id: task,
              created_by: principal.userId,
              created_at: cause.at,
            },
          },
        ];
  await transact(log, runStream(run), runs, decide, cause);
};

const requestTask = async (
  { log, bus }: ScorerTaskNeeds,
  request: ScorerTaskRequest,
  cause: Authorship,
): Promise<Position> => {
  const stream = scorerTaskStream(request.task_id);
  const { position } = await transact(log, stream, scorerTasks, requestValidation(request), cause);
  bus.publish(taskSubject, { task: request.task_id });
  return position;
};
