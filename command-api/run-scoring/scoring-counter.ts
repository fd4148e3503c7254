import type { FailureReason } from '../../contract/scoring-counts.js';
import type { RunScoringAdvanced, RunScoringEvent } from '../../events/run-scoring.js';
import type { EventReader, Position } from '../../kernel/ports.js';
import type { RunId } from '../../kernel/schema-types.js';
import { runScoringStream } from '../facts/run-scoring.js';
import { targetsOf, type ActiveScorer } from './scorer-steps.js';
import type { ScoredTrace } from './scored-trace.js';

/** Outcome of a record; null: it has a score. `skipped`: no score was needed any more. */
type ScoringOutcome = { readonly reason: FailureReason } | 'skipped' | null;

/** Counters of a run in a round: waiting records and outcomes, by scorer id. */
export const openScoringCounter = () => {
  const names = new Set<string>();
  const waiting = new Map<string, number>();
  const outcomes = new Map<string, RunScoringAdvanced['outcomes'][string]>();
  const settle = (scorer: string, outcome: ScoringOutcome): void => {
    const { scored, skipped, failed } = outcomes.get(scorer) ?? zeroOutcomes;
    if (outcome === null) outcomes.set(scorer, { scored: scored + 1, skipped, failed });
    else if (outcome === 'skipped') outcomes.set(scorer, { scored, skipped: skipped + 1, failed });
    else {
      const { reason } = outcome;
      const more = { ...failed, [reason]: (failed[reason] ?? 0) + 1 };
      outcomes.set(scorer, { scored, skipped, failed: more });
    }
  };
  return {
    wait: ({ scorer: { id, name } }: ActiveScorer, count: number): void => {
      if (count === 0) return;
      names.add(name);
      waiting.set(id, (waiting.get(id) ?? 0) + count);
    },
    settle,
    /** Counts the outcome of a waiting record. */
    judge: (scorer: string, outcome: ScoringOutcome): void => {
      settle(scorer, outcome);
      const left = (waiting.get(scorer) ?? 0) - 1;
      if (left > 0) waiting.set(scorer, left);
      else waiting.delete(scorer);
    },
    scorers: (): string[] => [...names].sort(),
    waiting: (): Readonly<Record<string, number>> => Object.fromEntries(waiting),
    outcomes: (): RunScoringAdvanced['outcomes'] => Object.fromEntries(outcomes),
  };
};
export type ScoringCounter = ReturnType<typeof openScoringCounter>;
const zeroOutcomes: RunScoringAdvanced['outcomes'][string] = { scored: 0, skipped: 0, failed: {} };

/** A job of a run that this process runs. */
type OpenRunJob = {
  isBegun: boolean;
  /** Reason why no record could be scored. */
  error: string | null;
  /** Range of scores by a lost worker that it did not count. Null: none. */
  readonly uncounted: {
    readonly after: Position;
    until: Position | null;
    readonly counted: Set<string>;
  } | null;
};
export type OpenRunJobs = Map<RunId, OpenRunJob>;

/** The job as the last worker left it: its scores after its last event are not counted yet. */
export const resumeRunJob = async (
  { log }: { readonly log: EventReader },
  run: RunId,
): Promise<OpenRunJob> => {
  const last = await log.last(runScoringStream(run));
  const isOpen = last !== null && last.type !== endedType;
  const lost = isOpen ? { after: last.position, until: null, counted: new Set<string>() } : null;
  return { isBegun: false, error: null, uncounted: lost };
};
const endedType: RunScoringEvent['type'] = 'RunScoringEnded';

/** Outcomes in the trace that a lost worker did not count, each of them once. */
export const uncountedOutcomes = (
  { uncounted }: OpenRunJob,
  trace: ScoredTrace,
  active: ActiveScorer,
): readonly ScoringOutcome[] => {
  if (uncounted === null) return [];
  const { after, until, counted } = uncounted;
  return targetsOf(trace, active, 'all').flatMap(({ record }): readonly ScoringOutcome[] => {
    const score = trace.records.get(record)?.scores.get(active.scorer.name);
    const key = `${trace.id} ${record} ${active.scorer.id}`;
    if (score === undefined || score.job !== null || counted.has(key)) return [];
    if (score.position <= after || (until !== null && score.position >= until)) return [];
    counted.add(key);
    return [score.code === null ? null : { reason: score.failure ?? 'unknown' }];
  });
};
