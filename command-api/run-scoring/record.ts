import type { TraceEvent } from '../../events/traces.js';
import { start, type Clock, type EventLog, type Ids, type StreamName } from '../../kernel/ports.js';
import type { JobId } from '../../kernel/shapes.js';
import { transactAll, type Loaded } from '../../kernel/transact.js';
import { traceStream } from '../facts/traces.js';
import { authorshipOf } from './job-events.js';
import { scoresOf, type ActiveScorer, type Made, type Target } from './scoring.js';
import { scoredTrace, touchedAt, type ScoredTrace } from './trace.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
};
type Scored = Extract<TraceEvent, { readonly type: 'ScoresRecorded' }>;
type Scoring = { readonly target: Target; readonly event: Scored };

/** What became of scores. */
export type Recording = {
  readonly recorded: ReadonlySet<Target>;
  /** Traces that changed meanwhile: some of their records have to be looked at again. */
  readonly changed: ReadonlySet<ScoredTrace>;
};

/**
 * Appends the scores of each trace behind whatever happened to it since it was read. A score of a
 * record that changed meanwhile is dropped; so is one of a trace that was deleted.
 */
export const record = async (
  needs: Needs,
  { scorer }: ActiveScorer,
  targets: readonly Target[],
  made: readonly Made[],
  job: JobId | null,
): Promise<Recording> => {
  const { roll_up_method: method } = scorer.details;
  const rollUp = method !== null && { roll_up_methods: { [scorer.name]: method } };
  const all = targets.flatMap((target, at): Scoring[] => {
    const { trace, record: id } = target;
    const one = made[at];
    if (one === undefined) return [];
    const data = {
      project_id: trace.projectId,
      trace_id: trace.id,
      record_id: id,
      scores: scoresOf(target, scorer.name, one),
      ...rollUp,
      scorer: {
        scorer_id: scorer.id,
        version: scorer.versions.length,
        job_id: job,
        ...('code' in one && { failure: one.reason }),
      },
    };
    return [{ target, event: { type: 'ScoresRecorded', data } }];
  });
  const [recorded, changed] = [new Set<Target>(), new Set<ScoredTrace>()];
  for (const [trace, scorings] of Map.groupBy(all, ({ target }) => target.trace)) {
    for (const some of inAppends(scorings)) {
      const appended = await append(needs, trace, some);
      for (const { target } of appended ?? []) recorded.add(target);
      if (appended !== null && appended.length === some.length) continue;
      if (appended === null || (await isThere(needs, trace))) changed.add(trace);
      break;
    }
  }
  return { recorded, changed };
};

/** False: it was deleted, or erased since. */
const isThere = async ({ log }: Needs, { projectId, id }: ScoredTrace): Promise<boolean> => {
  const last = await log.last(traceStream(projectId, id));
  return last !== null && last.type !== 'TraceDeleted';
};

/** One append stays below what EventStoreDB takes at once, at up to three bytes a character. */
const appendTextMax = 300_000;

const inAppends = (scorings: readonly Scoring[]): readonly (readonly Scoring[])[] => {
  const appends: Scoring[][] = [];
  let text = Infinity;
  for (const scoring of scorings) {
    const length = JSON.stringify(scoring.event.data).length;
    if (text + length > appendTextMax) {
      appends.push([]);
      text = 0;
    }
    appends.at(-1)?.push(scoring);
    text += length;
  }
  return appends;
};

/**
 * Appends those whose records did not change since the trace was read, and answers them: a change
 * stands in the log after what was looked through, so its record is scored anew. Null: the trace
 * changes too often.
 */
const append = async (
  { log, clock, ids }: Needs,
  scored: ScoredTrace,
  scorings: readonly Scoring[],
): Promise<readonly Scoring[] | null> => {
  let known = scored;
  const load = async (stream: StreamName): Promise<Loaded<ScoredTrace | null>> => {
    const now = scoredTrace(await log.read(stream, { from: known.revision + 1 }), known);
    known = now ?? known;
    return { state: now, revision: known.revision, position: start };
  };
  const fresh = (now: ScoredTrace | null): readonly Scoring[] =>
    // Null: deleted, or erased since.
    scorings.filter(
      ({ target: { record: id } }) => now !== null && touchedAt(now, id) === touchedAt(scored, id),
    );
  const decide = (now: ScoredTrace | null): readonly Scored[] =>
    fresh(now).map(({ event }) => event);
  const stream = traceStream(scored.projectId, scored.id);
  const by = authorshipOf({ clock, ids }, scored);
  const outcomes = await transactAll(log, new Map([[stream, null]]), { load, decide }, by);
  const outcome = outcomes.get(stream);
  return outcome === undefined || outcome.position === 'conflict'
    ? null
    : fresh(outcome.before.state);
};
