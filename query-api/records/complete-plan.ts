import type { RecordSearch } from '../../contract/record-reads.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { validationFault, type Complaint } from '../../kernel/fault.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import type { SearchPlan } from '../../kernel/records/query-plans.js';
import type { Population } from '../../kernel/records/record.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { ProjectId } from '../../kernel/schema-types.js';
import { selectRun, type RunInProject, type TemplatesOf } from '../run-selection.js';
import { unknownMetrics } from '../filters/catalogue.js';
import type { FindUnknownKeys } from '../filters/unknown-metadata-keys.js';
import { columnsInFields } from './fields.js';
import { columnsInSearch, metricsInSearch, planSearch } from './plan.js';

type Needs = {
  readonly records: Pick<RecordQueries, 'metricTypes'>;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
  /** Absent: user metadata keys are not looked up. */
  readonly unknownKeys?: FindUnknownKeys;
};

/** Validates a search without reading records. */
export const searchComplaints =
  (population: Population) =>
  ({ body }: { readonly body: RecordSearch }): readonly Complaint[] => [
    ...selectorComplaints(body),
    // Syntax only: checks that need the project's metric types depend on state and come later.
    ...planSearch(body, population, null).complaints,
    ...windowComplaints(body),
  ];

/** Plan of a search, and the notes of its response. */
type CompletePlan = {
  readonly plan: SearchPlan;
  readonly notes: { readonly 'X-Unknown-Columns': readonly string[] };
  readonly templates: readonly FeedbackTemplate[];
};

/**
 * Completes the plan of a search. Throws Fault `not-found` for a run that the project does not
 * have, and `invalid`.
 */
export const completePlan = async (
  { records, runInProject, templatesOf, unknownKeys }: Needs,
  project: ProjectId,
  body: RecordSearch,
  population: Population,
): Promise<CompletePlan> => {
  const metrics = metricsInSearch(body, population);
  const [run, types, templates] = await Promise.all([
    selectRun(runInProject, project, body),
    metrics.length > 0 ? records.metricTypes(project, metrics) : new Map(),
    templatesOf(project),
  ]);
  const { plan, complaints } = planSearch(body, population, types, templates);
  if (plan === null) throw validationFault(complaints);
  const columns = [...columnsInSearch(plan), ...columnsInFields(body.fields)];
  const keys = (await unknownKeys?.(project, population, columns)) ?? [];
  return {
    plan: { ...plan, project, run, templates },
    notes: { 'X-Unknown-Columns': [...unknownMetrics(columns, types), ...keys] },
    templates,
  };
};
