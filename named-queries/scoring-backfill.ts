import type { BackfillRouteNeeds } from '../command-api/run-scoring/backfill-routes.js';
import type { BackfillTraces } from '../command-api/run-scoring/backfill-runner.js';
import type { Freshness } from '../contract/request-ports.js';
import type { PastScoringRequested } from '../events/past-scoring.js';
import type { EventReader } from '../kernel/ports.js';
import type { Documents } from '../kernel/documents.js';
import type { SearchPlan } from '../kernel/records/query-plans.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import type { ProjectId, TraceId } from '../kernel/schema-types.js';
import { templateCollection } from '../query-api/run-selection.js';
import { searchComplaints, completePlan } from '../query-api/records/complete-plan.js';
import { recordsCollection } from '../projections/records/collection.js';
import { openTemplatesOf } from '../query-api/live-templates.js';

const population = 'trace';
const anyRun = () => Promise.resolve(true);
const noTemplates = () => Promise.resolve([]);

/** Validates the filters of a backfill request. */
export const backfillSelection = ({
  records,
}: {
  readonly records: Pick<RecordQueries, 'metricTypes'>;
}): BackfillRouteNeeds['selection'] => ({
  complaints: (body) => searchComplaints(population)({ body }),
  check: async (project, body) => {
    const needs = { records, runInProject: anyRun, templatesOf: noTemplates };
    await completePlan(needs, project, body, population);
  },
});

type Needs = {
  readonly log: Pick<EventReader, 'head'>;
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
};

/** Jobs run in the background, and have to progress while read models lag a little. */
const freshnessWaitMs = 30_000;

/** Selects the traces of a scoring backfill, after waiting for the log's current head. */
export const backfillTraces = ({ log, documents, records, freshness }: Needs): BackfillTraces => {
  const planOf = async (
    request: PastScoringRequested,
    signal: AbortSignal,
  ): Promise<SearchPlan> => {
    const reads = [recordsCollection.name, templateCollection.name];
    await freshness.waitUntilApplied(reads, await log.head(), {
      atMostMs: freshnessWaitMs,
      signal,
    });
    const project: ProjectId = request.project_id;
    const needs = { records, runInProject: anyRun, templatesOf: openTemplatesOf(documents) };
    const { plan } = await completePlan(needs, project, request.selection, population);
    return { ...plan, run: request.run_id };
  };
  return {
    count: async (request, signal) => records.count(await planOf(request, signal), { signal }),
    page: async (request, from, limit, signal) => {
      const plan = { ...(await planOf(request, signal)), limit, after: from };
      const { rows, next = null } = await records.search(plan, { signal });
      return { traces: rows.map(({ values }) => String(values['id']) as TraceId), next };
    },
  };
};
