import { customSearch } from '../../contract/metrics.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { validationFault } from '../../kernel/fault.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import { recordsCollection } from '../../projections/records/collection.js';
import type { RecordAnswers } from '../records/answers.js';
import {
  templateCollection,
  runCollections,
  selectRun,
  type RunInProject,
  type TemplatesOf,
} from '../run-selection.js';
import { metricsRefusalFault } from './answer.js';
import { unknownMetrics } from '../filters/catalogue.js';
import type { FindUnknownKeys } from '../filters/unknown-metadata-keys.js';
import { columnsInPlan, metricsInRequest, planMetrics } from './plan.js';

type Needs = {
  readonly records: Pick<RecordQueries, 'metricTypes'>;
  readonly unknownKeys: FindUnknownKeys;
  readonly answers: Pick<RecordAnswers, 'metrics'>;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
};

export const metricReads = ({
  records,
  answers,
  runInProject,
  templatesOf,
  unknownKeys,
}: Needs): readonly Route[] => [
  readRoute(
    customSearch,
    [recordsCollection, ...runCollections, templateCollection],
    async ({ body, params: { project_id: project } }) => {
      const untyped = metricsInRequest(body);
      const [run, types, live] = await Promise.all([
        selectRun(runInProject, project, body),
        untyped.length > 0 ? records.metricTypes(project, untyped) : new Map(),
        templatesOf(project),
      ]);
      const { plan, complaints } = planMetrics(body, types, live);
      if (plan === null) throw validationFault(complaints);
      const json = await answers.metrics({ ...plan, project, run, templates: live });
      if ('refused' in json) throw metricsRefusalFault(plan, json);
      const columns = columnsInPlan(plan);
      const keys = await unknownKeys(project, plan.population, columns);
      return {
        json,
        notes: { 'X-Unknown-Columns': [...unknownMetrics(columns, types), ...keys] },
      };
    },
    ({ body }) => [
      ...windowComplaints(body),
      ...selectorComplaints(body),
      // Syntax only: checks that need the project's metric types depend on state and come later.
      ...planMetrics(body, null).complaints,
    ],
  ),
];
