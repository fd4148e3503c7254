import type { NamedRun } from '../contract/selectors.js';
import type { RunSummary } from '../contract/projects.js';
import type { Documents } from '../kernel/ports.js';
import type { ProjectId, SpanId, TraceId } from '../kernel/shapes.js';
import type { Records } from '../kernel/records.js';
import type { Freshness } from '../contract/gate.js';
import { recordsCollection } from '../projections/records/collection.js';
import { newestRuns } from '../query-api/projects/routes.js';
import { logStreamList } from '../projections/log-stream-list.js';
import type { LogStreamFacts } from '../contract/log-streams.js';

/**
 * Answers to the named questions of the slices that read models may answer: what is shown, never
 * what is decided.
 */
export const questionsOf = ({
  documents,
  records,
  freshness,
}: {
  readonly documents: Documents;
  readonly records: Records;
  readonly freshness: Freshness;
}) => ({
  newestRuns: (project: ProjectId, limit: number): Promise<readonly RunSummary[]> =>
    newestRuns(documents, project, limit),

  runInProject: async (project: ProjectId, { kind, id }: NamedRun): Promise<boolean> => {
    // Experiments and metrics-testing runs are not served yet, so no id names one.
    if (kind !== 'log_stream') return false;
    const document = await documents.get<LogStreamFacts>(logStreamList.collection, id);
    return document !== null && document.scope === project;
  },

  /**
   * Spans written lately are remembered where they are written; looking for older ones would slow
   * every ingest.
   */
  spanOwners: async (): Promise<ReadonlyMap<string, TraceId>> => new Map(),

  traceOfSpan: async (project: ProjectId, span: SpanId): Promise<TraceId | null> => {
    await freshness.reached([recordsCollection.name], null);
    const group = await records.locate(project, 'span', span);
    return group === null ? null : (group.slice(-uuidLength) as TraceId);
  },

  /** No template can exist before contract 5.8 is served. */
  templatesOf: async (_project: ProjectId): Promise<readonly string[]> => [],
});

/** The stream of a trace ends with its id. */
const uuidLength = 36;
