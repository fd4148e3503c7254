import type { TraceEvent } from '../../events/traces.js';
import {
  laterPosition,
  type EventLog,
  type Position,
  type StreamName,
} from '../../kernel/ports.js';
import type { ProjectId, RunId, TraceId, UserId } from '../../kernel/schema-types.js';
import {
  loadStreamState,
  transactAll,
  type Authorship,
  type StreamState,
} from '../../kernel/transact.js';
import { annotationTemplates, annotationTemplatesStream } from '../facts/annotation-templates.js';
import { openStateCache } from '../facts/state-cache.js';
import { liveRun } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import {
  applyRating,
  ratedTraces,
  ratedTypes,
  type RatingAction,
  type RatingOutcome,
  type RatedTrace,
  type Rater,
} from './ratings.js';

type RatingsRequest = {
  readonly projectId: ProjectId;
  readonly userId: UserId;
  /** Actions on each trace, in order. */
  readonly actions: ReadonlyMap<TraceId, readonly RatingAction[]>;
};
type RatingsResult = {
  readonly position: Position;
  readonly traces: ReadonlyMap<TraceId, RatedTraceResult>;
};
/** Outcomes in the order of the actions, and the trace after them. */
type RatedTraceResult = {
  readonly outcomes: readonly RatingOutcome[];
  readonly trace: RatedTrace | null;
};

type Needs = {
  readonly log: EventLog;
  readonly ratedTraces: RatedTraceLoader;
};
export type RatedTraceLoader = (stream: StreamName) => Promise<StreamState<RatedTrace | null>>;

/**
 * Budget of the cache in characters, some 30 MB of memory: the ratings of a hundred thousand
 * traces.
 */
const cacheWeightMax = 16_000_000;

/** Cache of recently rated traces, reduced to what rating needs; texts are not read. */
export const openRatedTraceCache = (log: EventLog): RatedTraceLoader =>
  openStateCache({
    log,
    fold: ratedTraces,
    types: ratedTypes,
    weightOf: (trace) => trace?.weight ?? 0,
    weightMax: cacheWeightMax,
  }).load;

/**
 * Rates each trace on its own stream, all of them in one append. Optimistic concurrency: a trace
 * with a concurrent write is rated again from its new state; when that happens too often, its items
 * report the conflict.
 */
export const rateTraces = async (
  { log, ratedTraces: loaded }: Needs,
  { projectId, userId, actions }: RatingsRequest,
  cause: Authorship,
): Promise<RatingsResult> => {
  const { state, position: decidedOn } = await loadStreamState(
    log,
    annotationTemplatesStream(projectId),
    annotationTemplates,
  );
  const rater: Rater = {
    projectId,
    userId,
    at: cause.at,
    templates: new Map(state.map((template) => [template.id, template])),
  };
  const isLive = openRunChecks(log, projectId);
  const outcomes = await transactAll(
    log,
    new Map([...actions].map((entry) => [traceStream(projectId, entry[0]), entry])),
    {
      load: async (stream, [id, some]) => {
        const { state: trace, ...place } = await loaded(stream);
        // A trace of a deleted run counts as missing.
        const isThere = trace !== null && (await isLive(trace.runId));
        return { ...place, state: applyActions(rater, id, some, isThere ? trace : null) };
      },
      decide: ({ events }) => events,
    },
    cause,
  );
  const traces = new Map<TraceId, RatedTraceResult>();
  let position = decidedOn;
  for (const { before, position: at } of outcomes.values()) {
    traces.set(before.state.id, at === 'conflict' ? contendedResult(before.state) : before.state);
    if (at !== 'conflict') position = laterPosition(position, at);
  }
  return { position, traces };
};

/**
 * Memoised check of runs: each is loaded once per request, however many of its traces are rated.
 */
const openRunChecks = (log: EventLog, project: ProjectId) => {
  const known = new Map<RunId, Promise<boolean>>();
  return (id: RunId): Promise<boolean> => {
    const answer = known.get(id) ?? liveRun(log, project, id).then((run) => run !== null);
    known.set(id, answer);
    return answer;
  };
};

/** Applies the actions in order; returns outcomes and events. */
const applyActions = (
  rater: Rater,
  id: TraceId,
  actions: readonly RatingAction[],
  before: RatedTrace | null,
): RatedTraceResult & { readonly id: TraceId; readonly events: readonly TraceEvent[] } => {
  const outcomes: RatingOutcome[] = [];
  const events: TraceEvent[] = [];
  let trace = before;
  for (const action of actions) {
    const { outcome, event } = applyRating(trace, id, action, rater);
    outcomes.push(outcome);
    if (event === null) continue;
    events.push(event);
    trace = ratedTraces.evolve(trace, event);
  }
  return { id, outcomes, trace, events };
};

/** Result of a trace with too many conflicts: items with something to write report it. */
const contendedResult = ({ outcomes, trace }: RatedTraceResult): RatedTraceResult => ({
  trace,
  outcomes: outcomes.map((outcome) =>
    outcome.success ? { success: false, message: 'changed at the same time, try again' } : outcome,
  ),
});
