import type { TraceEvent } from '../../events/traces.js';
import type { EventLog, Position, StreamAppend, StreamName } from '../../kernel/ports.js';
import type { ProjectId, RunId, TraceId, UserId } from '../../kernel/shapes.js';
import { load, retriesMax, stamped, type Authorship, type Loaded } from '../../kernel/transact.js';
import { annotationTemplates, annotationTemplatesStream } from '../facts/annotation-templates.js';
import { openKeptFolds } from '../facts/kept-folds.js';
import { runOf } from '../facts/runs.js';
import { traceStream } from '../facts/traces.js';
import type { InTurn } from '../../kernel/turns.js';
import {
  rate,
  ratedTraces,
  ratedTypes,
  type Action,
  type RatingOutcome,
  type RatedTrace,
  type Rater,
} from './ratings.js';

/**
 * So many streams are read at once: enough to hide a server's answer time, few enough for memory.
 */
const readAtOnce = 64;

export type RatingsAsked = {
  readonly projectId: ProjectId;
  readonly userId: UserId;
  /** What is to be done to each trace, one after the other. */
  readonly actions: ReadonlyMap<TraceId, readonly Action[]>;
};
export type Rated = {
  readonly position: Position;
  readonly traces: ReadonlyMap<TraceId, RatedOne>;
};
/** Outcomes in the order of the actions, and the trace after them. */
export type RatedOne = {
  readonly outcomes: readonly RatingOutcome[];
  readonly trace: RatedTrace | null;
};

type Needs = {
  readonly log: EventLog;
  readonly inTurn: InTurn;
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

type Decided = RatedOne & {
  readonly id: TraceId;
  readonly append: StreamAppend | null;
  readonly position: Position;
};

/**
 * Rates each trace on its own stream, all of them in one append. A trace that somebody else wrote
 * to meanwhile is decided again, at most `retriesMax` times; then its items say so.
 */
export const rateTraces = async (
  needs: Needs,
  { projectId, userId, actions }: RatingsAsked,
  cause: Authorship,
): Promise<Rated> => {
  const { log, inTurn } = needs;
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
  const traces = new Map<TraceId, RatedOne>();
  let position = decidedOn;
  const streams = [...actions.keys()].map((id) => traceStream(projectId, id));
  await inTurn(streams, async () => {
    let pending = [...actions.keys()];
    for (let attempt = 0; attempt <= retriesMax && pending.length > 0; attempt += 1) {
      const decided = await decideAll(needs, pending, actions, rater, cause);
      const written = await appendAll(log, decided);
      pending = [];
      for (const { one, at } of written) {
        traces.set(one.id, at === 'conflict' ? contended(one) : one);
        if (at === 'conflict') pending.push(one.id);
        else if (at > position) position = at;
      }
    }
  });
  return { position, traces };
};

const decideAll = async (
  { log, ratedTraces: tracesOf }: Needs,
  ids: readonly TraceId[],
  actions: RatingsAsked['actions'],
  rater: Rater,
  cause: Authorship,
): Promise<readonly Decided[]> => {
  const isLive = livingRuns(log, rater.projectId);
  const decided: Decided[] = [];
  for (let from = 0; from < ids.length; from += readAtOnce) {
    const read = ids.slice(from, from + readAtOnce).map(async (id) => {
      const loaded = await tracesOf(traceStream(rater.projectId, id));
      // What went with its run is not there any more.
      const isThere = loaded.state !== null && (await isLive(loaded.state.runId));
      return decide(id, isThere ? loaded : { ...loaded, state: null }, {
        actions: actions.get(id) ?? [],
        rater,
        cause,
      });
    });
    decided.push(...(await Promise.all(read)));
  }
  return decided;
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

const decide = (
  id: TraceId,
  { state, revision, position }: Loaded<RatedTrace | null>,
  {
    actions,
    rater,
    cause,
  }: {
    readonly actions: readonly Action[];
    readonly rater: Rater;
    readonly cause: Authorship;
  },
): Decided => {
  const outcomes: RatingOutcome[] = [];
  const events: TraceEvent[] = [];
  let trace = state;
  for (const action of actions) {
    const { outcome, event } = rate(trace, id, action, rater);
    outcomes.push(outcome);
    if (event === null) continue;
    events.push(event);
    trace = ratedTraces.evolve(trace, event);
  }
  const stream = traceStream(rater.projectId, id);
  const next = revision === 'none' ? 0 : revision + 1;
  const append =
    events.length === 0
      ? null
      : { stream, expected: revision, events: stamped(stream, next, events, cause) };
  return { id, outcomes, trace, append, position };
};

type Written = { readonly one: Decided; readonly at: Position | 'conflict' };

const appendAll = async (
  log: EventLog,
  decided: readonly Decided[],
): Promise<readonly Written[]> => {
  const appends = decided.flatMap(({ append }) => append ?? []);
  const results = appends.length === 0 ? [] : await log.append(appends);
  let next = 0;
  return decided.map((one) => {
    if (one.append === null) return { one, at: one.position };
    const result = results[next] ?? 'conflict';
    next += 1;
    return { one, at: result === 'conflict' ? result : result.position };
  });
};

/** None of the trace's items is known to be done: those that had something to write say so. */
const contended = ({ outcomes, trace }: Decided): RatedOne => ({
  trace,
  outcomes: outcomes.map((outcome) =>
    outcome.success ? { success: false, message: 'changed at the same time, try again' } : outcome,
  ),
});
