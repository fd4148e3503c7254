import type { FailureReason } from '../../contract/scoring-counts.js';
import type { ScoringFailure } from '../../events/past-scoring.js';
import { structuredError } from '../../kernel/records/evaluation-errors.js';
import {
  targetsOf,
  type ActiveScorer,
  type ScoreResult,
  type ScoringTarget,
} from './scorer-steps.js';
import {
  errorCodeOf,
  errorMessageOf,
  lastRelevantChange,
  type ScoredTrace,
} from './scored-trace.js';

/** Outcome of a record in a job. */
export type BackfillOutcome = 'scored' | 'skipped' | FailedOutcome;
type FailedOutcome = Omit<ScoringFailure, 'count'> & { readonly reason: FailureReason };

/** Targets: records of a trace to score. Settled: outcomes of records that need no scoring. */
type BackfillTargets = {
  readonly targets: readonly ScoringTarget[];
  readonly settled: ReadonlyMap<string, BackfillOutcome>;
};

/**
 * Selects the records to score: each at most once per version of the scorer, again only after a
 * retriable failure, and never twice in one job.
 */
export const backfillTargets = (
  trace: ScoredTrace,
  active: ActiveScorer,
  job: string,
): BackfillTargets => {
  const targets: ScoringTarget[] = [];
  const known = new Map<string, BackfillOutcome>();
  const { name, versions } = active.scorer;
  for (const target of targetsOf(trace, active, 'all')) {
    const { record } = target;
    const score = trace.records.get(record)?.scores.get(name);
    const made = versions.at(-1)?.created_at ?? '';
    const isScoredByThis =
      score !== undefined &&
      score.at > lastRelevantChange(trace, record) &&
      // Events from before they named the version: the newest one was active then.
      (score.version === null ? score.madeAt >= made : score.version === versions.length);
    if (!isScoredByThis) targets.push(target);
    else if (score.job === job) known.set(record, loggedOutcome(target, name));
    else if (score.code !== null && isRetriable(score.code)) targets.push(target);
    else known.set(record, 'skipped');
  }
  return { targets, settled: known };
};

const isRetriable = (code: number): boolean => structuredError({ code, message: null }).retriable;

const loggedOutcome = (target: ScoringTarget, metric: string): BackfillOutcome => {
  const { metrics = {} } = target.trace.records.get(target.record)?.content ?? {};
  const [code, message] = [metrics[errorCodeOf(metric)], metrics[errorMessageOf(metric)]];
  if (typeof code !== 'number') return 'scored';
  const { failure } = target.trace.records.get(target.record)?.scores.get(metric) ?? {};
  return failedOutcome(target, {
    code,
    message: String(message ?? ''),
    reason: failure ?? 'unknown',
  });
};

export const outcomeOf = (target: ScoringTarget, made: ScoreResult): BackfillOutcome =>
  'code' in made ? failedOutcome(target, made) : 'scored';

type Failure = Extract<ScoreResult, { readonly code: number }>;
export const failedOutcome = (
  { trace, record }: { readonly trace: Pick<ScoredTrace, 'id'>; readonly record: string },
  { code, message, reason }: Failure,
): FailedOutcome => ({
  error_code: code,
  ...errorLocation(code, message),
  reason,
  trace_id: trace.id,
  record_id: record,
});

/**
 * Exception type and line in the scorer's own file, parsed from the harness's message: its first
 * line is `Type: text`, frames follow with the innermost last.
 */
export const errorLocation = (
  code: number,
  message: string,
): Pick<FailedOutcome, 'type' | 'line'> => {
  const [, exception] = /^([A-Za-z_][\w.]*)(?::|\n|$)/.exec(message) ?? [];
  const lines = [...message.matchAll(/^ *File "[^"\n]*", line (\d+)|\(line (\d+)\)$/gm)];
  const [, frame, syntax] = lines.at(-1) ?? [];
  const line = frame ?? syntax;
  return {
    type:
      (code === 1_001 ? exception : undefined)?.slice(0, typeMax) ??
      structuredError({ code, message: null }).error_type,
    line: line === undefined ? null : Number(line),
  };
};
const typeMax = 128;

/** Aggregates outcomes, with failures grouped by kind; keeps the first kinds of a page. */
export const summarizeOutcomes = (outcomes: Iterable<BackfillOutcome>) => {
  const counts = { scored: 0, skipped: 0, failed: 0 };
  const kinds = new Map<string, ScoringFailure>();
  const reasons = new Map<string, number>();
  for (const outcome of outcomes) {
    counts[typeof outcome === 'string' ? outcome : 'failed'] += 1;
    if (typeof outcome === 'string') continue;
    const { reason, ...one } = outcome;
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const key = JSON.stringify([one.error_code, one.type, one.line]);
    const known = kinds.get(key);
    if (known !== undefined || kinds.size < kindsMax) {
      kinds.set(key, { ...one, ...known, count: (known?.count ?? 0) + 1 });
    }
  }
  const failedBy = Object.fromEntries(reasons);
  return { ...counts, failures: [...kinds.values()], failed_by: failedBy };
};
const kindsMax = 20;
