import type { ScorerFaultKind, ScorerVerdict } from '../../kernel/sandbox.js';
import type { ScoringBudgets } from './budgets.js';
import { faultCode, type ScoreResult } from './scorer-steps.js';

/** What is known of a scorer's version in a project: how many records a process gets, and when. */
export type BatchSizing = {
  readonly atOnce: number;
  /** Of the next process only; null: as many as `atOnce`. */
  readonly next: number | null;
  /** Records that were scored since `atOnce` changed. */
  readonly scoredSinceResize: number;
  /** Spent since there was a score last. */
  readonly vainMs: number;
  /** How often it rested since there was a score last. */
  readonly backoffs: number;
  /** Monotone time. */
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
  /** Null: before the first, or nobody knows. */
  readonly place: number | null;
  readonly count: number;
};

/**
 * Records of one process use these up together; the one at which it was too much may be innocent.
 */
const sharedLimitFaults: ReadonlySet<ScorerFaultKind> = new Set([
  'time',
  'memory',
  'output',
  'input',
  'crashed',
]);

/** Each record adds to them, but the first of a process has them alone. */
const cumulativeFaults: ReadonlySet<ScorerFaultKind> = new Set(['memory', 'output']);

/** More does not fit an event of 900 KB, at three bytes a character. */
const textScoreMax = 300_000;

type ProcessResults = {
  readonly made: ReadonlyMap<number, ScoreResult>;
  readonly cut: AbortedProcess | null;
};

/** What a process says of its records, by place; those it says nothing of are looked at again. */
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
    : failureOf('output', `the scorer answered a text of more than ${textScoreMax} characters`);

/** Whose fault it is for certain: it was alone, or the first, or the process ended with it. */
const recordAtFault = ({ kind, place, count }: AbortedProcess): number | null => {
  if (count === 1) return 0;
  if (kind === 'crashed') return place;
  return cumulativeFaults.has(kind) && place === 0 ? 0 : null;
};

/** After a process that came to its end; a slow scorer gets as many again, a quick one more. */
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

/** Fewer at once until it is known which record it is; a rest when all of it is in vain. */
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
    // After it, one more process in vain is enough for the next.
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
  // Those before it first; should even they be too many, the place is made up or all are slow.
  const isTold = place !== null && (kind === 'time' || cumulativeFaults.has(kind));
  const isTrusted = isTold && trial.next === null;
  return isTrusted ? { atOnce, next: place } : half;
};
