import { Type, type Static } from 'typebox';
import { nodeTypes, type NodeType } from '../kernel/sandbox.js';
import {
  id,
  instant,
  nullish,
  namedSchema,
  nullable,
  oneOf,
  type Instant,
  type JobId,
  type JsonObject,
  type ProjectId,
  type RunId,
  type ScorerId,
} from '../kernel/schema-types.js';
import { message } from './envelope.js';
import { filterLeaf, filterNode, flatFiltersMax } from './filters.js';
import { job, type Job } from './jobs.js';
import { sumScoringCounts } from './scoring-counts.js';
import { operation } from './operation.js';
import { optionalWindow } from './selectors.js';

/** Traces of the run to score, selected as in a search. */
const selection = {
  filters: nullish(Type.Array(filterLeaf, { maxItems: flatFiltersMax })),
  filter_tree: nullish(filterNode),
  ...optionalWindow,
};
const body = namedSchema(
  'PastScoringRequest',
  Type.Object({
    ...selection,
    scoreable_node_types: nullish(Type.Array(oneOf(nodeTypes), { maxItems: nodeTypes.length })),
  }),
);
export type BackfillSelection = Omit<Static<typeof body>, 'scoreable_node_types'>;

/** Failures of one kind, place and type in the source (contract 5.10). */
const failure = namedSchema(
  'ScoringFailure',
  Type.Object({
    error_code: Type.Integer(),
    type: Type.String(),
    line: nullable(Type.Integer()),
    count: Type.Integer(),
    /** First failed record. */
    trace_id: id('TraceId'),
    record_id: Type.String(),
    /** Error message of the record; null when it changed since, or no longer exists. */
    message: nullable(Type.String()),
  }),
);
export const failuresShownMax = 20;
const backfillSchema = namedSchema(
  'PastScoringJob',
  Type.Object({
    ...job.properties,
    scorer_id: id('ScorerId'),
    scorer_version: Type.Integer(),
    scored: Type.Integer(),
    skipped: Type.Integer(),
    failed: Type.Integer(),
    failures: Type.Array(failure, { maxItems: failuresShownMax }),
    cancelled_at: nullable(instant),
  }),
);

const shared = {
  section: '5.10',
  path: '/v2/projects/{project_id}/runs/{run_id}/scorers/{scorer_id}/score',
} as const;

export const scorePast = operation({
  ...shared,
  operationId: 'scorePast',
  summary: 'Score what a run holds already',
  description:
    'Complete traces of the run that the filters choose, by the newest version of the scorer, ' +
    'each record at most once by a version. A job: poll the same address; DELETE cancels it.',
  example: { filters: [{ type: 'text', name: 'name', operator: 'eq', value: 'book' }] },
  method: 'POST',
  requires: 'editor',
  body,
  response: Type.Object({ job_id: id('JobId'), scorer_version: Type.Integer() }),
});
export const readPastScoring = operation({
  ...shared,
  operationId: 'readPastScoring',
  summary: 'How far scoring of what was there has come',
  description: 'The newest job of the run and the scorer, with what failed, and where.',
  method: 'GET',
  requires: 'viewer',
  response: backfillSchema,
});
export const cancelPastScoring = operation({
  ...shared,
  operationId: 'cancelPastScoring',
  summary: 'Stop scoring what was there',
  description: 'What was scored stays. Again, or after the end: nothing happens.',
  method: 'DELETE',
  requires: 'editor',
  response: message,
});

export const backfillOperations = [scorePast, readPastScoring, cancelPastScoring];

/** Backfill job as folded from the log; traces are its steps. */
export type BackfillFacts = {
  readonly job_id: JobId;
  readonly project_id: ProjectId;
  readonly run_id: RunId;
  readonly scorer_id: ScorerId;
  readonly scorer_name: string;
  readonly version: number;
  readonly selection: JsonObject;
  /** Null: those of the scorer. */
  readonly scoreable_node_types: readonly NodeType[] | null;
  readonly traces: number;
  readonly done: number;
  readonly scored: number;
  readonly skipped: number;
  readonly failed: number;
  readonly failed_by: Readonly<Record<string, number>>;
  readonly failures: readonly Omit<Static<typeof failure>, 'message'>[];
  readonly created_at: Instant;
  readonly started_at: Instant | null;
  readonly updated_at: Instant;
  readonly ended_at: Instant | null;
  readonly reason: string | null;
  readonly cancelled: boolean;
};

/** Job view of a scoring backfill. Reports failed records also where all others succeeded. */
export const backfillJob = (facts: BackfillFacts): Job => {
  const { scored, skipped, failed, traces, done, ended_at: ended, started_at: started } = facts;
  const records = scored + skipped + failed;
  const why = facts.reason ?? (failed > 0 ? `${failed} of ${records} records failed` : null);
  const status = statusOf(facts);
  return {
    id: facts.job_id,
    job_name: 'score_records',
    project_id: facts.project_id,
    run_id: facts.run_id,
    status,
    progress_percent: status === 'completed' ? 100 : percentOf(done, traces),
    progress_message: status === 'in_progress' ? `${done} of ${traces} traces` : null,
    steps_completed: done,
    steps_total: Math.max(traces, done),
    retries: 0,
    request_data: {
      ...facts.selection,
      ...(facts.scoreable_node_types !== null && {
        scoreable_node_types: facts.scoreable_node_types,
      }),
      scorer: facts.scorer_name,
      version: facts.version,
    },
    error_message: why,
    counts: sumScoringCounts({ waiting: 0, scored, skipped, failed: facts.failed_by }),
    created_at: facts.created_at,
    updated_at: facts.updated_at,
    processing_started: started,
    completed_at: status === 'completed' ? ended : null,
    failed_at: status === 'failed' ? ended : null,
  };
};

const percentOf = (done: number, all: number): number =>
  all === 0 ? 0 : Math.min(100, Math.floor((100 * done) / all));

/** Status; `failed`: it could not go on, or no record has a score. */
const statusOf = (facts: BackfillFacts): Job['status'] => {
  if (facts.cancelled) return 'cancelled';
  if (facts.ended_at === null) return facts.started_at === null ? 'unstarted' : 'in_progress';
  const isInVain = facts.failed > 0 && facts.scored + facts.skipped === 0;
  return facts.reason !== null || isInVain ? 'failed' : 'completed';
};

export const backfillAnswer = (
  facts: BackfillFacts,
  messages: ReadonlyMap<string, string>,
): Static<typeof backfillSchema> => ({
  ...backfillJob(facts),
  scorer_id: facts.scorer_id,
  scorer_version: facts.version,
  scored: facts.scored,
  skipped: facts.skipped,
  failed: facts.failed,
  failures: facts.failures.map((one) => ({
    ...one,
    message: messages.get(one.record_id) ?? null,
  })),
  cancelled_at: facts.cancelled ? facts.ended_at : null,
});
