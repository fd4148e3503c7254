import type { RecordDeletion } from '../../contract/record-deletions.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import type { Complaint } from '../../kernel/fault.js';
import { invalid } from '../../kernel/fault.js';
import type { RecordRow, Records } from '../../kernel/records.js';
import type { ProjectId, SessionId, TraceId } from '../../kernel/shapes.js';
import { runInSelection, type RunInProject, type TemplatesOf } from '../selection.js';
import { metricsFiltered, planSearch } from './plan.js';

type Needs = {
  readonly records: Records;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
};

/** What can be said against a choice of records without looking at them. */
export const choiceComplaints = (
  population: 'session' | 'trace',
  body: RecordDeletion,
): readonly Complaint[] => [
  ...selectorComplaints(body),
  ...planSearch(body, population, new Map()).complaints,
  ...windowComplaints(body),
];

/**
 * The records that a body chooses, at most `limit` of them in the default order of searches; a
 * session comes with its traces. Throws Fault `not-found` for a run that the project does not have.
 */
export const chooseRecords = async (
  { records, runInProject, templatesOf }: Needs,
  population: 'session' | 'trace',
  project: ProjectId,
  body: RecordDeletion,
  limit: number,
) => {
  const run = await runInSelection(runInProject, project, body);
  const metrics = metricsFiltered(body, population);
  const types = metrics.length > 0 ? await records.metricTypes(project, metrics) : new Map();
  const { plan, complaints } = planSearch({ ...body, limit }, population, types);
  if (plan === null) throw invalid(complaints);
  const templates = (await templatesOf(project)).map(({ id }) => id);
  const { rows, more } = await records.search({ ...plan, project, run, templates });
  return { ...(await withTraces(records, project, rows)), more };
};

/** Ids of sessions and traces, the traces of the sessions among them, and how many spans they have. */
export const withTraces = async (
  records: Pick<Records, 'tracesOfSessions'>,
  project: ProjectId,
  rows: readonly RecordRow[],
) => {
  const sessions = rows.filter(({ kind }) => kind === 'session').map(idOf);
  const theirs =
    sessions.length === 0
      ? []
      : await records.tracesOfSessions(sessions.map((session) => ({ project, session })));
  const traces = new Map(
    [...rows.filter(({ kind }) => kind === 'trace'), ...theirs].map((row) => [idOf(row), row]),
  );
  return {
    sessionIds: sessions as readonly string[] as readonly SessionId[],
    traceIds: [...traces.keys()] as readonly string[] as readonly TraceId[],
    spans: [...traces.values()].reduce((sum, { spanCount }) => sum + (spanCount ?? 0), 0),
  };
};

const idOf = ({ values }: RecordRow): string => String(values['id']);
