import { Type, type Static } from 'typebox';
import type { ScorerFaultKind } from '../kernel/sandbox.js';
import { namedSchema, readonlyRecord } from '../kernel/schema-types.js';

/**
 * Reason why a record has no score: a fault of the file or its process, or that none was started
 * (contract 5.13).
 */
export type FailureReason = ScorerFaultKind | 'resting' | 'sandbox_off' | 'unreadable' | 'unknown';

/** Invariant: `scored` + `skipped` + all of `failed` + `waiting` = `eligible`. */
export const scoringCounts = namedSchema(
  'ScoringCounts',
  Type.Object({
    eligible: Type.Integer(),
    waiting: Type.Integer(),
    scored: Type.Integer(),
    skipped: Type.Integer(),
    failed: readonlyRecord(Type.Integer()),
  }),
);
export type ScoringCounts = Static<typeof scoringCounts>;

/** Outcomes of records, and the number that wait. */
export type ScoringOutcomes = Omit<ScoringCounts, 'eligible'>;

export const noOutcomes: ScoringOutcomes = { waiting: 0, scored: 0, skipped: 0, failed: {} };

/** Sum of counts by reason. */
export const mergeFailureCounts = (
  ...counts: readonly Readonly<Record<string, number>>[]
): Readonly<Record<string, number>> => {
  const sums = new Map<string, number>();
  for (const one of counts) {
    for (const [reason, count] of Object.entries(one)) {
      sums.set(reason, (sums.get(reason) ?? 0) + count);
    }
  }
  return Object.fromEntries(sums);
};

export const sumScoringCounts = (...outcomes: readonly ScoringOutcomes[]): ScoringCounts => {
  const sumOf = (member: 'waiting' | 'scored' | 'skipped'): number =>
    outcomes.reduce((sum, one) => sum + one[member], 0);
  const failed = mergeFailureCounts(...outcomes.map((one) => one.failed));
  const [waiting, scored, skipped] = [sumOf('waiting'), sumOf('scored'), sumOf('skipped')];
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  return { eligible: waiting + scored + skipped + failures, waiting, scored, skipped, failed };
};
