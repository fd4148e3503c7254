import {
  metricsTestingColumns,
  sessionsAvailableColumns,
  spansAvailableColumns,
  tracesAvailableColumns,
} from '../../contract/columns.js';
import { readRoute, type Route } from '../../contract/operation.js';
import { bareMetricName } from '../../kernel/records/sent-record.js';
import { selectorComplaints, windowComplaints } from '../../contract/selectors.js';
import { registryMetricByName } from '../../kernel/records/columns.js';
import type { Documents } from '../../kernel/documents.js';
import type { RecordQueries } from '../../kernel/records/record-queries.js';
import type { Population } from '../../kernel/records/record.js';
import type { Instant, OrganizationId, ProjectId, RunId } from '../../kernel/schema-types.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { scorerList } from '../../projections/scorer-list.js';
import { metricOfColumn } from '../filters/catalogue.js';
import { readLiveTemplates } from '../live-templates.js';
import {
  templateCollection,
  runCollections,
  selectRun,
  type RunInProject,
} from '../run-selection.js';
import { columnDescriptors } from './descriptors.js';
import { withScorer, readScorersByMetric } from './scorers.js';
import { metricsTestingDescriptors } from './metrics-testing.js';

type Needs = {
  readonly records: RecordQueries;
  readonly documents: Documents;
  readonly runInProject: RunInProject;
};

/** Routes for the three listings of contract 4.1, and that of 4.12. */
export const columnReads = (needs: Needs): readonly Route[] => [
  availableColumns(needs, sessionsAvailableColumns, 'session'),
  availableColumns(needs, tracesAvailableColumns, 'trace'),
  availableColumns(needs, spansAvailableColumns, 'span'),
  metricsTesting(needs),
];

const listings = [recordsCollection, scorerList.collection, templateCollection, ...runCollections];

type ColumnsQuery = {
  readonly organization: OrganizationId;
  readonly project: ProjectId;
  readonly run: RunId | null;
  readonly population: Population;
  readonly from?: Instant | null | undefined;
  readonly to?: Instant | null | undefined;
  /** Further metrics whose type is needed, even if they have no value here. */
  readonly more?: readonly string[];
};

const readColumns = async (
  { records, documents }: Needs,
  { organization, project, run, population, from = null, to = null, more = [] }: ColumnsQuery,
) => {
  const facts = await records.columns({
    project,
    run,
    from,
    to,
    filter: null,
    population,
    kinds: null,
    templates: [],
  });
  const own = [...new Set([...facts.metrics, ...more])].filter(
    (name) => !registryMetricByName.has(name),
  );
  const types = await records.metricTypes(project, own);
  const scorers = await readScorersByMetric(documents, organization, own);
  const templates = facts.templates.length > 0 ? await readLiveTemplates(documents, project) : [];
  const columns = columnDescriptors(population, facts, types, templates).map((column) => {
    const scorer = scorers.get(metricOfColumn(column.id) ?? '');
    return scorer === undefined ? column : withScorer(column, scorer);
  });
  return { columns, valued: new Set(facts.metrics), types };
};

const availableColumns = (
  needs: Needs,
  operation: typeof sessionsAvailableColumns,
  population: Population,
): Route =>
  readRoute(
    operation,
    listings,
    async ({ body, params: { project_id: project }, principal }) => {
      const organization = principal.organizationId;
      const run = await selectRun(needs.runInProject, project, body);
      const window = { from: body.start_time, to: body.end_time };
      const { columns } = await readColumns(needs, {
        organization,
        project,
        run,
        population,
        ...window,
      });
      return { body: { columns } };
    },
    ({ body }) => [...selectorComplaints(body), ...windowComplaints(body)],
  );

const metricsTesting = (needs: Needs): Route =>
  readRoute(
    metricsTestingColumns,
    listings,
    async ({ body, params: { project_id: project }, principal }) => {
      const run = await selectRun(needs.runInProject, project, body);
      const more = (body.required_scorers ?? []).map(bareMetricName);
      const { columns, ...known } = await readColumns(needs, {
        organization: principal.organizationId,
        project,
        run,
        population: 'trace',
        more,
      });
      return {
        body: {
          columns: metricsTestingDescriptors(columns, { ...body, required_scorers: more }, known),
        },
      };
    },
    ({ body }) => selectorComplaints(body),
  );
