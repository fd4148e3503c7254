import type { TraceEvent } from '../../events/traces.js';
import { later, type EventLog, type Position, type StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId, TraceId, UserId } from '../../kernel/shapes.js';
import { load, transactAll, type Authorship, type Loaded } from '../../kernel/transact.js';
import { annotationTemplates, annotationTemplatesStream } from '../facts/annotation-templates.js';
import { openKeptFolds } from '../facts/kept-folds.js';
import { runOf } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import {
  rate,
  ratedTraces,
  ratedTypes,
  type Action,
  type RatingOutcome,
  type RatedTrace,
  type Rater,
} from './ratings.js';

type RatingsAsked = {
  readonly projectId: ProjectId;
  readonly userId: UserId;
  /** What is to be done to each trace, one after the other. */
  readonly actions: ReadonlyMap<TraceId, readonly Action[]>;
};
type Rated = {
  readonly position: Position;
  readonly traces: ReadonlyMap<TraceId, RatedOne>;
};
/** Outcomes in the order of the actions, and the trace after them. */
type RatedOne = {
  readonly outcomes: readonly RatingOutcome[];
  readonly trace: RatedTrace | null;
};

type Needs = {
  readonly log: EventLog;
  readonly ratedTraces: RatedTraces;
};
export type RatedTraces = (stream: StreamName) => Promise<Loaded<RatedTrace | null>>;

/** Characters of ratings kept, some 30 MB of memory: those of a hundred thousand traces. */
const keptWeightMax = 16_000_000;

/** What rating depends on, of the traces that were rated lately; their texts are not read. */
export const openRatedTraces = (log: EventLog): RatedTraces =>
  openKeptFolds({
    log,
    fold: ratedTraces,
    types: ratedTypes,
    weightOf: (trace) => trace?.weight ?? 0,
    weightMax: keptWeightMax,
  }).load;

/**
 * Rates each trace on its own stream, all of them in one append. A trace that somebody else wrote
 * to meanwhile is rated again, as it is by then; when that happens too often, its items say so.
 */
export const rateTraces = async (
  { log, ratedTraces: loaded }: Needs,
  { projectId, userId, actions }: RatingsAsked,
  cause: Authorship,
): Promise<Rated> => {
  const { state, position: decidedOn } = await load(
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
  const isLive = livingRuns(log, projectId);
  const outcomes = await transactAll(
    log,
    new Map([...actions].map((asked) => [traceStream(projectId, asked[0]), asked])),
    {
      load: async (stream, [id, some]) => {
        const { state: trace, ...place } = await loaded(stream);
        // What went with its run is not there any more.
        const isThere = trace !== null && (await isLive(trace.runId));
        return { ...place, state: ratedBy(rater, id, some, isThere ? trace : null) };
      },
      decide: ({ events }) => events,
    },
    cause,
  );
  const traces = new Map<TraceId, RatedOne>();
  let position = decidedOn;
  for (const { before, position: at } of outcomes.values()) {
    traces.set(before.state.id, at === 'conflict' ? contended(before.state) : before.state);
    if (at !== 'conflict') position = later(position, at);
  }
  return { position, traces };
};

/** Each run is looked at once per request, however many of its traces are rated. */
const livingRuns = (log: EventLog, project: ProjectId) => {
  const known = new Map<RunId, Promise<boolean>>();
  return (id: RunId): Promise<boolean> => {
    const answer = known.get(id) ?? runOf(log, project, id).then((run) => run !== null);
    known.set(id, answer);
    return answer;
  };
};

/** What the actions come to, one after the other, and the events that say so. */
const ratedBy = (
  rater: Rater,
  id: TraceId,
  actions: readonly Action[],
  before: RatedTrace | null,
): RatedOne & { readonly id: TraceId; readonly events: readonly TraceEvent[] } => {
  const outcomes: RatingOutcome[] = [];
  const events: TraceEvent[] = [];
  let trace = before;
  for (const action of actions) {
    const { outcome, event } = rate(trace, id, action, rater);
    outcomes.push(outcome);
    if (event === null) continue;
    events.push(event);
    trace = ratedTraces.evolve(trace, event);
  }
  return { id, outcomes, trace, events };
};

/** None of the trace's items is known to be done: those that had something to write say so. */
const contended = ({ outcomes, trace }: RatedOne): RatedOne => ({
  trace,
  outcomes: outcomes.map((outcome) =>
    outcome.success ? { success: false, message: 'changed at the same time, try again' } : outcome,
  ),
});
