import type { TraceEvent } from '../../events/traces.js';
import {
  logStart,
  type Clock,
  type EventLog,
  type Ids,
  type StreamName,
} from '../../kernel/ports.js';
import type { JobId } from '../../kernel/schema-types.js';
import { transactAll, type StreamState } from '../../kernel/transact.js';
import { traceStream } from '../facts/traces.js';
import { scoringAuthorship } from './job-events.js';
import {
  scoresOf,
  type ActiveScorer,
  type ScoreResult,
  type ScoringTarget,
} from './scorer-steps.js';
import { scoredTrace, lastRelevantChange, type ScoredTrace } from './scored-trace.js';

type Needs = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'derive'>;
};
type ScoresRecordedEvent = Extract<TraceEvent, { readonly type: 'ScoresRecorded' }>;
type PendingScore = { readonly target: ScoringTarget; readonly event: ScoresRecordedEvent };

/** Result of recording scores. */
type RecordedScores = {
  readonly recorded: ReadonlySet<ScoringTarget>;
  /** Traces that changed meanwhile: some of their records must be scored again. */
  readonly changed: ReadonlySet<ScoredTrace>;
};

/**
 * Appends the scores of each trace under optimistic concurrency: events appended since the trace
 * was read are folded first. A score is dropped when its record changed or its trace was deleted
 * meanwhile.
 */
export const recordScores = async (
  needs: Needs,
  { scorer }: ActiveScorer,
  targets: readonly ScoringTarget[],
  made: readonly ScoreResult[],
  job: JobId | null,
): Promise<RecordedScores> => {
  const { roll_up_method: method } = scorer.details;
  const rollUp = method !== null && { roll_up_methods: { [scorer.name]: method } };
  const all = targets.flatMap((target, at): PendingScore[] => {
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
  const [recorded, changed] = [new Set<ScoringTarget>(), new Set<ScoredTrace>()];
  for (const [trace, scorings] of Map.groupBy(all, ({ target }) => target.trace)) {
    for (const some of appendBatches(scorings)) {
      const appended = await appendScores(needs, trace, some);
      for (const { target } of appended ?? []) recorded.add(target);
      if (appended !== null && appended.length === some.length) continue;
      if (appended === null || (await isTraceLive(needs, trace))) changed.add(trace);
      break;
    }
  }
  return { recorded, changed };
};

/** False if the trace was deleted or erased since. */
const isTraceLive = async ({ log }: Needs, { projectId, id }: ScoredTrace): Promise<boolean> => {
  const last = await log.last(traceStream(projectId, id));
  return last !== null && last.type !== 'TraceDeleted';
};

/** Size of one append: below EventStoreDB's limit, at up to three bytes a character. */
const appendTextMax = 300_000;

const appendBatches = (scorings: readonly PendingScore[]): readonly (readonly PendingScore[])[] => {
  const appends: PendingScore[][] = [];
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
 * Appends the scores whose records did not change since the trace was read, and returns them. A
 * changed record is scored again, since its change lies behind the position read so far. Null: the
 * trace changes too often.
 */
const appendScores = async (
  { log, clock, ids }: Needs,
  scored: ScoredTrace,
  scorings: readonly PendingScore[],
): Promise<readonly PendingScore[] | null> => {
  let known = scored;
  const load = async (stream: StreamName): Promise<StreamState<ScoredTrace | null>> => {
    const now = scoredTrace(await log.read(stream, { from: known.revision + 1 }), known);
    known = now ?? known;
    return { state: now, revision: known.revision, position: logStart };
  };
  const fresh = (now: ScoredTrace | null): readonly PendingScore[] =>
    // Null: deleted, or erased since.
    scorings.filter(
      ({ target: { record: id } }) =>
        now !== null && lastRelevantChange(now, id) === lastRelevantChange(scored, id),
    );
  const decide = (now: ScoredTrace | null): readonly ScoresRecordedEvent[] =>
    fresh(now).map(({ event }) => event);
  const stream = traceStream(scored.projectId, scored.id);
  const by = scoringAuthorship({ clock, ids }, scored);
  const outcomes = await transactAll(log, new Map([[stream, null]]), { load, decide }, by);
  const outcome = outcomes.get(stream);
  return outcome === undefined || outcome.position === 'conflict'
    ? null
    : fresh(outcome.before.state);
};
