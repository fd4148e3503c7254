import type { PastScoringNeeds } from '../../command-api/run-scoring/past-routes.js';
import type { PastRecords } from '../../command-api/run-scoring/past.js';
import type { Freshness } from '../../contract/gate.js';
import type { PastScoringRequested } from '../../events/past-scoring.js';
import type { EventReader } from '../../kernel/ports.js';
import type { Documents } from '../../kernel/documents.js';
import type { SearchPlan } from '../../kernel/records/questions.js';
import type { Records } from '../../kernel/records/records.js';
import type { ProjectId, TraceId } from '../../kernel/shapes.js';
import { annotationTemplates } from '../../query-api/selection.js';
import { checkOf, completePlan } from '../../query-api/records/complete-plan.js';
import { recordsCollection } from '../../projections/records/collection.js';
import { templatesIn } from '../../query-api/live-templates.js';

const population = 'trace';
const anyRun = () => Promise.resolve(true);
const noTemplates = () => Promise.resolve([]);

/** Whether a job can be asked for with these filters. */
export const pastSelectionOf = ({
  records,
}: {
  readonly records: Pick<Records, 'metricTypes'>;
}): PastScoringNeeds['selection'] => ({
  complaints: (body) => checkOf(population)({ body }),
  check: async (project, body) => {
    const needs = { records, runInProject: anyRun, templatesOf: noTemplates };
    await completePlan(needs, project, body, population);
  },
});

type Needs = {
  readonly log: Pick<EventReader, 'head'>;
  readonly documents: Documents;
  readonly records: Records;
  readonly freshness: Freshness;
};

/** Nobody waits for a job, and it has to go on while the read models are a little behind. */
const atMostMs = 30_000;

/** Where past scoring looks: what the log had when it asks is there. */
export const pastRecords = ({ log, documents, records, freshness }: Needs): PastRecords => {
  const planOf = async (asked: PastScoringRequested, signal: AbortSignal): Promise<SearchPlan> => {
    const reads = [recordsCollection.name, annotationTemplates.name];
    await freshness.reached(reads, await log.head(), { atMostMs, signal });
    const project: ProjectId = asked.project_id;
    const needs = { records, runInProject: anyRun, templatesOf: templatesIn(documents) };
    const { plan } = await completePlan(needs, project, asked.selection, population);
    return { ...plan, run: asked.run_id };
  };
  return {
    count: async (asked, signal) => records.count(await planOf(asked, signal), { signal }),
    stretch: async (asked, from, limit, signal) => {
      const plan = { ...(await planOf(asked, signal)), limit, after: from };
      const { rows, next = null } = await records.search(plan, { signal });
      return { traces: rows.map(({ values }) => String(values['id']) as TraceId), next };
    },
  };
};
