// Stored for ever: names and members below are the storage format; versions are in upcasts.ts.
import { Type } from 'typebox';
import type { ChainAggregation, NodeType, SandboxMode, ScoreType } from '../kernel/sandbox.js';
import { id, instant, nullable, type JsonObject } from '../kernel/schema-types.js';
import { logStreamNoun } from './log-streams.js';
import type { Noun } from './noun.js';
import { event, type DataOf, type EventOf } from './schemas.js';

const scoreType = Type.Unsafe<ScoreType>(Type.String());
const nodeTypes = Type.Array(Type.Unsafe<NodeType>(Type.String()));
const chainAggregation = nullable(Type.Unsafe<ChainAggregation>(Type.String()));

export const scorerTaskEvents = {
  ScorerValidationRequested: event('entity create', {
    task_id: id('ScorerTaskId'),
    organization_id: id('OrganizationId'),
    /** Null, like `run_id` and `dataset`: a single sample. */
    project_id: nullable(id('ProjectId')),
    run_id: nullable(id('RunId')),
    /** File, and its SHA-256 in hex. */
    source: Type.String(),
    sha256: Type.String(),
    dataset: nullable(
      Type.Object({
        dataset_id: id('DatasetId'),
        version_index: Type.Integer(),
        starting_token: Type.Integer(),
        limit: Type.Integer(),
        /** Number of rows. */
        num_rows: Type.Integer(),
      }),
    ),
    sample: nullable(Type.Object({ input: Type.String(), output: Type.String() })),
    required_scorers: Type.Array(Type.String()),
    /** Null: as the file declares. */
    scoreable_node_types: nullable(nodeTypes),
    score_type: nullable(scoreType),
    created_by: id('UserId'),
    created_at: instant,
  }),
  /** A worker took the task: for the first time, or after the last worker was lost. */
  ScorerValidationStarted: event('entity create', {
    task_id: id('ScorerTaskId'),
    /** Attempt, from 1. */
    attempt: Type.Integer(),
    worker: Type.String(),
    started_at: instant,
  }),
  /** The file was judged; `result` is `result.result` of contract 4.13. */
  ScorerValidationCompleted: event('entity update', {
    task_id: id('ScorerTaskId'),
    sandbox: Type.Unsafe<SandboxMode>(Type.String()),
    result: Type.Unsafe<JsonObject>(Type.Object({})),
    completed_at: instant,
  }),
  /** The file could not be judged (contract 4.13, rule 2); the message begins with the reason. */
  ScorerValidationFailed: event('entity update', {
    task_id: id('ScorerTaskId'),
    message: Type.String(),
    failed_at: instant,
  }),
};
export const metricsTestingRunEvents = {
  /** Stream `run-<run>`: the run of a validation (contract 4.11, rule 4). */
  MetricsTestingRunCreated: event('entity create', {
    run_id: id('RunId'),
    project_id: id('ProjectId'),
    organization_id: id('OrganizationId'),
    task_id: id('ScorerTaskId'),
    created_by: id('UserId'),
    created_at: instant,
  }),
};
const scorerQueueEvents = {
  /**
   * Stream `scorer-queue-<project>`, for single samples `scorer-queue-<user>`: admits a task; those
   * in `left` were found to be finished.
   */
  ScorerTaskQueued: event('entity create', {
    owner_id: Type.String(),
    task_id: id('ScorerTaskId'),
    left: Type.Array(id('ScorerTaskId')),
    queued_at: instant,
  }),
};
const scorerFileEvents = {
  /** Stream `scorer-file-<digest>` of an organisation and a file: the file is valid. */
  ScorerFileValidated: event('entity update', {
    organization_id: id('OrganizationId'),
    sha256: Type.String(),
    task_id: id('ScorerTaskId'),
    score_type: scoreType,
    scoreable_node_types: nodeTypes,
    chain_aggregation: chainAggregation,
  }),
};

export const scorerTaskNoun: Noun = {
  stream: { name: 'scorer-task-<task>', subject: 'scorer task', erasedWith: 'project' },
  events: scorerTaskEvents,
};

export const metricsTestingRunNoun: Noun = {
  stream: logStreamNoun.stream,
  events: metricsTestingRunEvents,
  resource: 'scorer_task',
};

export const scorerQueueNoun: Noun = {
  stream: {
    name: 'scorer-queue-<project>',
    subject: 'organization',
    erasedWith: 'project',
    isTechnical: true,
  },
  events: scorerQueueEvents,
};

export const scorerFileNoun: Noun = {
  stream: {
    name: 'scorer-file-<digest>',
    subject: 'organization',
    erasedWith: null,
    isTechnical: true,
  },
  events: scorerFileEvents,
};

export type ScorerTaskEvent = EventOf<typeof scorerTaskEvents>;
export type MetricsTestingRunEvent = EventOf<typeof metricsTestingRunEvents>;
export type ScorerQueueEvent = EventOf<typeof scorerQueueEvents>;
export type ScorerFileEvent = EventOf<typeof scorerFileEvents>;

export type ScorerTaskRequest = DataOf<ScorerTaskEvent, 'ScorerValidationRequested'>;
