import type { RecordDeletion } from '../../contract/record-deletions.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { validationFault, valueComplaint, type Complaint } from '../../kernel/fault.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { RecordSize, SearchPlan } from '../../kernel/records/query-plans.js';
import type { RecordRow } from '../../kernel/records/record.js';
import type { ProjectId, SessionId, TraceId } from '../../kernel/schema-types.js';
import type { FindUnknownKeys } from '../filters/unknown-metadata-keys.js';
import type { RunInProject, TemplatesOf } from '../run-selection.js';
import { completePlan } from './complete-plan.js';
import { planSearch } from './plan.js';

type Needs = {
  readonly records: RecordQueries;
  readonly runInProject: RunInProject;
  readonly templatesOf: TemplatesOf;
  readonly unknownKeys: FindUnknownKeys;
};

/** Validates a selection of records without reading them. */
export const selectionComplaints = (
  population: 'session' | 'trace',
  body: RecordDeletion,
): readonly Complaint[] => [
  ...selectorComplaints(body),
  ...planSearch(body, population, null).complaints,
  ...windowComplaints(body),
];

/**
 * Records that a body selects, at most `limit` of them in the default order of searches; a session
 * includes its traces. `unknown` lists metrics and metadata keys that were never recorded. Throws
 * Fault `not-found` for a run that the project does not have, `invalid` where records are selected
 * although one of those names is unknown.
 */
export const selectRecords = async (
  needs: Needs,
  population: 'session' | 'trace',
  project: ProjectId,
  body: RecordDeletion,
  limit: number,
) => {
  const { plan, notes } = await completePlan(needs, project, { ...body, limit }, population);
  const unknown = notes['X-Unknown-Columns'];
  const { rows, more } = await needs.records.search(withoutContents(plan));
  refuseUnknown(body, unknown, rows.length);
  const found = rows.map(sizeOf);
  if (population === 'trace') return { ...traceSelection(found), more, unknown };
  const chosen = await sessionSelection(needs.records, project, found);
  return { ...chosen, more: more || chosen.more, unknown };
};

/**
 * Refuses a selection with unknown names: a misspelt name without values must not widen a deletion
 * (contract 1.2, rule 3).
 */
const refuseUnknown = (
  { filter_tree: tree }: RecordDeletion,
  unknown: readonly string[],
  found: number,
): void => {
  if (unknown.length === 0 || found === 0) return;
  const place = ['body', tree == null ? 'filters' : 'filter_tree'];
  const said = (name: string): string =>
    `'${name}' was never recorded in this project; correct it, or too much would be deleted`;
  throw validationFault(unknown.map((name) => valueComplaint(place, said(name))));
};

/**
 * Number of records that a body selects, and the first `idsMax` ids; throws as `selectRecords`
 * does.
 */
export const previewRecords = async (
  needs: Needs,
  population: 'session' | 'trace',
  project: ProjectId,
  body: RecordDeletion,
  idsMax: number,
) => {
  const limited = { ...body, limit: idsMax };
  const { plan, notes } = await completePlan(needs, project, limited, population);
  const unknown = notes['X-Unknown-Columns'];
  const { rows } = await needs.records.search(withoutContents(plan));
  refuseUnknown(body, unknown, rows.length);
  return {
    count: await needs.records.count(plan),
    ids: rows.map((row) => sizeOf(row).id),
    unknown,
  };
};

/** Plan that reads ids and sizes, so that its page does not end by the bytes of texts. */
const withoutContents = (plan: SearchPlan): SearchPlan => ({ ...plan, contents: [] });

const sizeOf = ({ values, spanCount }: RecordRow): RecordSize => ({
  id: String(values['id']),
  spanCount,
});

/** Ids of these traces, and their number of spans. */
export const traceSelection = (traces: readonly RecordSize[]) => ({
  sessionIds: [] as readonly SessionId[],
  traceIds: traces.map(({ id }) => id) as readonly string[] as readonly TraceId[],
  spans: traces.reduce((sum, { spanCount }) => sum + spanCount, 0),
});

/**
 * Traces per selection: their ids take some megabytes; one session alone may have ten times as many
 * (contract 1.11).
 */
const tracesMax = 10_000;

/**
 * Sessions with all their traces, the first ones in their order: `more` when the others would
 * exceed the limit of traces.
 */
export const sessionSelection = async (
  records: Pick<RecordQueries, 'tracesOfSessions'>,
  project: ProjectId,
  sessions: readonly RecordSize[],
) => {
  const ids = sessions.map(({ id }) => id);
  const found =
    ids.length === 0 ? [] : await records.tracesOfSessions({ project, sessions: ids, tracesMax });
  return {
    ...traceSelection(found.flatMap(({ traces }) => traces)),
    sessionIds: found.map(({ session }) => session) as readonly string[] as readonly SessionId[],
    more: found.length < ids.length,
  };
};
