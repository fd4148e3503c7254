import type { FaultKind, Verdict } from '../../kernel/sandbox.js';
import type { ScoringBudgets } from './budgets.js';
import { codeOf, type Made } from './scoring.js';

/** What is known of a scorer's version in a project: how many records a process gets, and when. */
export type Trial = {
  readonly atOnce: number;
  /** Of the next process only; null: as many as `atOnce`. */
  readonly next: number | null;
  /** Records that were scored since `atOnce` changed. */
  readonly clean: number;
  /** Spent since there was a score last. */
  readonly vainMs: number;
  /** How often it rested since there was a score last. */
  readonly rests: number;
  /** Monotone time. */
  readonly restsUntil: number;
};

export const untried = ({ stepsMax }: ScoringBudgets): Trial => ({
  atOnce: stepsMax,
  next: null,
  clean: 0,
  vainMs: 0,
  rests: 0,
  restsUntil: -Infinity,
});

/** A process that ended before its verdict: at which record, of how many. */
type CutShort = {
  readonly kind: FaultKind;
  /** Null: before the first, or nobody knows. */
  readonly place: number | null;
  readonly count: number;
};

/**
 * Records of one process use these up together; the one at which it was too much may be innocent.
 */
const together: ReadonlySet<FaultKind> = new Set(['time', 'memory', 'output', 'input', 'crashed']);

/** Each record adds to them, but the first of a process has them alone. */
const adding: ReadonlySet<FaultKind> = new Set(['memory', 'output']);

/** More does not fit an event of 900 KB, at three bytes a character. */
const textScoreMax = 300_000;

type Judged = { readonly made: ReadonlyMap<number, Made>; readonly cut: CutShort | null };

/** What a process says of its records, by place; those it says nothing of are looked at again. */
export const judgedBy = (
  verdict: Exclude<Verdict, { readonly verdict: 'unavailable' }>,
  count: number,
): Judged => {
  const made = new Map<number, Made>();
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
  if (!together.has(kind)) {
    for (let one = 0; one < count; one += 1) made.set(one, error);
    return { made, cut: null };
  }
  const cut = { kind, place, count };
  const blamed = blamedBy(cut);
  if (blamed !== null) made.set(blamed, error);
  return { made, cut };
};

const failureOf = (kind: FaultKind, message: string): Made => ({
  code: codeOf(kind),
  message,
  reason: kind,
});

const textScore = (score: string): Made =>
  score.length <= textScoreMax
    ? { score }
    : failureOf('output', `the scorer answered a text of more than ${textScoreMax} characters`);

/** Whose fault it is for certain: it was alone, or the first, or the process ended with it. */
const blamedBy = ({ kind, place, count }: CutShort): number | null => {
  if (count === 1) return 0;
  if (kind === 'crashed') return place;
  return adding.has(kind) && place === 0 ? 0 : null;
};

/** After a process that came to its end; a slow scorer gets as many again, a quick one more. */
export const afterScores = (
  trial: Trial,
  { count, tookMs }: { readonly count: number; readonly tookMs: number },
  { batchMs, stepsMax }: ScoringBudgets,
): Trial => {
  // Twice as many would hardly fit.
  const isSlow = tookMs > batchMs / 3;
  const clean = trial.clean + count;
  const grows = !isSlow && clean >= stepsMax;
  const atOnce = isSlow && count > 1 ? Math.min(trial.atOnce, count) : trial.atOnce;
  return {
    atOnce: grows ? Math.min(stepsMax, atOnce * 2) : atOnce,
    next: null,
    clean: grows || isSlow ? 0 : clean,
    vainMs: 0,
    rests: 0,
    restsUntil: -Infinity,
  };
};

/** Fewer at once until it is known which record it is; a rest when all of it is in vain. */
export const afterCut = (
  trial: Trial,
  cut: CutShort,
  nowMs: number,
  budgets: ScoringBudgets,
): Trial => {
  const { batchMs, recordMs, crashMs, restMs, restMaxMs } = budgets;
  const hungMs = cut.count === 1 ? recordMs : batchMs;
  const vainMs = trial.vainMs + (cut.kind === 'time' ? hungMs : crashMs);
  if (vainMs >= budgets.vainMs) {
    const rest = Math.min(restMaxMs, restMs * 2 ** trial.rests);
    // After it, one more process in vain is enough for the next.
    const left = Math.max(0, budgets.vainMs - batchMs);
    return { ...trial, next: null, vainMs: left, rests: trial.rests + 1, restsUntil: nowMs + rest };
  }
  return { ...trial, vainMs, ...fewer(trial, cut) };
};

const fewer = (trial: Trial, { kind, place, count }: CutShort): Pick<Trial, 'atOnce' | 'next'> => {
  const { atOnce } = trial;
  if (count === 1 || (kind === 'crashed' && place !== null)) return { atOnce, next: null };
  const half = { atOnce: Math.max(1, Math.floor(count / 2)), next: null };
  if (kind === 'time' && (place ?? 0) === 0) return { atOnce, next: 1 };
  if (adding.has(kind) && place === 0) return { atOnce, next: null };
  // Those before it first; should even they be too many, the place is made up or all are slow.
  const isTold = place !== null && (kind === 'time' || adding.has(kind));
  const isTrusted = isTold && trial.next === null;
  return isTrusted ? { atOnce, next: place } : half;
};
