import type { ScorerFaultKind, ScorerVerdict } from '../../kernel/sandbox.js';
import type { ScoringBudgets } from './budgets.js';
import { faultCode, type ScoreResult } from './scorer-steps.js';

/** Adaptive batch size of a scorer's version in a project, with its backoff. */
export type BatchSizing = {
  readonly atOnce: number;
  /** Size of the next process only; null: `atOnce`. */
  readonly next: number | null;
  /** Records scored since `atOnce` changed. */
  readonly scoredSinceResize: number;
  /** Time spent since the last score. */
  readonly vainMs: number;
  /** Number of backoffs since the last score. */
  readonly backoffs: number;
  /** Monotonic time of the end of the backoff. */
  readonly backoffUntil: number;
};

export const initialSizing = ({ stepsMax }: ScoringBudgets): BatchSizing => ({
  atOnce: stepsMax,
  next: null,
  scoredSinceResize: 0,
  vainMs: 0,
  backoffs: 0,
  backoffUntil: -Infinity,
});

/** A process that ended before its verdict: at which record, of how many. */
type AbortedProcess = {
  readonly kind: ScorerFaultKind;
  /** Null: before the first record, or unknown. */
  readonly place: number | null;
  readonly count: number;
};

/**
 * Faults from limits that all records of a process share; the record at which it failed may be
 * innocent.
 */
const sharedLimitFaults: ReadonlySet<ScorerFaultKind> = new Set([
  'time',
  'memory',
  'output',
  'input',
  'crashed',
]);

/** Faults to which each record adds; the first record of a process has the budget alone. */
const cumulativeFaults: ReadonlySet<ScorerFaultKind> = new Set(['memory', 'output']);

/** Longer texts do not fit an event of 900 KB, at three bytes a character. */
const textScoreMax = 300_000;

type ProcessResults = {
  readonly made: ReadonlyMap<number, ScoreResult>;
  readonly cut: AbortedProcess | null;
};

/** Results of a process by index of the record; records without a result are scored again. */
export const processResults = (
  verdict: Exclude<ScorerVerdict, { readonly verdict: 'unavailable' }>,
  count: number,
): ProcessResults => {
  const made = new Map<number, ScoreResult>();
  if (verdict.verdict === 'valid') {
    for (let place = 0; place < count; place += 1) made.set(place, { score: null });
    for (const { step, score, error } of verdict.scores) {
      if (error !== null) made.set(step, failureOf(error.kind, error.message));
      else made.set(step, typeof score === 'string' ? textScore(score) : { score });
    }
    return { made, cut: null };
  }
  const { kind, message, step: place } = verdict;
  const error = failureOf(kind, message.replace(/^row \d+: /, ''));
  if (!sharedLimitFaults.has(kind)) {
    for (let one = 0; one < count; one += 1) made.set(one, error);
    return { made, cut: null };
  }
  const cut = { kind, place, count };
  const blamed = recordAtFault(cut);
  if (blamed !== null) made.set(blamed, error);
  return { made, cut };
};

const failureOf = (kind: ScorerFaultKind, message: string): ScoreResult => ({
  code: faultCode(kind),
  message,
  reason: kind,
});

const textScore = (score: string): ScoreResult =>
  score.length <= textScoreMax
    ? { score }
    : failureOf('output', `the scorer returned a text of more than ${textScoreMax} characters`);

/**
 * The record certainly at fault: the only one, the first, or the one at which the process crashed.
 */
const recordAtFault = ({ kind, place, count }: AbortedProcess): number | null => {
  if (count === 1) return 0;
  if (kind === 'crashed') return place;
  return cumulativeFaults.has(kind) && place === 0 ? 0 : null;
};

/** Batch size after a completed process: unchanged for a slow scorer, larger for a quick one. */
export const sizingAfterScores = (
  trial: BatchSizing,
  { count, tookMs }: { readonly count: number; readonly tookMs: number },
  { batchMs, stepsMax }: ScoringBudgets,
): BatchSizing => {
  // Twice as many would hardly fit.
  const isSlow = tookMs > batchMs / 3;
  const clean = trial.scoredSinceResize + count;
  const grows = !isSlow && clean >= stepsMax;
  const atOnce = isSlow && count > 1 ? Math.min(trial.atOnce, count) : trial.atOnce;
  return {
    atOnce: grows ? Math.min(stepsMax, atOnce * 2) : atOnce,
    next: null,
    scoredSinceResize: grows || isSlow ? 0 : clean,
    vainMs: 0,
    backoffs: 0,
    backoffUntil: -Infinity,
  };
};

/**
 * Batch size after an aborted process: smaller until the record at fault is found; exponential
 * backoff when all time was spent in vain.
 */
export const sizingAfterAbort = (
  trial: BatchSizing,
  cut: AbortedProcess,
  nowMs: number,
  budgets: ScoringBudgets,
): BatchSizing => {
  const { batchMs, recordMs, crashMs, restMs, restMaxMs } = budgets;
  const hungMs = cut.count === 1 ? recordMs : batchMs;
  const vainMs = trial.vainMs + (cut.kind === 'time' ? hungMs : crashMs);
  if (vainMs >= budgets.vainMs) {
    const rest = Math.min(restMaxMs, restMs * 2 ** trial.backoffs);
    // After the backoff one more process in vain starts the next.
    const left = Math.max(0, budgets.vainMs - batchMs);
    return {
      ...trial,
      next: null,
      vainMs: left,
      backoffs: trial.backoffs + 1,
      backoffUntil: nowMs + rest,
    };
  }
  return { ...trial, vainMs, ...smallerBatch(trial, cut) };
};

const smallerBatch = (
  trial: BatchSizing,
  { kind, place, count }: AbortedProcess,
): Pick<BatchSizing, 'atOnce' | 'next'> => {
  const { atOnce } = trial;
  if (count === 1 || (kind === 'crashed' && place !== null)) return { atOnce, next: null };
  const half = { atOnce: Math.max(1, Math.floor(count / 2)), next: null };
  if (kind === 'time' && (place ?? 0) === 0) return { atOnce, next: 1 };
  if (cumulativeFaults.has(kind) && place === 0) return { atOnce, next: null };
  // The records before it first; if even they are too many, the reported index is wrong or all
  // records are slow.
  const isLocated = place !== null && (kind === 'time' || cumulativeFaults.has(kind));
  const isTrusted = isLocated && trial.next === null;
  return isTrusted ? { atOnce, next: place } : half;
};
