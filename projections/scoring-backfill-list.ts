import { failuresShownMax, type BackfillFacts } from '../contract/scoring-backfill.js';
import { mergeFailureCounts } from '../contract/scoring-counts.js';
import {
  pastScoringEvents,
  type PastScoringEvent,
  type PastScoringRequested,
  type ScoringFailure,
} from '../events/past-scoring.js';
import { unreachable } from '../kernel/decision.js';
import type { Projection } from './projection.js';

/** The newest job of each scorer, by the scorer's id. */
export type ScoringBackfillsOfRun = { readonly [scorer: string]: BackfillFacts };

/**
 * Scoring backfill jobs of records that a run already held, by run, in the scope of its project.
 */
export const scoringBackfillList: Projection<typeof pastScoringEvents, ScoringBackfillsOfRun> = {
  collection: { name: 'past_scoring_list', version: 3, fields: {} },
  deletedWith: { scope: 'project', key: 'run' },
  events: pastScoringEvents,
  keys: ({ data }) => [data.run_id],
  evolve: (document, event, key) => {
    const { scorer_id: scorer, project_id: project } = event.data;
    const before = document?.body ?? {};
    const job = evolve(before[scorer] ?? null, event);
    if (job === null) return document;
    return { key, scope: project, fields: {}, body: { ...before, [scorer]: job } };
  },
};

const evolve = (
  job: BackfillFacts | null,
  { type, data }: PastScoringEvent,
): BackfillFacts | null => {
  if (type === 'PastScoringRequested') return newBackfill(data);
  if (job === null) return null;
  switch (type) {
    case 'PastScoringStarted':
      return {
        ...job,
        traces: data.traces,
        started_at: data.started_at,
        updated_at: data.started_at,
      };
    case 'PastScoringAdvanced':
      return {
        ...job,
        done: job.done + data.traces,
        scored: job.scored + data.scored,
        skipped: job.skipped + data.skipped,
        failed: job.failed + data.failed,
        failed_by: mergeFailureCounts(job.failed_by, data.failed_by ?? { unknown: data.failed }),
        failures: mergeRecentFailures([...job.failures, ...data.failures]),
        updated_at: data.advanced_at,
      };
    case 'PastScoringEnded':
      return { ...job, reason: data.reason, ended_at: data.ended_at, updated_at: data.ended_at };
    case 'PastScoringCancelled':
      return {
        ...job,
        cancelled: true,
        ended_at: data.cancelled_at,
        updated_at: data.cancelled_at,
      };
    default:
      return unreachable(type);
  }
};

const newBackfill = (data: PastScoringRequested): BackfillFacts => ({
  job_id: data.job_id,
  project_id: data.project_id,
  run_id: data.run_id,
  scorer_id: data.scorer_id,
  scorer_name: data.scorer_name,
  version: data.version,
  selection: data.selection,
  scoreable_node_types: data.scoreable_node_types,
  traces: 0,
  done: 0,
  scored: 0,
  skipped: 0,
  failed: 0,
  failed_by: {},
  failures: [],
  created_at: data.created_at,
  started_at: null,
  updated_at: data.created_at,
  ended_at: null,
  reason: null,
  cancelled: false,
});

/** Merges failures of one code, type and line; keeps the first kinds that occurred. */
const mergeRecentFailures = (failures: readonly ScoringFailure[]): readonly ScoringFailure[] => {
  const kinds = new Map<string, ScoringFailure>();
  for (const one of failures) {
    const key = JSON.stringify([one.error_code, one.type, one.line]);
    const known = kinds.get(key);
    kinds.set(key, known === undefined ? one : { ...known, count: known.count + one.count });
  }
  return [...kinds.values()].slice(0, failuresShownMax);
};
