import { validationName } from '../contract/jobs.js';
import type { RunSummary } from '../contract/projects.js';
import { metricsTestingRunEvents } from '../events/scorer-tasks.js';
import type { ScorerTaskId } from '../kernel/schema-types.js';
import type { Projection } from './projection.js';

/** The run of a scorer validation, with its task. */
export type MetricsTestingRun = Omit<RunSummary, 'kind'> & { readonly task_id: ScorerTaskId };

/** Metrics-testing runs by id, in the scope of their project. */
export const metricsTestingRunList: Projection<typeof metricsTestingRunEvents, MetricsTestingRun> =
  {
    collection: {
      name: 'metrics_testing_run_list',
      version: 2,
      fields: { created_at: 'date' },
    },
    deletedWith: { scope: 'project' },
    events: metricsTestingRunEvents,
    keys: ({ data }) => [data.run_id],
    evolve: (_document, { data }) => ({
      key: data.run_id,
      scope: data.project_id,
      fields: { created_at: data.created_at },
      body: {
        id: data.run_id,
        name: validationName,
        created_at: data.created_at,
        updated_at: data.created_at,
        task_id: data.task_id,
      },
    }),
  };
