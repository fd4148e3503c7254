import type { TraceFields } from '../../clients/typescript/src/generated/traces-types-4.js';
import type { Score, TestScore } from './model.js';

/** A row of a dataset with its score, and the trace that the validation made of it. */
export type ScoredRow = {
  readonly key: string;
  /** Number in the version of the dataset, from 0; null: unknown. */
  readonly row: number | null;
  readonly score: Score;
  readonly input: string;
  readonly output: string;
  readonly reference: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly traceId: string | null;
};

const testedMetric = 'registered_scorer_validation';

/**
 * Rows in the order of the dataset. A trace belongs to the row that its name says; one without such
 * a name follows with the score that it has.
 */
export const scoredRows = (
  scores: readonly TestScore[],
  traces: readonly TraceFields[],
): readonly ScoredRow[] => {
  const firstScores = new Map<number, Score>();
  for (const { row_index: row, score } of scores) {
    if (row !== undefined && !firstScores.has(row)) firstScores.set(row, score);
  }
  const rows = traces.map((trace): ScoredRow => {
    const row = rowOfName(trace.name ?? '');
    const metrics = trace.metrics ?? {};
    const own = (metrics[testedMetric] ?? null) as Score;
    return {
      key: trace.id,
      row,
      score: row === null ? own : (firstScores.get(row) ?? own),
      input: textOf(trace.input),
      output: textOf(trace.output),
      reference: textOf(trace.dataset_output),
      metrics,
      traceId: trace.id,
    };
  });
  return sortedRows(rows, null);
};

const rowOfName = (name: string): number | null => {
  const number = /^row (\d+)$/.exec(name)?.[1];
  return number === undefined ? null : Number(number);
};

/** A value as a text; empty where there is none. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Rows by their number or their score; without an order by number. Missing ones are last. */
export const sortedRows = (
  rows: readonly ScoredRow[],
  sort: { readonly column: string; readonly ascending: boolean } | null,
): readonly ScoredRow[] => {
  const valueOf = (row: ScoredRow): Score => (sort?.column === 'score' ? row.score : row.row);
  const direction = sort?.ascending === false ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [left, right] = [valueOf(one), valueOf(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return direction * (left < right ? -1 : left > right ? 1 : 0);
  });
};
