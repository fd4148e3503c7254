import { openTemplatesOf, templateUsage } from '../query-api/live-templates.js';
import type { NamedRun } from '../contract/selectors.js';
import type { RunSummary } from '../contract/projects.js';
import type { Documents } from '../kernel/documents.js';
import type { ProjectId, SpanId, TraceId } from '../kernel/schema-types.js';
import type { RecordQueries } from '../kernel/records/record-queries.js';
import type { Freshness } from '../contract/request-ports.js';
import { recordsCollection } from '../projections/records/collection.js';
import { newestRuns } from '../query-api/projects/routes.js';
import { logStreamList } from '../projections/log-stream-list.js';
import { experimentQueries } from './experiment-queries.js';
import { experimentList } from '../projections/experiment-list.js';
import { metricsTestingRunList } from '../projections/metrics-testing-run-list.js';

const runLists = {
  log_stream: logStreamList,
  experiment: experimentList,
  metrics_testing: metricsTestingRunList,
} as const;

/**
 * Answers to those named questions of slices that read models may answer: for display only, never
 * for decisions.
 */
export const readModelQueries = ({
  documents,
  records,
  freshness,
}: {
  readonly documents: Documents;
  readonly records: RecordQueries;
  readonly freshness: Freshness;
}) => ({
  newestRuns: (project: ProjectId, limit: number): Promise<readonly RunSummary[]> =>
    newestRuns(documents, project, limit),

  runInProject: async (project: ProjectId, { kind, id }: NamedRun): Promise<boolean> => {
    const document = await documents.get(runLists[kind].collection, id);
    return document !== null && document.scope === project;
  },

  traceOfSpan: async (project: ProjectId, span: SpanId): Promise<TraceId | null> => {
    await freshness.waitUntilApplied([recordsCollection.name], null, { project });
    const group = await records.findGroup(project, 'span', span);
    return group === null ? null : (group.slice(-uuidLength) as TraceId);
  },

  ...experimentQueries({ documents, records, freshness, templatesOf: openTemplatesOf(documents) }),

  templatesOf: openTemplatesOf(documents),

  templateUsage: async (project: ProjectId): Promise<ReadonlyMap<string, number>> => {
    await freshness.waitUntilApplied([recordsCollection.name], null, { project });
    return templateUsage(records, project);
  },
});

/** The stream of a trace ends with its id. */
const uuidLength = 36;
