import { customSearch } from '../../contract/metrics.js';
import { reading, type Route } from '../../contract/operation.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { invalid } from '../../kernel/fault.js';
import type { Records } from '../../kernel/records/records.js';
import { recordsCollection } from '../../projections/records/collection.js';
import type { RecordAnswers } from '../records/answers.js';
import {
  annotationTemplates,
  runCollections,
  runInSelection,
  type RunInProject,
  type TemplatesOf,
} from '../selection.js';
import { metricsRefusal } from './answer.js';
import { unknownMetrics } from '../filters/catalogue.js';
import type { UnknownKeys } from '../filters/metadata-keys.js';
import { columnsNamed, metricsAsked, planMetrics } from './plan.js';

type Needs = {
  readonly records: Pick<Records, 'metricTypes'>;
  readonly unknownKeys: UnknownKeys;
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
  reading(
    customSearch,
    [recordsCollection, ...runCollections, annotationTemplates],
    async ({ body, params: { project_id: project } }) => {
      const asked = metricsAsked(body);
      const [run, types, live] = await Promise.all([
        runInSelection(runInProject, project, body),
        asked.length > 0 ? records.metricTypes(project, asked) : new Map(),
        templatesOf(project),
      ]);
      const { plan, complaints } = planMetrics(body, types, live);
      if (plan === null) throw invalid(complaints);
      const json = await answers.metrics({ ...plan, project, run, templates: live });
      if ('refused' in json) throw metricsRefusal(plan, json);
      const columns = columnsNamed(plan);
      const keys = await unknownKeys(project, plan.population, columns);
      return {
        json,
        notes: { 'X-Unknown-Columns': [...unknownMetrics(columns, types), ...keys] },
      };
    },
    ({ body }) => [
      ...windowComplaints(body),
      ...selectorComplaints(body),
      // Without the project's metric types: what they add is a decision on state and comes later.
      ...planMetrics(body, null).complaints,
    ],
  ),
];
