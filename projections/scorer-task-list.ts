import type { ScorerTaskFacts } from '../contract/scorer-validation.js';
import { invalidResult } from '../contract/scorer-validation.js';
import { scorerTaskEvents, type ScorerTaskRequest } from '../events/scorer-tasks.js';
import { unreachable } from '../kernel/decision.js';
import type { Document } from '../kernel/documents.js';
import type { Projection } from './projection.js';

/** Validation tasks by id, in the scope of their project, or of their creator without one. */
export const scorerTaskList: Projection<typeof scorerTaskEvents, ScorerTaskFacts> = {
  collection: {
    name: 'scorer_task_list',
    version: 1,
    fields: { run_id: 'id', created_at: 'date' },
  },
  deletedWith: { scope: 'project' },
  events: scorerTaskEvents,
  keys: ({ data }) => [data.task_id],
  evolve: (document, { type, data }) => {
    if (type === 'ScorerValidationRequested') return documentOf(newTask(data));
    if (document === null) return null;
    const { body } = document;
    switch (type) {
      case 'ScorerValidationStarted':
        return documentOf({
          ...body,
          status: 'in_progress',
          attempts: data.attempt,
          processing_started: data.started_at,
          updated_at: data.started_at,
        });
      case 'ScorerValidationCompleted':
        return documentOf({
          ...body,
          status: 'completed',
          result: data.result,
          ended_at: data.completed_at,
          updated_at: data.completed_at,
        });
      case 'ScorerValidationFailed':
        return documentOf({
          ...body,
          status: 'failed',
          result: invalidResult(data.message),
          error_message: data.message,
          ended_at: data.failed_at,
          updated_at: data.failed_at,
        });
      default:
        return unreachable(type);
    }
  },
};

const newTask = (data: ScorerTaskRequest): ScorerTaskFacts => ({
  id: data.task_id,
  organization_id: data.organization_id,
  project_id: data.project_id,
  run_id: data.run_id,
  created_by: data.created_by,
  created_at: data.created_at,
  updated_at: data.created_at,
  status: 'unstarted',
  steps_total: data.dataset?.num_rows ?? 1,
  attempts: 0,
  processing_started: null,
  ended_at: null,
  result: null,
  error_message: null,
  request_data: {
    ...(data.dataset !== null && {
      dataset_id: data.dataset.dataset_id,
      dataset_version_index: data.dataset.version_index,
      starting_token: data.dataset.starting_token,
      limit: data.dataset.limit,
    }),
    required_scorers: data.required_scorers,
    scoreable_node_types: data.scoreable_node_types,
    score_type: data.score_type,
    sha256: data.sha256,
  },
});

const documentOf = (facts: ScorerTaskFacts): Document<ScorerTaskFacts> => ({
  key: facts.id,
  scope: facts.project_id ?? facts.created_by,
  fields: { run_id: facts.run_id, created_at: facts.created_at },
  body: facts,
});
