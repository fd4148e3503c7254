import { selectedRun, type NamedRun } from '../contract/selectors.js';
import type { NamedTemplate } from '../kernel/records/feedback.js';
import { Fault } from '../kernel/fault.js';
import type { ProjectId, RunId } from '../kernel/schema-types.js';
import { annotationTemplateList } from '../projections/annotation-template-list.js';
import { experimentList } from '../projections/experiment-list.js';
import { metricsTestingRunList } from '../projections/metrics-testing-run-list.js';
import { logStreamList } from '../projections/log-stream-list.js';

/** True if the project has a live run of that kind and id, according to the read model. */
export type RunInProject = (project: ProjectId, run: NamedRun) => Promise<boolean>;

/**
 * Live annotation templates of a project in their order: `fully_annotated` requires ratings by all
 * of them (contract 3.7), aggregates show them, and rating columns are named by them.
 */
export type TemplatesOf = (project: ProjectId) => Promise<readonly NamedTemplate[]>;

/** Read model behind `templatesOf`, so that reads wait for it. */
export const templateCollection = annotationTemplateList.collection;

export const runKinds = ['log_stream', 'experiment', 'metrics_testing'] as const;

/** Read models behind `runInProject`, so that reads wait for them. */
export const runCollections = [
  logStreamList.collection,
  experimentList.collection,
  metricsTestingRunList.collection,
];

/**
 * The run that a request is restricted to, null for the whole project. An unknown run is a 404
 * (contract 3.1).
 */
export const selectRun = async (
  runInProject: RunInProject,
  project: ProjectId,
  body: Parameters<typeof selectedRun>[0],
): Promise<RunId | null> => {
  const run = selectedRun(body);
  if (run === null) return null;
  if (!(await runInProject(project, run))) throw new Fault('not-found', 'Run not found');
  return run.id;
};
