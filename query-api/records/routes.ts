import { defaultPageLimit, pageMeasure } from '../../contract/envelope.js';
import { reading, type Route } from '../../contract/operation.js';
import {
  countSessions,
  countSpans,
  countTraces,
  getSession,
  getSpan,
  getTrace,
  searchSessions,
  searchSpans,
  searchTraces,
  type RecordSearch,
} from '../../contract/record-reads.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import type { FeedbackTemplate } from '../../kernel/feedback.js';
import { Fault, invalid, type Complaint } from '../../kernel/fault.js';
import type { Population, RecordRow, Records, SearchPlan } from '../../kernel/records.js';
import type { ProjectId } from '../../kernel/shapes.js';
import { recordsCollection } from '../../projections/records/collection.js';
import {
  annotationTemplates,
  runCollections,
  runInSelection,
  type RunInProject,
  type TemplatesOf,
} from '../selection.js';
import { metricsFiltered, planSearch } from './plan.js';
import { spanTree, traceTree } from './tree.js';
import { truncated, viewOf } from './views.js';

type Needs = {
  readonly records: Records;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
};

/** Contract 5.7 without its deletions. */
export const recordReads = (needs: Needs): readonly Route[] => [
  searching(needs, searchSessions, 'session'),
  searching(needs, searchTraces, 'trace'),
  searching(needs, searchSpans, 'span'),
  counting(needs, countSessions, 'session'),
  counting(needs, countTraces, 'trace'),
  counting(needs, countSpans, 'span'),
  ...gets(needs),
];

const reads = [recordsCollection, ...runCollections, annotationTemplates];
const shown = [recordsCollection, annotationTemplates];

const searching = (needs: Needs, operation: typeof searchSessions, population: Population): Route =>
  reading(
    operation,
    reads,
    async ({ body, params: { project_id: project } }) => {
      const templates = await needs.templatesOf(project);
      const plan = await completePlan(needs, project, body, { population, templates });
      const { rows, more } = await needs.records.search(plan);
      const withCounts = body.include_counts === true;
      const views = rows.map((row) => viewOf(row, withCounts, templates));
      const records = body.truncate_fields === true ? views.map(truncated) : views;
      const last = rows.at(-1)?.values['id'];
      return {
        body: {
          ...pageMeasure({ starting_token: plan.offset, limit: plan.limit }, rows.length, more),
          records,
          last_row_id: typeof last === 'string' ? last : null,
        },
      };
    },
    checkOf(population),
  );

const counting = (needs: Needs, operation: typeof countSessions, population: Population): Route =>
  reading(
    operation,
    reads,
    async ({ body, params: { project_id: project } }) => {
      const templates = await needs.templatesOf(project);
      const plan = await completePlan(needs, project, body, { population, templates });
      return { body: { total_count: await needs.records.count(plan) } };
    },
    checkOf(population),
  );

const checkOf =
  (population: Population) =>
  ({ body }: { readonly body: RecordSearch }): readonly Complaint[] => [
    ...selectorComplaints(body),
    // Without the project's metric types: what they add is a decision on state and comes later.
    ...planSearch(body, population, new Map()).complaints,
    ...windowComplaints(body),
  ];

const completePlan = async (
  { records, runInProject }: Needs,
  project: ProjectId,
  body: RecordSearch,
  asked: { readonly population: Population; readonly templates: readonly FeedbackTemplate[] },
): Promise<SearchPlan> => {
  const run = await runInSelection(runInProject, project, body);
  const { population, templates } = asked;
  const metrics = metricsFiltered(body, population);
  const types = metrics.length > 0 ? await records.metricTypes(project, metrics) : new Map();
  const { plan, complaints } = planSearch(body, population, types);
  if (plan === null) throw invalid(complaints);
  return { ...plan, project, run, templates: templates.map(({ id }) => id) };
};

const plainViews = (templates: readonly FeedbackTemplate[]) => (row: RecordRow) =>
  viewOf(row, false, templates);

const gets = ({ records, templatesOf }: Needs): readonly Route[] => [
  reading(getTrace, shown, async ({ params }) => {
    const rows = await groupOf(records, params.project_id, 'trace', params.trace_id);
    const view = plainViews(await templatesOf(params.project_id));
    return { body: found('Trace', traceTree(rows, view)) };
  }),
  reading(getSpan, shown, async ({ params }) => {
    const rows = await groupOf(records, params.project_id, 'span', params.span_id);
    return { body: found('Span', spanTree(rows, params.span_id, plainViews([]))) };
  }),
  reading(getSession, shown, async ({ params, query }) => {
    const { project_id: project, session_id: session } = params;
    const rows = await groupOf(records, project, 'session', session);
    const row = found('Session', rows.find(({ kind }) => kind === 'session') ?? null);
    const offset = query.starting_token ?? 0;
    const limit = query.limit ?? defaultPageLimit;
    const { traces, more } = await records.sessionPage({ project, session, offset, limit });
    const view = plainViews(await templatesOf(project));
    const { starting_token, next_starting_token } = pageMeasure(query, traces.length, more);
    const trees = traces.flatMap((group) => traceTree(group, view) ?? []);
    return { body: { ...view(row), traces: trees, starting_token, next_starting_token } };
  }),
];

/** All rows of the group that holds the record; none when there is no such record. */
const groupOf = async (
  records: Records,
  project: ProjectId,
  population: Population,
  id: string,
): Promise<readonly RecordRow[]> => {
  const group = await records.locate(project, population, id);
  return group === null ? [] : ((await records.groups([group])).get(group) ?? []);
};

const found = <T>(noun: string, value: T | null): T => {
  if (value === null) throw new Fault('not-found', `${noun} not found`);
  return value;
};
