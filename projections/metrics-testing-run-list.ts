import type { MetricsTestingRunEvent } from '../events/scorer-tasks.js';
import type { ScorerTaskId } from '../kernel/shapes.js';
import type { Projection } from './projection.js';

/** The run of a validation names its task. */
export type MetricsTestingRun = { readonly task_id: ScorerTaskId };

/** Metrics-testing runs by id, in the scope of their project. */
export const metricsTestingRunList: Projection<MetricsTestingRunEvent, MetricsTestingRun> = {
  collection: { name: 'metrics_testing_run_list', version: 1, fields: {} },
  types: ['MetricsTestingRunCreated'],
  keys: ({ data }) => [data.run_id],
  evolve: (_document, { data }) => ({
    key: data.run_id,
    scope: data.project_id,
    fields: {},
    body: { task_id: data.task_id },
  }),
};
