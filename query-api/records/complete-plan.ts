import type { RecordSearch } from '../../contract/record-reads.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { invalid, type Complaint } from '../../kernel/fault.js';
import type { FeedbackTemplate } from '../../kernel/records/feedback.js';
import type { SearchPlan } from '../../kernel/records/questions.js';
import type { Population } from '../../kernel/records/record.js';
import type { Records } from '../../kernel/records/records.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { runInSelection, type RunInProject, type TemplatesOf } from '../selection.js';
import { unknownMetrics } from '../filters/catalogue.js';
import type { UnknownKeys } from '../filters/metadata-keys.js';
import { columnsNamed, metricsNamed, planSearch } from './plan.js';

type Needs = {
  readonly records: Pick<Records, 'metricTypes'>;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
  /** Absent: keys of user metadata are not looked up. */
  readonly unknownKeys?: UnknownKeys;
};

/** Complaints about a search, of what needs no look at the records. */
export const checkOf =
  (population: Population) =>
  ({ body }: { readonly body: RecordSearch }): readonly Complaint[] => [
    ...selectorComplaints(body),
    // Without the project's metric types: what they add is a decision on state and comes later.
    ...planSearch(body, population, null).complaints,
    ...windowComplaints(body),
  ];

/** What a search asks of the records, and what its answer has to say of it. */
type CompletePlan = {
  readonly plan: SearchPlan;
  readonly notes: { readonly 'X-Unknown-Columns': readonly string[] };
  readonly templates: readonly FeedbackTemplate[];
};

/**
 * What a search asks of the records. Throws Fault `not-found` for a run that the project does not
 * have, and `invalid`.
 */
export const completePlan = async (
  { records, runInProject, templatesOf, unknownKeys }: Needs,
  project: ProjectId,
  body: RecordSearch,
  population: Population,
): Promise<CompletePlan> => {
  const metrics = metricsNamed(body, population);
  const [run, types, templates] = await Promise.all([
    runInSelection(runInProject, project, body),
    metrics.length > 0 ? records.metricTypes(project, metrics) : new Map(),
    templatesOf(project),
  ]);
  const { plan, complaints } = planSearch(body, population, types, templates);
  if (plan === null) throw invalid(complaints);
  const columns = columnsNamed(plan);
  const keys = (await unknownKeys?.(project, population, columns)) ?? [];
  return {
    plan: { ...plan, project, run, templates },
    notes: { 'X-Unknown-Columns': [...unknownMetrics(columns, types), ...keys] },
    templates,
  };
};
